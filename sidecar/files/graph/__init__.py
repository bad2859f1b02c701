"""The repository map: which files matter, told by who refers to whom, as text inside a token budget.

Made from what file memory knows of each content (symbols, imports and words in code), kept in memory, and updated by
content: an edit replaces the links of one file and the ranks are computed again. The same files give the same bytes,
whatever the order in which they came. It reads no file and does not know types: a name stands for every definition
of that name that is likely to be meant.
"""
