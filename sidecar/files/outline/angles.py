"""Guard against long runs of unmatched angle brackets, for which some grammars need quadratic memory.

Measured: 16 KB of `a<` costs the Java grammar a second and 650 MB, 64 KB more than 3 GB, taken after the last byte was
read, where no time limit can step in. C# and TypeScript behave alike; other grammars do not.
"""

from __future__ import annotations

import re
from typing import Final

from sidecar.files.outline.conditions import blank

UNMATCHED: Final = 200
_LANGUAGES: Final = frozenset({"java", "csharp", "javascript", "jsx", "typescript", "tsx"})
_STATEMENT: Final = re.compile(rb"[^;{}]+")
_ARROW: Final = re.compile(rb"-+>")
_FAT_ARROW: Final = re.compile(rb"[-=]+>")


def without_unmatched(language: str, data: bytes) -> bytes:
    """Blank the statements with more than UNMATCHED unmatched angle brackets; lengths stay."""
    if language not in _LANGUAGES or max(data.count(b"<"), data.count(b">")) <= UNMATCHED:
        return data
    arrows = _ARROW if language == "java" else _FAT_ARROW
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
