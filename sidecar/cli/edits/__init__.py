"""Small changes to other programs' configuration files: JSON with comments, TOML, YAML, Markdown.

Each change leaves every other line, comment and order as it was, is idempotent, and can be undone without a copy of the
file. A file that cannot be read, or that cannot be changed without touching more, is refused (`EditRefused`). Nothing
here reads or writes a file.
"""

from __future__ import annotations


class EditRefused(ValueError):
    """The text cannot be read, or cannot be changed without touching more than ours; the message says where."""
