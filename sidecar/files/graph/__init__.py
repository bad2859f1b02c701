"""The repository map: which files matter, judged by who refers to whom, as text inside a token budget.

It is made from what file memory knows of each content (symbols, imports, words in code) and kept in memory. An edit
replaces the links of one file, and ranks are computed again. The same files give the same bytes, in whatever order they
came. It reads no file and knows no types: a name stands for every definition of that name that is likely to be meant.
"""
