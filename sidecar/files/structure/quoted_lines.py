"""Indent the lines of a multi-line string below the line that begins it, because indentation nests rows."""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path
from typing import Final

from sidecar.text.lazy_patterns import patterns

_FORMS: Final = patterns(Path(__file__), "quoted_lines")
_MAX_TEXT_LINES: Final = 200  # lines that a text may have; quotes that stay open longer begin none
_LINE_CHARS: Final = 1_000
_MARKS: Final = {
    **dict.fromkeys("javascript typescript tsx vue svelte astro go".split(), ("`",)),
    **dict.fromkeys("rust elixir julia".split(), ('"',)),
    **dict.fromkeys("bash ruby php".split(), ('"', "'")),
}
_QUOTES: Final = ('"""', "'''")
_SINGLE_QUOTED: Final = "javascript typescript tsx vue svelte astro python ruby php bash powershell lua dart".split()


def indent_quoted(lines: Sequence[str], language: str, defined: Set[int]) -> list[str]:
    """Return the lines; those of a multi-line string are indented below the line that begins it.

    The line that only ends the string stays. Lines of a string with definitions are blank, unless the definitions are
    `defined`: then they are no string.
    """
    marks = (*_QUOTES, *_MARKS.get(language, ()))
    found = list(lines)
    at, rest = 0, ""  # the rest of the line after the text that ends on it
    while at < len(found):
        line = found[at][:_LINE_CHARS]
        closing = _opened(rest or line, marks, single=language in _SINGLE_QUOTED)
        end = _end(found, at + 1, closing) if closing else 0
        margin = line[: len(line) - len(line.lstrip())]
        rest = _bare(found[end], closing).partition(closing)[2] or " " if end else ""
        inside = range(at + 1, end)
        coded = any(_FORMS["defines"].match(found[row]) for row in inside) and defined.isdisjoint(
            row + 1 for row in inside
        )
        for inner in range(at + 1, end + 1):
            found[inner] = "" if coded and inner < end else found[inner]
            bare = found[inner].strip()
            if bare:
                found[inner] = margin + (bare if inner == end and bare.startswith(closing) else f"  {found[inner]}")
        at = max(at + 1, end)
    return found


def _opened(line: str, marks: Sequence[str], *, single: bool) -> str:
    """Return the quotes that end the string left open on a line; "" if none is open."""
    if not any(mark in line for mark in (*marks, "<<", "#", "@")) or _FORMS["comment"].match(line):
        return ""
    if (hashed := _FORMS["hashed"].search(line)) is not None and f'"{hashed[1]}' not in line[hashed.end() :]:
        return f'"{hashed[1]}'
    if line.endswith(("@'", '@"')):
        return f"{line[-1]}@"
    rest = _FORMS["whole"].sub("", line)
    rest = _FORMS["single"].sub("", rest) if single else rest
    first = min((mark for mark in marks if mark in rest), key=rest.index, default="")
    tagged = None if first else _FORMS["tagged"].search(line)
    return first if tagged is None else tagged[1]


def _end(lines: Sequence[str], first: int, closing: str) -> int:
    """Return the line that ends a text, or 0 if none does."""
    tag = closing[0].isalpha()
    for at in range(first, min(len(lines), first + _MAX_TEXT_LINES)):
        if lines[at].strip().startswith(closing) if tag else closing in _bare(lines[at], closing):
            return at
    return 0


def _bare(line: str, closing: str) -> str:
    return _FORMS["escaped"].sub("", line) if closing == '"' else line
