"""A scanner for languages with brace blocks, by the beginnings of lines and their indentation.

A block's contents are indented deeper than the line that opens it, and the closing brace is aligned with that line, so
one pass finds types, members and functions without counting braces. A file laid out otherwise loses only members.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from sidecar.files.scan.record import ScannedDefinition, worth_linking


class _Open(NamedTuple):
    end: int
    inner: bytes  # the indentation of the members
    kind: bytes
    line: int


def blanker(literal: re.Pattern[bytes]) -> Callable[[bytes], bytes]:
    """Make a function that blanks what the pattern finds and keeps the lines."""

    return lambda text: literal.sub(lambda match: b"\n" * match[0].count(b"\n") or b" ", text)


def definition_finder(
    lines: re.Pattern[bytes], public: re.Pattern[bytes]
) -> Callable[[bytes, bytes], list[ScannedDefinition]]:
    """Make a finder from the patterns for the beginning of a line and for public definitions.

    `lines` begins with a newline and has the groups `indent`, `type` with its `kind`, `member` (of a type), `function`
    (anywhere but in functions) and `words` (modifiers). `public` matches `KIND:WORDS`, with the owner's kind.
    """
    return lambda code, text: _defined(code, lines, public)


def _defined(code: bytes, lines: re.Pattern[bytes], public: re.Pattern[bytes]) -> list[ScannedDefinition]:
    definitions: list[ScannedDefinition] = []
    inside: list[_Open] = []
    line = at = 0
    for match in lines.finditer(code):
        start = match.start()
        line += code.count(b"\n", at, start + 1)
        at = start + 1
        while inside and inside[-1].end <= start:
            inside.pop()
        owner = inside[-1] if inside else None
        indent = match["indent"]
        if owner is not None and indent != owner.inner:
            continue
        name_of = match["type"] or match["function"] or (match["member"] if owner is not None else None)
        if name_of is None or (owner is None and match["type"] is None and indent):
            continue
        name = name_of.decode("utf-8", "replace")
        if match["type"] is not None:
            inside.append(_opened(code, match, line))
        if not worth_linking(name):
            continue
        shown = public.match((owner.kind if owner is not None else b"") + b":" + match["words"]) is not None
        definitions.append(ScannedDefinition(name, line, owner is None, shown, -1 if owner is None else owner.line))
    return definitions


_INDENT: Final = re.compile(rb"\n([ \t]+)[^\s]")


def _opened(code: bytes, match: re.Match[bytes], line: int) -> _Open:
    """Return a type's extent and the indentation of its members."""
    indent, kind = match["indent"], match["kind"]
    end = code.find(b"\n" + indent + b"}", match.end())
    if end < 0:
        end = len(code)
    first = _INDENT.search(code, match.end(), end)
    inner = first[1] if first is not None else b""
    if len(inner) <= len(indent):
        return _Open(match.end(), b"", kind, line)
    return _Open(end, inner, kind, line)
