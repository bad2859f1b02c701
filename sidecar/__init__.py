"""memory-sidecar: a language server for memory.

Rooms, top floor to ground: `cli` (command line), `lsp` (the front over stdio), `engine` and `workspace` (the
facade that every front calls), the domains `files` and `memories`, and below them `store`, `checkout`, `text`
and `settings`. Imports only go down; a test keeps it so.
"""

__version__ = "0.1.0"
