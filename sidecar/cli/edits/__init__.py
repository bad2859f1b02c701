"""Small changes to other programs' configuration files: JSON with comments, TOML, YAML, Markdown.

A change keeps all other lines, comments and their order, is idempotent, and can be undone without a copy of the file.
`EditRefused` is raised for a text that cannot be parsed or cannot be changed in this way. These modules neither read
nor write files.
"""

from __future__ import annotations


class EditRefused(ValueError):
    """A text cannot be parsed, or not be changed without touching more than our part; the message says where."""
