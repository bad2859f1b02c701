"""The symbols that a facet rests on, and whether the facet still holds in another content.

A facet rests on the symbols that contain its identifiers. It holds in any content with the same symbols, unchanged. It
is never carried over if one of its identifiers stands outside any symbol, or if it is about the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from sidecar.files.facets.content import Content
from sidecar.files.symbols.hashes import dotted_symbols, full_name, spans
from sidecar.store.records import ContentRecord, FacetRecord
from sidecar.text.lazy_patterns import patterns

# A facet that rests on more symbols rests on the whole file.
MAX_SYMBOLS_OF_FACET: Final = 8
_PATTERNS: Final = patterns(Path(__file__), "carry_over")
_MAX_OF_A_NAME: Final = 3
_SELF: Final = frozenset(("self", "this", "cls", "super", "Self"))


def symbols_under(text: str, identifiers: Iterable[str], content: Content) -> tuple[str, ...]:
    """Return the dotted names of the symbols that a facet rests on; none if it rests on the whole file."""
    if _PATTERNS["whole"].search(text):
        return ()
    spans_by_name = spans(content.record)
    namespaces = _namespaces(content.record)
    symbols: dict[str, None] = {}
    rest: list[str] = []
    for identifier in identifiers:
        parts = [part for part in _PATTERNS["separator"].split(identifier.rstrip("?!")) if part and part not in _SELF]
        names = _symbols_named(parts, spans_by_name)
        if any(_defined_apart(name, spans_by_name[name], content) for name in names):
            return ()
        symbols.update(dict.fromkeys(names))
        if parts and not names:
            rest.append(parts[-1])
    for word in rest:
        lines = _lines_with(word, content.text)
        if any(_inside(line, spans_by_name[name]) for name in symbols for line in lines):
            continue
        holders = {_holder(lines, spans_by_name)}
        if holders & namespaces:
            inside = {name: places for name, places in spans_by_name.items() if name not in namespaces}
            holders = {_holder([line], inside) for line in lines}
            if None in holders and symbols:
                continue
        if None in holders:
            return ()
        symbols.update(dict.fromkeys(sorted(holder for holder in holders if holder is not None)))
    symbols = {name: None for name in symbols if name not in namespaces} or symbols
    return tuple(symbols) if len(symbols) <= MAX_SYMBOLS_OF_FACET else ()


def still_holds(facet: FacetRecord, hashes: Mapping[str, str]) -> bool:
    """Return whether every symbol that a facet rests on still has the hash that the facet recorded."""
    return bool(facet.symbols) and all(hashes.get(name) == hash for name, hash in facet.symbols)


def merge_facets(first: Sequence[FacetRecord], more: Iterable[FacetRecord], most: int) -> tuple[FacetRecord, ...]:
    """Add the facets of `more` that have other texts, newest first, until there are `most`."""
    facets = list(first)
    texts = {normalised(facet.text) for facet in facets}
    for facet in sorted(more, key=lambda facet: (-facet.at, facet.text)):
        if len(facets) >= most:
            break
        if normalised(facet.text) not in texts:
            texts.add(normalised(facet.text))
            facets.append(facet)
    return tuple(facets)


def normalised(text: str) -> str:
    """Return a facet's text in lower case, without punctuation and extra spaces."""
    return " ".join("".join(char if char.isalnum() or char == "_" else " " for char in text.casefold()).split())


def _symbols_named(parts: Sequence[str], symbol_names: Collection[str]) -> list[str]:
    """Return the symbols that a name may mean. A name without owners may mean any symbol of that name."""
    if len(parts) > 1:
        full = full_name(".".join(parts), symbol_names)
        if full is not None:
            return [full]
    same = [name for name in symbol_names if name.rpartition(".")[2] == parts[-1]] if parts else []
    return same if len(same) <= _MAX_OF_A_NAME else []


def _namespaces(record: ContentRecord) -> set[str]:
    """Return the symbols that only contain others. Ruby's modules are left out, because they are like classes."""
    return {
        name for name, symbol in dotted_symbols(record.symbols) if symbol.kind == "module" and record.language != "ruby"
    }


def _defined_apart(name: str, places: Collection[tuple[int, int]], content: Content) -> bool:
    """Return whether a C++ class declares a member in these lines but defines it elsewhere."""
    owner, _, member = name.rpartition(".")
    if content.record.language != "cpp" or not owner:
        return False
    apart = re.compile(rf"\b{re.escape(owner.rpartition('.')[2])}(?:<[^<>]*>)?::{re.escape(member)}\s*\(")
    return any(
        not _inside(content.text.count("\n", 0, hit.start()) + 1, places) for hit in apart.finditer(content.text)
    )


def _lines_with(word: str, text: str) -> list[int]:
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    numbers: list[int] = []
    line, last = 1, 0
    for hit in pattern.finditer(text):
        line += text.count("\n", last, hit.start())
        last = hit.start()
        if not numbers or numbers[-1] != line:
            numbers.append(line)
    return numbers


def _holder(lines: Sequence[int], spans_by_name: Mapping[str, Sequence[tuple[int, int]]]) -> str | None:
    if not lines:
        return None
    holding = [name for name, places in spans_by_name.items() if all(_inside(line, places) for line in lines)]
    return min(holding, key=lambda name: (sum(end - start for start, end in spans_by_name[name]), name), default=None)


def _inside(line: int, places: Collection[tuple[int, int]]) -> bool:
    return any(start <= line <= end for start, end in places)
