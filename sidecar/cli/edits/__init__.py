"""Small changes to other programs' configuration files: JSON with comments, TOML, YAML, Markdown.

`setup` calls these modules, which neither read nor write files. A change keeps all other lines, comments and their
order. It is idempotent, and can be undone without a copy of the file. A text that cannot be parsed, or not be changed
in this way, raises `EditRefused`.
"""

from __future__ import annotations


class EditRefused(ValueError):
    """A text cannot be parsed, or not be changed without touching more than our part. The message says where."""
