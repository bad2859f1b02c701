"""The ranks of all files and of what they define, as seen from everywhere, for one state of the links."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from sidecar.files.graph.node import Node, Out
from sidecar.files.graph.page_rank import Edges, page_rank
from sidecar.files.scan.record import PUBLIC, TOP

OWN: Final = 0.02
"""Share of a file's rank that each of its public symbols has of itself, before anyone uses it."""

FILES_BETWEEN: Final = 16
"""Files between two moments at which requests may go first: about a millisecond."""

BEST_KEPT: Final = 40_000
"""Symbols that a map can show, the best of all."""


T = TypeVar("T")


class Ranked(NamedTuple):
    """Files are numbered in the order of their paths; a symbol is its file and its place in the file's scan."""

    paths: list[str]
    numbers: dict[str, int]
    edges: Edges
    rank: list[float]
    symbols: list[array[float]]  # by file: the score of each definition, 0 where it has none
    best: list[tuple[float, int, int]]  # (score, file, definition), best first
    out: list[Out]
    defined: list[array[int]]  # by file: the numbers of the names of its definitions
    place: Mapping[int, int] | range  # from a number that the links use to one that this uses

    def uses(self, number: int) -> Iterator[tuple[int, int, float]]:
        """What a file uses: (file that defines it, number of the name, share of the file's links)."""
        out = self.out[number]
        for target, name, part in zip(out.targets, out.names, out.parts, strict=True):
            yield self.place[target], name, part


def rank(every: Sequence[tuple[Node, Out]], give_way: Callable[[], None]) -> Ranked:
    """Rank files with their links, paths ascending. `give_way` is called about each millisecond, and may raise.

    A symbol's score is what the files that use it give it of their rank, and a little of its own file's.
    """
    place = {node.number: at for at, (node, _) in enumerate(every)}
    edges: list[tuple[Sequence[int], Sequence[float]]] = []
    for _, out in _with_pauses(every, give_way):
        edges.append((array("I", [place[target] for target in out.files]), out.shares))
    ranks = page_rank(edges, give_way)
    symbols: list[array[float]] = []
    indexes: list[dict[int, list[int]]] = []
    for at, (node, _) in enumerate(_with_pauses(every, give_way)):
        own = OWN * ranks[at] * node.weight
        symbols.append(
            array("d", [(own if flag & TOP else own / 2) if flag & PUBLIC else 0.0 for flag in node.flags])
        )
        indexes.append(places_of(node))
    for at, (node, out) in enumerate(_with_pauses(every, give_way)):
        given = ranks[at] * node.weight
        for target, name, part in zip(out.targets, out.names, out.parts, strict=True):
            number = place[target]
            scores, places = symbols[number], indexes[number][name]
            for index in places:
                scores[index] += given * part / len(places)
    return Ranked(
        paths=[node.path for node, _ in every],
        numbers={node.path: at for at, (node, _) in enumerate(every)},
        edges=edges,
        rank=ranks,
        symbols=symbols,
        best=best_of(symbols, give_way),
        out=[out for _, out in every],
        defined=[node.defined for node, _ in every],
        place=place,
    )


def best_of(symbols: Sequence[array[float]], give_way: Callable[[], None]) -> list[tuple[float, int, int]]:
    """(score, file, definition) of the best of all, best first."""
    every = (
        (-score, at, index)
        for at, scores in enumerate(_with_pauses(symbols, give_way))
        for index, score in enumerate(scores)
        if score
    )
    return [(-score, at, index) for score, at, index in heapq.nsmallest(BEST_KEPT, every)]


def places_of(node: Node) -> dict[int, list[int]]:
    """The places of a file's definitions of each name, by its number."""
    found: dict[int, list[int]] = {}
    for index, number in enumerate(node.defined):
        found.setdefault(number, []).append(index)
    return found


def _with_pauses(values: Sequence[T], give_way: Callable[[], None]) -> Iterator[T]:
    for at, value in enumerate(values):
        if not at % FILES_BETWEEN:
            give_way()
        yield value
