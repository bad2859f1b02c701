"""The ranked graph as columns: the bytes for the next process, and the form held in memory.

The reader compares the contents in the graph with the present ones, and puts or removes the files that differ. Opening
is cheap, because a file is made from the columns only when asked for.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final, cast

import msgspec

from sidecar.files.graph.links import Links, LinksState
from sidecar.files.graph.node import FileLinks, Node, family, linked
from sidecar.files.graph.ranking import Ranked, falling
from sidecar.files.graph.shelf import Definers, LazySequence, Names, Texts
from sidecar.files.outline import RECIPE as OUTLINE_RECIPE
from sidecar.files.pointers import Key
from sidecar.files.scan.scanning import RECIPE as SCAN_RECIPE

# Version of everything that shapes links and ranks: raise it whenever the same scans may give other results.
RECIPE: Final = 7

NODES_KEPT: Final = 4_096  # number of files made from the columns that stay in memory, the most recently used
# Languages without rules of their own are scanned by their outlines.
RECIPES = (RECIPE, SCAN_RECIPE, OUTLINE_RECIPE, f"{array('I').itemsize}{array('d').itemsize}")


class _Rows(msgspec.Struct, frozen=True, array_like=True):
    """Lists of numbers, one per file or name: 0 and where each ends among all numbers."""

    kind: str
    ends: memoryview
    numbers: memoryview

    def opened(self) -> Sequence[memoryview]:
        """Return the rows. Raises `ValueError` and similar errors if they are incomplete."""
        ends = _numbers("I", self.ends)
        numbers = _numbers(self.kind, self.numbers)
        if ends[-1] != len(numbers):
            raise ValueError("the rows are incomplete")
        return LazySequence(len(ends) - 1, lambda at: numbers[ends[at] : ends[at + 1]])


class _Texts(msgspec.Struct, frozen=True, array_like=True):
    data: memoryview
    ends: memoryview

    @classmethod
    def joined(cls, texts: Iterable[str]) -> _Texts:
        packed = Texts.joined(texts)
        return cls(memoryview(packed.data), _bytes(array("I", packed.ends)))

    def opened(self) -> Texts:
        return Texts(self.data, _numbers("I", self.ends))


class _Writing:
    def __init__(self, kind: str) -> None:
        self._ends = array("I", [0])
        self._numbers: array[Any] = array(kind)

    def add(self, row: Iterable[Any]) -> None:
        self._numbers.extend(row)
        self._ends.append(len(self._numbers))

    def rows(self) -> _Rows:
        return _Rows(self._numbers.typecode, _bytes(self._ends), _bytes(self._numbers))


_KINDS: Final = {
    "imports": "I", "lines": "I", "owners": "i", "flags": "B", "defined": "I", "used": "I", "times": "B",
    "files": "I", "shares": "d", "targets": "I", "by": "I", "parts": "d", "scores": "d",
}  # fmt: skip
"""Rows of each file, for its `Node` and its `FileLinks`, with the `array` type code of their numbers."""


class GraphColumns(msgspec.Struct, frozen=True, array_like=True):
    """A ranked graph. Files are numbered in path order; names are numbered by position."""

    recipe: tuple[int, int, int, str]
    names: _Texts
    imported: _Texts
    paths: list[str]
    contents: list[Key]
    weights: memoryview
    rows: dict[str, _Rows]
    rank: memoryview
    best: tuple[memoryview, memoryview, memoryview]
    definers: _Rows
    public: _Rows


_decoder = msgspec.msgpack.Decoder(GraphColumns)


def columns(names: Names, ranked: Ranked, contents: list[Key]) -> GraphColumns:
    """Make the columns of a ranked graph, without unused names; `contents` are those of its files, in order."""
    place = ranked.place
    numbers_in_use: set[int] = set()
    for node in ranked.nodes:
        numbers_in_use.update(node.defined, node.used)
    ordered = sorted(numbers_in_use, key=names.__getitem__)
    name = array("I", bytes(len(names) * array("I").itemsize))  # new numbers, by the present ones
    for at, number in enumerate(ordered):
        name[number] = at
    renumbered = name.__getitem__
    imported: dict[str, int] = {}
    definers: list[int] = []
    public: list[int] = []
    weights = array("d")
    row = {name: _Writing(kind) for name, kind in _KINDS.items()}
    for at, node in enumerate(ranked.nodes):
        weights.append(node.weight)
        row["imports"].add([imported.setdefault(target, len(imported)) for target in node.imports])
        row["lines"].add(node.lines)
        row["owners"].add(node.owners)
        row["flags"].add(node.flags)
        row["defined"].add(map(renumbered, node.defined))
        pairs = sorted(zip(map(renumbered, node.used), node.times, strict=True))
        row["used"].add([number for number, _ in pairs])
        row["times"].add([count for _, count in pairs])
        for number, is_public in linked(node):
            pair = name[number] << 32 | at
            definers.append(pair)
            if is_public:
                public.append(pair)
    for out in ranked.out:
        row["files"].add(map(place.__getitem__, out.files))
        row["shares"].add(out.shares)
        row["targets"].add(map(place.__getitem__, out.targets))
        row["by"].add(map(renumbered, out.names))
        row["parts"].add(out.parts)
    for scores in ranked.symbols:
        row["scores"].add(scores)
    return GraphColumns(
        recipe=RECIPES,
        names=_Texts.joined(names[number] for number in ordered),
        imported=_Texts.joined(imported),
        paths=list(ranked.paths),
        contents=contents,
        weights=_bytes(weights),
        rows={name: column.rows() for name, column in row.items()},
        rank=_bytes(array("d", ranked.rank)),
        best=(
            _bytes(array("d", [score for score, _, _ in ranked.best])),
            _bytes(array("I", [at for _, at, _ in ranked.best])),
            _bytes(array("I", [index for _, _, index in ranked.best])),
        ),
        definers=_by_name(len(ordered), definers),
        public=_by_name(len(ordered), public),
    )


def _by_name(count: int, pairs: list[int]) -> _Rows:
    """Group files by the number of a name, given pairs with the name in the upper half."""
    lengths = Counter(pair >> 32 for pair in pairs)
    ends = array("I", accumulate(map(lengths.__getitem__, range(count)), initial=0))
    numbers = array("I", [pair & 0xFFFFFFFF for pair in sorted(pairs)])
    return _Rows("I", _bytes(ends), _bytes(numbers))


def _numbers(kind: str, data: memoryview) -> memoryview:
    return cast(memoryview, cast(Any, data).cast(kind))


def _bytes(numbers: array[Any]) -> memoryview:
    return memoryview(numbers).cast("B")


def pack_graph(graph: GraphColumns) -> bytes:
    return msgspec.msgpack.encode(graph)


def unpack_graph(data: bytes | memoryview) -> GraphColumns | None:
    """Return the graph; None if the bytes are damaged or have another version."""
    try:
        graph = _decoder.decode(data)
        return graph if graph.recipe == RECIPES else None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def open_graph(graph: GraphColumns) -> tuple[Links, Ranked]:
    """Restore the graph from its columns. Raises `ValueError` and similar errors if they contradict each other."""
    names, imported = Names(graph.names.opened()), graph.imported.opened()
    paths, languages = list(map(sys.intern, graph.paths)), [sys.intern(language) for _, language in graph.contents]
    weights = graph.weights.cast("d")
    row = {name: column.opened() for name, column in graph.rows.items()}

    def node(at: int) -> Node:
        language, inner, defined = languages[at], row["imports"][at], row["defined"][at]
        return Node(
            path=paths[at],
            number=at,
            weight=weights[at],
            language=language,
            family=family(language),
            imports=LazySequence(len(inner), lambda number: imported[inner[number]]),
            names=LazySequence(len(defined), lambda number: names[defined[number]]),
            lines=row["lines"][at],
            owners=row["owners"][at],
            flags=row["flags"][at],
            defined=defined,
            used=row["used"][at],
            times=row["times"][at],
        )

    def out(at: int) -> FileLinks:
        return FileLinks(*(row[name][at] for name in ("files", "shares", "targets", "by", "parts")))

    def definers(rows: _Rows) -> Definers:
        numbers = rows.opened()
        return Definers(LazySequence(len(numbers), lambda at: tuple([paths[number] for number in numbers[at]])))

    count = len(paths)
    nodes, outs = LazySequence(count, lru_cache(NODES_KEPT)(node)), LazySequence(count, out)
    rank = graph.rank.cast("d")
    scores, at, index = (_numbers(kind, part) for kind, part in zip("dII", graph.best, strict=True))
    numbers = dict(zip(paths, range(count), strict=True))
    by_name = definers(graph.definers), definers(graph.public)
    state = LinksState(names, numbers, languages, nodes, outs, imported, *by_name)
    ranked = Ranked(
        paths=paths,
        numbers=numbers,
        edges=LazySequence(count, lambda at: (row["files"][at], row["shares"][at])),
        rank=rank,
        order=falling(rank),
        symbols=row["scores"],
        best=list(zip(scores, at, index, strict=True)),
        nodes=nodes,
        out=outs,
        place=range(count),
    )
    return Links(state), ranked
