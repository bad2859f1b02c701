"""The head of a definition on one line: the text before its body, found without a tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from sidecar.files.outline.source import shorten_signature, signature_line, with_value

MAX_BYTES: Final = 2_000
DECORATOR_CHARS: Final = 60
MAX_DECORATORS: Final = 4

_STRINGS: Final = rb'"""(?:[^\\]|\\.)*?"""|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|\'[^\'\\\n]*(?:\\.[^\'\\\n]*)*\''
_PYTHON: Final = re.compile(_STRINGS + rb"|#[^\n]*|\\\n|[()\[\]{}:=\n]", re.DOTALL)
_BRACES: Final = re.compile(_STRINGS + rb"|`[^`]*`|//[^\n]*|/\*.*?\*/|=>|[()\[\]{};=\n]", re.DOTALL)
_OPEN: Final = frozenset((b"(", b"[", b"{"))
_CLOSE: Final = frozenset((b")", b"]", b"}"))
_NOTES: Final = (b"#", b"//", b"/*")

Head = Callable[[bytes, int], str]  # takes a text and the offset of a definition's line; returns its head


def python_head(text: bytes, start: int) -> str:
    """Return decorators and `def` or `class` up to the colon, or a constant with its value if that is short."""
    depth = 0
    equals = -1
    parts: list[bytes] = []
    at = start
    is_block = text[start : start + 20].lstrip().startswith((b"def", b"class", b"async"))
    limit = min(len(text), start + MAX_BYTES)
    end = limit
    for match in _PYTHON.finditer(text, start, limit):
        token = match[0]
        if token.startswith(_NOTES):
            parts.append(text[at : match.start()])
            at = match.end()
        elif token in _OPEN:
            depth += 1
        elif token in _CLOSE:
            depth -= 1
        elif depth <= 0 and token == b"=" and equals < 0:
            equals = match.start()
        elif depth <= 0 and (token == b"\n" or (token == b":" and is_block)):
            end = match.start()
            break
    if not is_block and equals >= 0:
        name = signature_line(_text(text[start:equals]))
        return with_value(name, signature_line(_text(text[equals + 1 : end])))
    parts.append(text[at:end])
    head = signature_line(_text(b" ".join(parts)))
    return shorten_signature(" ".join([*_decorators(text, start), head]))


def _decorators(text: bytes, start: int) -> list[str]:
    decorators: list[str] = []
    end = start - 1
    while end > 0 and len(decorators) < MAX_DECORATORS:
        begin = text.rfind(b"\n", 0, end) + 1
        above = text[begin:end].strip()
        if not above.startswith(b"@"):
            break
        decorators.insert(0, shorten_signature(signature_line(_text(above)), DECORATOR_CHARS))
        end = begin - 1
    return decorators


def brace_head(*, line_ends: bool) -> Head:
    """Make a reader of heads that end at a brace or semicolon outside brackets, or at `line_ends`."""

    def head(text: bytes, start: int) -> str:
        depth = 0
        equals = -1
        parts: list[bytes] = []
        at = start
        limit = min(len(text), start + MAX_BYTES)
        end = limit
        for match in _BRACES.finditer(text, start, limit):
            token = match[0]
            if token.startswith(_NOTES):
                parts.append(text[at : match.start()])
                at = match.end()
            elif depth <= 0 and (token in (b"{", b";", b"=>") or (token == b"\n" and line_ends)):
                end = match.start()
                break
            elif depth <= 0 and token == b"=" and equals < 0:
                equals = match.start()
            elif token in _OPEN:
                depth += 1
            elif token in _CLOSE:
                depth -= 1
        if equals >= 0 and not parts:
            name = signature_line(_text(text[start:equals]))
            value = signature_line(_text(text[equals + 1 : end]))
            return with_value(name, value) if value else shorten_signature(name)
        parts.append(text[at:end])
        return shorten_signature(signature_line(_text(b" ".join(parts))).rstrip(" =,"))

    return head


def _text(part: bytes) -> str:
    return part.decode("utf-8", "replace")
