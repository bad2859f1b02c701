"""A scanner for languages with brace blocks, which goes by how lines begin and how they are indented.

A block's contents are indented deeper than the line that opens it, and the closing brace stands below the beginning of
that line. So one pass finds types, members and functions without counting braces. A file laid out otherwise loses only
members.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from sidecar.files.scan.record import ScannedDefinition, worth_linking


class Layout(NamedTuple):
    """The patterns for the beginnings of lines in one language.

    `line` begins with a newline and has the groups `indent`, `type`, `member` (of a type), `function` (anywhere but in
    functions), and optionally `words` (modifiers). `public` is called with the words, the name, and the owner's `kind`.
    """

    line: re.Pattern[bytes]
    public: Callable[[str, str, str], bool]
    not_names: frozenset[str] = frozenset()


class _Open(NamedTuple):
    end: int
    inner: bytes  # the indentation of the members
    name: str
    kind: str
    line: int


def blanker(literal: re.Pattern[bytes]) -> Callable[[bytes], bytes]:
    """Return a function that blanks whatever the pattern finds. The lines stay."""

    return lambda text: literal.sub(lambda match: b"\n" * match[0].count(b"\n") or b" ", text)


def definition_finder(layout: Layout) -> Callable[[bytes, bytes], list[ScannedDefinition]]:
    return lambda code, text: _defined(layout, code)


def _defined(layout: Layout, code: bytes) -> list[ScannedDefinition]:
    definitions: list[ScannedDefinition] = []
    inside: list[_Open] = []
    line = at = 0
    for match in layout.line.finditer(code):
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
        if name in layout.not_names:
            continue
        if match["type"] is not None:
            inside.append(_opened(code, match, name, line))
        if not worth_linking(name):
            continue
        words = (match["words"] or b"").decode("utf-8", "replace")
        public = layout.public(words, name, "" if owner is None else owner.kind)
        definitions.append(ScannedDefinition(name, line, owner is None, public, -1 if owner is None else owner.line))
    return definitions


_INDENT: Final = re.compile(rb"\n([ \t]+)[^\s]")


def _opened(code: bytes, match: re.Match[bytes], name: str, line: int) -> _Open:
    """Return where a type ends, and the indentation of its members."""
    indent = match["indent"]
    kind = match["kind"].decode()
    end = code.find(b"\n" + indent + b"}", match.end())
    if end < 0:
        end = len(code)
    first = _INDENT.search(code, match.end(), end)
    inner = first[1] if first is not None else b""
    if len(inner) <= len(indent):
        return _Open(match.end(), b"", name, kind, line)
    return _Open(end, inner, name, kind, line)
