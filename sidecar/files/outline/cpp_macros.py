"""Prepare C and C++ text for a grammar without a preprocessor.

The grammar loses symbols at conditional directives and at macros in declarations, so `without_macros` blanks them. Only
words in capitals count as macros and mostly only those with an underscore, because `FILE` and `DWORD` are types.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from sidecar.files.outline.conditions import blank, without_conditions
from sidecar.text.lazy_patterns import byte_patterns

_DEFINE: Final = re.compile(rb"^[ \t]*#[ \t]*define\b(?:[^\\\n]|\\.|\\\n)*\\\n(?:[^\\\n]|\\.|\\\n)*", re.MULTILINE)
_COMMENT: Final = re.compile(rb"/\*[^\n]*?\*/")  # ends a `#define` for the grammar
_MACROS: Final = byte_patterns(Path(__file__), "cpp_macros")


def without_macros(data: bytes) -> bytes:
    """Blank what the grammar cannot read, keeping the length."""
    data = _DEFINE.sub(lambda define: _COMMENT.sub(lambda comment: blank(comment[0]), define[0]), data)
    data = without_conditions(data)
    for pattern in _MACROS.values():
        data = pattern.sub(_without_macro, data)
    return data


def _without_macro(match: re.Match[bytes]) -> bytes:
    whole = match.group()
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    return whole[:start] + blank(whole[start:end]) + whole[end:]
