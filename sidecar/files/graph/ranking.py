"""The global ranks of all files and of their definitions, for one state of the links."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from sidecar.files.graph.node import FileLinks, Node
from sidecar.files.graph.page_rank import Edges, page_rank
from sidecar.files.scan.record import PUBLIC, TOP

SHARE_BEFORE_USE: Final = 0.02  # share of a file's rank that each of its public symbols has before any use
BEST_KEPT: Final = 40_000  # number of best symbols from which a map can choose
INDEXES_KEPT: Final = 8_192  # files whose definitions stay indexed: most links lead to a few files


class Ranked(NamedTuple):
    """The ranks of files, numbered in path order. A symbol is given by its file and its index in the file's scan."""

    paths: list[str]
    numbers: dict[str, int]
    edges: Edges
    rank: Sequence[float]
    order: array[int]  # files by falling rank
    symbols: Sequence[Sequence[float]]  # by file: the score of each definition, 0 without one
    best: Sequence[tuple[float, int, int]]  # (score, file, definition), best first
    nodes: Sequence[Node]
    out: Sequence[FileLinks]
    place: Mapping[int, int] | range  # from a file number in the links to one here

    def uses(self, number: int) -> Iterator[tuple[int, int, float]]:
        """Yield (defining file, number of the name, share of the file's links) for each name that a file uses."""
        out = self.out[number]
        for target, name, part in zip(out.targets, out.names, out.parts, strict=True):
            yield self.place[target], name, part


def rank(nodes: Sequence[Node], outs: Sequence[FileLinks]) -> Ranked:
    """Rank files, given in ascending path order, by their links.

    A symbol's score is the rank that its users pass on, plus a small share of its own file's rank.
    """
    place: dict[int, int] = {}
    paths: list[str] = []
    for at, node in enumerate(nodes):
        place[node.number] = at
        paths.append(node.path)
    edges = [(array("I", map(place.__getitem__, out.files)), out.shares) for out in outs]
    ranks = page_rank(edges)
    symbols: list[array[float]] = []
    weights = array("d")
    for at, node in enumerate(nodes):
        weights.append(node.weight)
        base = SHARE_BEFORE_USE * ranks[at] * node.weight
        symbols.append(
            array("d", [(base if flag & TOP else base / 2) if flag & PUBLIC else 0.0 for flag in node.flags])
        )
    defined_at = lru_cache(maxsize=INDEXES_KEPT)(lambda number: places_of(nodes[number]))
    for at, out in enumerate(outs):
        share = ranks[at] * weights[at]
        for target, name, part in zip(out.targets, out.names, out.parts, strict=True):
            number = place[target]
            scores, places = symbols[number], defined_at(number)[name]
            for index in places:
                scores[index] += share * part / len(places)
    return Ranked(
        paths=paths,
        numbers={path: at for at, path in enumerate(paths)},
        edges=edges,
        rank=ranks,
        order=falling(ranks),
        symbols=symbols,
        best=best_of(symbols),
        nodes=nodes,
        out=outs,
        place=place,
    )


def falling(ranks: Sequence[float]) -> array[int]:
    """Return the numbers of files by falling rank; files of equal rank stay in path order."""
    return array("I", sorted(range(len(ranks)), key=ranks.__getitem__, reverse=True))


def best_of(symbols: Sequence[array[float]]) -> list[tuple[float, int, int]]:
    symbol_scores = (
        (-score, at, index) for at, scores in enumerate(symbols) for index, score in enumerate(scores) if score
    )
    return [(-score, at, index) for score, at, index in heapq.nsmallest(BEST_KEPT, symbol_scores)]


def places_of(node: Node) -> dict[int, list[int]]:
    places: dict[int, list[int]] = {}
    for index, number in enumerate(node.defined):
        places.setdefault(number, []).append(index)
    return places
