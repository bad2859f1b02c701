"""First facts of a project from its own files: README, package manifests, CI.

The table `rules.toml` says which files to read, which values to look for, and how to word them. `rules.py` applies it;
`irregular.py`, `about.py`, `ci.py` and `members.py` find what a table cannot express.

Nothing is run or guessed. A command is named only if a file of the project defines or uses it, or if the manifest's
tool always has it (`cargo test`).
"""
