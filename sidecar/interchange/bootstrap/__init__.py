"""First facts of a project from what its own files say: README, package manifests, CI.

`rules.toml` says which files are looked at, for what, and in which words; `rules` reads it, and what a table cannot say
is in `irregular`, `about` and `ci`. Nothing is run and nothing is guessed: a command is named when a file of the
project defines or uses it, or when the manifest's own tool has it by definition (`cargo test` of a Cargo.toml).
"""
