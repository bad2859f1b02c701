"""What a file defines, as shown to readers of the map, and how distinctive its names are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from sidecar.files.scan.scanning import bare
from sidecar.store.records import SymbolRecord

_WORDS: Final = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Z]{2}[a-z]")


def outlined(names: Sequence[str], lines: Sequence[int], symbols: Sequence[SymbolRecord]) -> list[str]:
    """Return the outline's signature for each definition of a scan, by name and nearest line; "" if there is none."""
    there: dict[str, list[tuple[int, str]]] = defaultdict(list)
    todo = list(symbols)
    while todo:
        symbol = todo.pop()
        there[bare(symbol.name)].append((symbol.start, symbol.signature))
        todo.extend(symbol.children)
    return [
        min(there[name], key=lambda each: (abs(each[0] - line), each))[1] if name in there else ""
        for name, line in zip(names, lines, strict=True)
    ]


@lru_cache(maxsize=65_536)
def distinctiveness(name: str) -> float:
    """Return how surely a use of the name refers to a definition of it: multi-word names do, short ones may not."""
    if name.startswith("_"):
        return 0.1
    if _WORDS.search(name) and len(name) >= 6:
        return 1.0
    return 0.5 if len(name) >= 6 or name[0].isupper() else 0.2
