"""The files of a workspace on disk: git identity, ignore rules, safe reading, walking, watching.

A sub-folder of a repository is a separate workspace with the same repository id and another inner path (`identity.py`).
A nested repository is a separate workspace, too, so a walk of the outer one leaves it out (`walk.py`). In the user's
repository, only `<common dir>/memory-sidecar/key` and lines of `info/exclude` are written, and only the git commands in
`git.py` are run.
"""
