"""Guard against long runs of unmatched angle brackets, for which some grammars need quadratic memory.

Measured: 16 KB of `a<` costs the Java grammar a second and 650 MB, 64 KB more than 3 GB, allocated after the last byte
was read, where no time limit can interrupt. C# and TypeScript behave alike; other grammars do not.
"""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.outline.conditions import blank
from sidecar.files.outline.languages import facts_of

UNMATCHED: Final = 200
_STATEMENT: Final = re.compile(rb"[^;{}]+")


def without_unmatched(language: str, data: bytes) -> bytes:
    """Blank the statements with more than UNMATCHED unmatched angle brackets, keeping the length."""
    arrow = facts_of(language).arrow
    if not arrow or max(data.count(b"<"), data.count(b">")) <= UNMATCHED:
        return data
    arrows = re.compile(arrow.encode())
    return _STATEMENT.sub(lambda match: _checked(match.group(), arrows), data)


def _checked(statement: bytes, arrows: re.Pattern[bytes]) -> bytes:
    if len(statement) <= UNMATCHED:
        return statement
    opening, closing = statement.count(b"<"), statement.count(b">")
    if max(opening, closing) <= UNMATCHED:
        return statement
    if abs(opening - closing + len(arrows.findall(statement))) <= UNMATCHED:
        return statement
    return blank(statement)
