"""The ranks of all files and of what they define, as seen from everywhere, for one state of the links."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from sidecar.files.graph.links import Links
from sidecar.files.graph.node import Out
from sidecar.files.graph.page_rank import Edges, page_rank
from sidecar.files.scan.record import PUBLIC, TOP

OWN: Final = 0.02
"""Share of a file's rank that each of its public symbols has of itself, before anyone uses it."""

FILES_BETWEEN: Final = 16
"""Files between two moments at which requests may go first: about a millisecond, as are the two below."""

SORTED_AT_ONCE: Final = 1_000
MERGED_AT_ONCE: Final = 1_000


T = TypeVar("T")


class Ranked(NamedTuple):
    """Files are numbered in the order of their paths; a symbol is its file and its place in the file's scan."""

    paths: list[str]
    numbers: dict[str, int]
    edges: Edges
    rank: list[float]
    symbols: list[dict[int, float]]  # by file: the score of each definition that has one
    best: list[tuple[float, int, int]]  # (score, file, definition) of all, best first
    out: list[Out]
    names: Sequence[str]
    place: Mapping[int, int] | range  # from a number that the links use to one that this uses

    def uses(self, number: int) -> Iterator[tuple[int, str, float]]:
        """What a file uses: (file that defines it, name, share of the file's links)."""
        out = self.out[number]
        for target, name, part in zip(out.targets, out.names, out.parts, strict=True):
            yield self.place[target], self.names[name], part


def rank(
    links: Links, by_name: Callable[[str], Mapping[str, Sequence[int]]], give_way: Callable[[], None]
) -> Ranked:
    """Rank everything; `by_name` gives the places of a file's definitions of each name.

    `give_way` is called about each millisecond, and may raise to end it.

    A symbol's score is what the files that use it give it of their rank, and a little of its own file's.
    """
    every = links.all()
    paths = [node.path for node, _ in every]
    place = {node.number: at for at, (node, _) in enumerate(every)}
    edges: list[tuple[list[int], Sequence[float]]] = []
    for _, out in _with_pauses(every, give_way):
        edges.append(([place[target] for target in out.files], out.shares))
    ranks = page_rank(edges, give_way)
    symbols: list[dict[int, float]] = []
    for at, (node, _) in enumerate(_with_pauses(every, give_way)):
        own = OWN * ranks[at] * node.weight
        symbols.append(
            {index: own if flag & TOP else own / 2 for index, flag in enumerate(node.flags) if flag & PUBLIC}
        )
    names = links.names
    indexes = [by_name(path) for path in _with_pauses(paths, give_way)]
    for at, (node, out) in enumerate(_with_pauses(every, give_way)):
        given = ranks[at] * node.weight
        for target, name, part in zip(out.targets, out.names, out.parts, strict=True):
            number = place[target]
            places = indexes[number][names[name]]
            scores = symbols[number]
            for index in places:
                scores[index] = scores.get(index, 0.0) + given * part / len(places)
    return Ranked(
        paths=paths,
        numbers={path: at for at, path in enumerate(paths)},
        edges=edges,
        rank=ranks,
        symbols=symbols,
        best=_best(symbols, give_way),
        out=[out for _, out in every],
        names=names,
        place=place,
    )


def _best(
    symbols: Sequence[Mapping[int, float]], give_way: Callable[[], None]
) -> list[tuple[float, int, int]]:
    """(score, file, definition) of all, best first. Sorted in runs that are merged: one sort of all takes no pause."""
    runs: list[list[tuple[float, int, int]]] = []
    run: list[tuple[float, int, int]] = []
    for at, found in enumerate(symbols):
        run.extend((-score, at, index) for index, score in found.items())
        if len(run) >= SORTED_AT_ONCE or at == len(symbols) - 1:
            give_way()
            run.sort()
            runs.append(run)
            run = []
    best: list[tuple[float, int, int]] = []
    for score, at, index in heapq.merge(*runs):
        if not len(best) % MERGED_AT_ONCE:
            give_way()
        best.append((-score, at, index))
    return best


def _with_pauses(values: Sequence[T], give_way: Callable[[], None]) -> Iterator[T]:
    for at, value in enumerate(values):
        if not at % FILES_BETWEEN:
            give_way()
        yield value
