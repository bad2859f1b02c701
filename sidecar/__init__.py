"""memory-sidecar: a language server for memory.

`README.md` beside this file is the map of the house: its rooms from top to ground, six walks through them, the
invariants with the tests that keep them, and a glossary. Imports only go down; tests/test_architecture.py keeps it so.
"""

__version__ = "0.1.0"
