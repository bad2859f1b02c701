"""First facts of a project from its own files: README, package manifests, CI.

`rules.toml` says which files to read, for what, and in which words; `rules` applies it, and `irregular`, `about` and
`ci` hold what a table cannot express. Nothing is run or guessed: a command is named if a file of the project defines or
uses it, or if the manifest's own tool has it by definition (`cargo test` for a Cargo.toml).
"""
