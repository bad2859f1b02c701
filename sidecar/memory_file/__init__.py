"""Keep MEMORY.md, or its directory form, in sync with the store.

`engine` makes one `MemoryFile` (`memory_file.py`) for each checkout. It calls `take_in_edits` before it answers a
request, and `request_write` when memories have changed.
"""
