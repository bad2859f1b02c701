"""The head of a definition as one line: the text before its body, found without a syntax tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from sidecar.files.outline.source import shorten_signature, signature_line, with_value
from sidecar.text.lazy_patterns import byte_patterns

MAX_BYTES: Final = 2_000
DECORATOR_CHARS: Final = 60
MAX_DECORATORS: Final = 4

_PATTERNS: Final = byte_patterns(Path(__file__), "heads")
_OPEN: Final = frozenset((b"(", b"[", b"{"))
_CLOSE: Final = frozenset((b")", b"]", b"}"))
_LINE_ENDS: Final = frozenset((b"\n",))
_NOTES: Final = (b"#", b"//", b"/*")

Head = Callable[[bytes, int], str]  # takes a text and the offset of a definition's line; returns its head


def _read_head(
    tokens: re.Pattern[bytes], text: bytes, start: int, ends: frozenset[bytes]
) -> tuple[list[bytes], int, int, int]:
    """Read from `start` to the first of `ends` outside brackets.

    Return the text before comments, and the offsets after the last comment, of the first `=` (-1 without one), and of
    the end.
    """
    depth, equals, at, parts = 0, -1, start, list[bytes]()
    end = min(len(text), start + MAX_BYTES)
    for match in tokens.finditer(text, start, end):
        token = match[0]
        if token.startswith(_NOTES):
            parts.append(text[at : match.start()])
            at = match.end()
        elif depth <= 0 and token in ends:
            return parts, at, equals, match.start()
        elif depth <= 0 and token == b"=" and equals < 0:
            equals = match.start()
        elif token in _OPEN:
            depth += 1
        elif token in _CLOSE:
            depth -= 1
    return parts, at, equals, end


def python_head(text: bytes, start: int) -> str:
    """Return decorators and `def` or `class` up to the colon; of a constant, its name with a short value."""
    is_block = text[start : start + 20].lstrip().startswith((b"def", b"class", b"async"))
    parts, at, equals, end = _read_head(
        _PATTERNS["python"], text, start, _LINE_ENDS | {b":"} if is_block else _LINE_ENDS
    )
    if not is_block and equals >= 0:
        return with_value(_line(text[start:equals]), _line(text[equals + 1 : end]))
    head = _line(b" ".join([*parts, text[at:end]]))
    above = [
        shorten_signature(_line(line), DECORATOR_CHARS) for line in islice(decorators(text, start - 1), MAX_DECORATORS)
    ]
    return shorten_signature(" ".join([*reversed(above), head]))


def decorators(text: bytes, end: int) -> Iterator[bytes]:
    """Yield the decorator lines right above a definition, the nearest first; they end at the offset `end`."""
    while end > 0:
        begin = text.rfind(b"\n", 0, end) + 1
        above = text[begin:end].strip()
        if not above.startswith(b"@"):
            return
        yield above
        end = begin - 1


def brace_head(*, line_ends: bool) -> Head:
    """Return a reader of heads that end at a brace or semicolon outside brackets, or also at the end of a line."""
    ends = frozenset((b"{", b";", b"=>")) | (_LINE_ENDS if line_ends else frozenset())

    def head(text: bytes, start: int) -> str:
        parts, at, equals, end = _read_head(_PATTERNS["braces"], text, start, ends)
        if equals >= 0 and not parts:
            name, value = _line(text[start:equals]), _line(text[equals + 1 : end])
            return with_value(name, value) if value else shorten_signature(name)
        return shorten_signature(_line(b" ".join([*parts, text[at:end]])).rstrip(" =,"))

    return head


def _line(part: bytes) -> str:
    return signature_line(part.decode("utf-8", "replace"))
