"""The files of a workspace on disk: git identity, ignore rules, safe reading, walking, watching.

The `engine` opens a workspace's folder by `identity.py` and reads its files by `tree.py`; `files` makes outlines of
them.

A sub-folder of a repository is a separate workspace: same repository id, another inner path (`identity.py`). So is a
nested repository, which a walk of the outer one therefore leaves out (`walk.py`).

In the user's repository, this room writes only `<common dir>/memory-sidecar/key` and lines of `info/exclude`, and runs
only the git commands in `git.py`.
"""
