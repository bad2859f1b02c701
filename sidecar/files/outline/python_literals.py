"""Comments and string contents in Python, found by one regular expression.

A query would visit every node of the tree, which takes a third of the parsing time. Only formatted strings, which
contain code, need the tree.
"""

from __future__ import annotations

import re
from typing import Final

_LITERAL: Final = re.compile(
    rb"#[^\n]*"
    rb'|"""([^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*)"""'
    rb"|'''([^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*)'''"
    rb'|"([^"\\\n]*(?:\\.[^"\\\n]*)*)"'
    rb"|'([^'\\\n]*(?:\\.[^'\\\n]*)*)'",
    re.DOTALL,
)
_FORMATTED: Final = (b"f", b"F", b"t", b"T", b"fr", b"fR", b"Fr", b"FR", b"tr", b"tR", b"Tr", b"TR")


def literals(data: bytes) -> list[tuple[int, int]] | None:
    """Return the ascending byte ranges of comments and strings; None if a string may contain code."""
    found: list[tuple[int, int]] = []
    for match in _LITERAL.finditer(data):
        group = match.lastindex
        start, end = match.span(group or 0)
        if group is not None and data[max(0, match.start() - 2) : match.start()].endswith(_FORMATTED):
            return None
        if end > start:
            found.append((start, end))
    return found
