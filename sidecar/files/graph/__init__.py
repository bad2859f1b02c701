"""The repository map: the files that matter, judged by who refers to whom, as text within a token budget.

The map is held in memory and does not depend on the order in which files arrived. The room reads no file and knows no
types: a name stands for every definition of the name that is likely to be meant.
"""
