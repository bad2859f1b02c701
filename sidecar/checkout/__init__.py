"""The files of a workspace as they are on disk: git identity, ignore rules, safe reading, walking, watching.

A sub-folder of a repository is a workspace of its own: same repository id, other inner path (`identity.py`). A nested
repository is one of its own, too; the outer walk leaves its files out (`walk.py`). Of the user's repository, only
`<common dir>/memory-sidecar/key` and lines of `info/exclude` are written, and only the git commands of `git.py` run.
"""
