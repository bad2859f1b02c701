"""The files of a workspace as they are on disk: git identity, ignore rules, safe reading, walking, watching.

Everything here reads the disk when asked and answers in plain values; only parsed ignore files and the watcher's
snapshot of stat results are cached. The room deliberately does not know what a file means (that is `files/`), stores
nothing of its own, runs only the reading `git` commands that `git.py` lists, and writes nothing to the user's
repository but `<common dir>/memory-sidecar/key` and lines of `info/exclude`.

Decisions that users meet, each explained where it is made:

- A sub-folder of a repository is a workspace of its own: same repository id, other inner path (`identity.py`).
- A submodule or other nested repository is a repository of its own; the outer walk leaves its files out, an
  explicit request for one of them still works (`walk.py`).
- A symlink inside the workspace is taken for its target, so that one file has one memory (`paths.py`).
- A file that an ignore rule matches is ignored even if git tracks it (`ignore.py`).
"""
