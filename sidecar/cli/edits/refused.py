"""Why a file is not changed."""

from __future__ import annotations


class Refused(ValueError):
    """The text cannot be read, or not be changed without touching more than ours; says where."""
