"""What the repository map needs of a file, found by regular expressions in one pass over its bytes, without a tree.

A scan holds the names that a file defines, with their lines, what it imports, and the names that its code uses. It
costs about a fifth of an outline, so that all files of a repository can be ranked before any of them is parsed. It is a
function of the bytes alone: the same bytes give the same scan in every process. It shows nothing to a reader: a
definition is shown only as the outline of its file knows it, and not at all when the outline does not know it.
"""
