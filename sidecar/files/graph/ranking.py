"""The ranks of all files and of what they define, as seen from everywhere, for one state of the links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from sidecar.files.graph.links import Links
from sidecar.files.graph.node import Out
from sidecar.files.graph.page_rank import Edges, page_rank
from sidecar.files.scan.record import PUBLIC, TOP

OWN: Final = 0.02
"""Share of a file's rank that each of its public symbols has of itself, before anyone uses it."""


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
    links: Links, by_name: Callable[[str], Mapping[str, Sequence[int]]], rest: Callable[[], None]
) -> Ranked:
    """Rank everything; `by_name` gives the places of a file's definitions of each name, `rest` is called now and then.

    A symbol's score is what the files that use it give it of their rank, and a little of its own file's.
    """
    every = links.all()
    paths = [node.path for node, _ in every]
    place = {node.number: at for at, (node, _) in enumerate(every)}
    edges = [([place[target] for target in out.files], out.shares) for _, out in every]
    ranks = page_rank(edges, rest)
    symbols: list[dict[int, float]] = []
    for at, (node, _) in enumerate(every):
        own = OWN * ranks[at] * node.weight
        symbols.append(
            {index: own if flag & TOP else own / 2 for index, flag in enumerate(node.flags) if flag & PUBLIC}
        )
    names = links.names
    indexes = [by_name(path) for path in paths]
    for at, (node, out) in enumerate(every):
        given = ranks[at] * node.weight
        for target, name, part in zip(out.targets, out.names, out.parts, strict=True):
            number = place[target]
            places = indexes[number][names[name]]
            scores = symbols[number]
            for index in places:
                scores[index] = scores.get(index, 0.0) + given * part / len(places)
    best = sorted((-score, at, index) for at, found in enumerate(symbols) for index, score in found.items())
    return Ranked(
        paths=paths,
        numbers={path: at for at, path in enumerate(paths)},
        edges=edges,
        rank=ranks,
        symbols=symbols,
        best=[(-score, at, index) for score, at, index in best],
        out=[out for _, out in every],
        names=names,
        place=place,
    )
