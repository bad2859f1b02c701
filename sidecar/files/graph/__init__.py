"""The repository map: which files matter, judged by who refers to whom, as text within a token budget.

It is built from the records of file memory (symbols, imports, words in code), held in memory, and gives the same bytes
for the same files, in whatever order they arrived. The room reads no file and knows no types: a name stands for every
definition of that name that is likely to be meant.
"""
