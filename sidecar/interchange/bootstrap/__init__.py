"""First facts of a project from what its own files say: README, package manifests, CI.

Each reader takes the texts of known files and gives few, true statements, each with the files that say it. Nothing is
run and nothing is guessed: a command is named when a file of the project defines or uses it, or when the manifest's own
tool has it by definition (`cargo test` of a Cargo.toml).
"""
