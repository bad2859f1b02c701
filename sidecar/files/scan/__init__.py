"""What the repository map needs from a file, found by regular expressions in one pass over its bytes, without a tree.

A scan holds the names that a file defines, with their lines, its imports, and the names that its code uses. It costs
about a fifth of an outline, so all files of a repository can be ranked before any is parsed; readers see definitions
only as in the outline of their file.
"""
