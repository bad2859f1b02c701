"""What a file defines, as shown to readers of the map, and how distinctive its names are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from sidecar.files.scan.scanning import bare
from sidecar.store.records import SymbolRecord, every_symbol

_WORDS: Final = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Z]{2}[a-z]")


def signatures_of(names: Sequence[str], lines: Sequence[int], symbols: Sequence[SymbolRecord]) -> list[str]:
    """Return the outline's signature of each scanned definition, found by name and nearest line; "" without one."""
    heads: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for symbol in every_symbol(symbols):
        heads[bare(symbol.name)].append((symbol.start, symbol.signature))
    return [
        min(heads[name], key=lambda head: (abs(head[0] - line), head))[1] if name in heads else ""
        for name, line in zip(names, lines, strict=True)
    ]


@lru_cache(maxsize=65_536)
def distinctiveness(name: str) -> float:
    """Return how surely a use of a name refers to a definition: names of several words do, short names may not."""
    if name.startswith("_"):
        return 0.1
    if _WORDS.search(name) and len(name) >= 6:
        return 1.0
    return 0.5 if len(name) >= 6 or name[0].isupper() else 0.2
