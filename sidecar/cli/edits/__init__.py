"""Small changes to configuration files that belong to somebody else: JSON with comments, TOML, YAML, Markdown.

Each change leaves every other line, comment and order as it was, is the same when it is made twice, and can be taken
back without a copy of the file. A file that cannot be read, or in which the change cannot be made without touching
more, is refused (`Refused`). Nothing here reads or writes a file.
"""

from __future__ import annotations


class Refused(ValueError):
    """The text cannot be read, or not be changed without touching more than ours; says where."""
