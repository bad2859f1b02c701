"""The repository map: the files that matter, judged by who refers to whom, as text within a token budget.

`index/code_index.py` asks for the map. It is held in memory and does not depend on the order in which files arrived.
The room reads no file and knows no types: a name stands for every definition that it is likely to mean.
"""
