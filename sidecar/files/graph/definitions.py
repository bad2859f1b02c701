"""What a file defines as a reader of the map sees it, and how much a name tells when another file uses it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from sidecar.files.scan.record import MAX_DEFINITIONS
from sidecar.files.scan.scanning import bare
from sidecar.store.records import SymbolRecord

_WORDS: Final = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Z]{2}[a-z]")


class Definition(NamedTuple):
    """One symbol of an outline. `parent` is the index of the one that it is a member of, -1 at the top."""

    name: str
    line: int
    signature: str
    parent: int


def definitions(symbols: Sequence[SymbolRecord]) -> list[Definition]:
    """All symbols, those that hold others before what they hold, at most MAX_DEFINITIONS."""
    found: list[Definition] = []
    todo = [(symbol, -1) for symbol in reversed(symbols)]
    while todo and len(found) < MAX_DEFINITIONS:
        symbol, parent = todo.pop()
        found.append(Definition(bare(symbol.name), symbol.start, symbol.signature, parent))
        own = len(found) - 1
        todo.extend((child, own) for child in reversed(symbol.children))
    return found


def matched(names: Sequence[str], lines: Sequence[int], known: Sequence[Definition]) -> list[int]:
    """For each definition of a scan, by name and line, its index in the outline's, -1 when it is not there.

    Definitions of one name are told apart by their order when there are as many, else by the nearest line.
    """
    scanned: dict[str, list[int]] = defaultdict(list)
    outlined: dict[str, list[int]] = defaultdict(list)
    for index, name in enumerate(names):
        scanned[name].append(index)
    for index, one in enumerate(known):
        outlined[one.name].append(index)
    found = [-1] * len(names)
    for name, indexes in scanned.items():
        there = sorted(outlined.get(name, ()), key=lambda index: (known[index].line, index))
        if len(there) == len(indexes):
            for index, match in zip(indexes, there, strict=True):
                found[index] = match
        elif there:
            for index in indexes:
                found[index] = min(there, key=lambda match: (abs(known[match].line - lines[index]), match))
    return found


def telling(name: str) -> float:
    """How surely a use of the name means a definition of it: made-up names of several words do, short ones may not."""
    if name.startswith("_"):
        return 0.1
    if _WORDS.search(name) and len(name) >= 6:
        return 1.0
    return 0.5 if len(name) >= 6 or name[0].isupper() else 0.2
