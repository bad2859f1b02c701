"""The result of a structure extractor, and the few rules that all extractors share."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sidecar.files.clean_text import shorten
from sidecar.store.records import SymbolRecord

MAX_SYMBOLS = 300  # the maximum at one level: a lock file with 20,000 keys needs a count, not a list

MAX_CHILDREN = 60

_NEWLINE = re.compile(r"\n")
_SPACES = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$)|[。！？]")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|Mr|Dr|No|[A-Z])\.$")


@dataclass(frozen=True)
class Structure:
    """The symbols found in a text. `head` is a sample of its first lines, for texts without structure."""

    doc: str | None = None
    symbols: tuple[SymbolRecord, ...] = ()
    imports: tuple[str, ...] = ()
    entry_points: tuple[str, ...] = ()
    partial: bool = False
    head: str | None = None
    unparsed: tuple[tuple[int, int], ...] = ()


Extractor = Callable[[str], Structure]


class LineNumbers:
    """Line numbers of offsets, from 1, found by bisection."""

    def __init__(self, text: str) -> None:
        self._ends = [match.start() for match in _NEWLINE.finditer(text)]
        self.count = len(self._ends) + (0 if text.endswith("\n") or not text else 1)

    def at(self, offset: int) -> int:
        return bisect_right(self._ends, offset - 1) + 1


def first_sentence(text: str, limit: int = 200) -> str | None:
    """Return a paragraph's first sentence on one line, at most `limit` characters; None if there is none."""
    flat = _SPACES.sub(" ", text[: limit * 8]).strip()
    if not flat:
        return None
    for match in _SENTENCE_END.finditer(flat):
        if match.end() > limit:
            break
        if match.group() == "." and _ABBREVIATION.search(flat[max(0, match.end() - 12) : match.end()]):
            continue
        return flat[: match.end()]
    return shorten(flat, limit)


def capped(symbols: list[SymbolRecord], limit: int = MAX_SYMBOLS, what: str = "more") -> tuple[SymbolRecord, ...]:
    """Return the first `limit` symbols, then one of kind `more` that counts the rest."""
    if len(symbols) <= limit:
        return tuple(symbols)
    left = symbols[limit:]
    name = f"… and {len(left):,} {what}"
    rest = SymbolRecord(
        kind="more", name=name, start=left[0].start, end=max(symbol.end for symbol in left), signature=name
    )
    return (*symbols[:limit], rest)


def distinct(values: Iterable[str], limit: int = 200) -> tuple[str, ...]:
    """Return at most `limit` distinct non-empty values in order."""
    seen: dict[str, None] = {}
    for value in values:
        if value and value not in seen:
            seen[value] = None
            if len(seen) >= limit:
                break
    return tuple(seen)
