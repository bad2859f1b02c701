"""What a file defines, as a flat list, and how much it tells when another file uses one of the names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from sidecar.store.records import SymbolRecord

MAX_DEFINITIONS: Final = 1_500
"""Definitions of one file that count; generated headers have more."""

_UNLINKED: Final = frozenset({"field", "property", "case", "variable"})
"""Kinds whose names (`name`, `id`, `value`) are used everywhere for something else."""

_WORDS: Final = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Z]{2}[a-z]")


class Definition(NamedTuple):
    """One symbol of a file. `parent` is the index of the one that it is a member of, -1 at the top."""

    name: str
    line: int
    signature: str
    parent: int
    linked: bool
    public: bool


def definitions(symbols: Sequence[SymbolRecord]) -> list[Definition]:
    """All symbols, those that hold others before what they hold, at most MAX_DEFINITIONS."""
    found: list[Definition] = []
    todo = [(symbol, -1) for symbol in reversed(symbols)]
    while todo and len(found) < MAX_DEFINITIONS:
        symbol, parent = todo.pop()
        name = re.split(r"\.|::|#", symbol.name)[-1]
        linked = symbol.kind not in _UNLINKED and len(name) > 2 and not name.startswith("__")
        found.append(Definition(name, symbol.start, symbol.signature, parent, linked, symbol.public))
        own = len(found) - 1
        todo.extend((child, own) for child in reversed(symbol.children))
    return found


def telling(name: str) -> float:
    """How surely a use of the name means a definition of it: made-up names of several words do, short ones may not."""
    if name.startswith("_"):
        return 0.1
    if _WORDS.search(name) and len(name) >= 6:
        return 1.0
    return 0.5 if len(name) >= 6 or name[0].isupper() else 0.2
