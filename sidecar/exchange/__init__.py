"""Memories in and out of other forms: files that people read and write, and other tools' formats.

Pure functions between texts and plain entries: `jsonl` is our own export, `formats` reads what other tools wrote,
`sections` cuts Markdown into memories, `bootstrap` makes first facts of a project's manifests, `memory_file` is
MEMORY.md. This room reads and writes no file, opens no store and decides nothing about retrieval: the facade gives it
texts and what the store holds, and carries out what it answers.
"""
