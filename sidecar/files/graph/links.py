"""Who refers to whom: from each file to the definitions, in other files, of the names that its code uses.

A name that several files define stands for those that the file imports, when it imports any of them, else for all of
them, each with its share; a name that more than MAX_DEFINERS files define tells nothing without an import. An import
is a link of its own. Numbers of files and names are given as they come; whoever needs an order sorts by path.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from sidecar.files.graph.definitions import telling
from sidecar.files.graph.imported import Imported
from sidecar.files.retrieval.kinds import kind_of
from sidecar.files.scan.record import Scan

MAX_DEFINERS: Final = 12
IMPORT_WEIGHT: Final = 1.0
MAX_TARGETS: Final = 48
"""Files that one file is linked to, the strongest; a file that uses more uses each of them little."""

KINDS: Final = {"source": 1.0, "test": 0.3, "docs": 0.2, "other": 0.3}
"""What files of each kind count: a map is of the program, and nobody refers to a test."""


class Node(NamedTuple):
    """One file: what it defines (names, lines and flags as in its scan), and the names its code uses, by number."""

    path: str
    number: int
    weight: float
    language: str
    imports: tuple[str, ...]
    names: tuple[str, ...]
    lines: tuple[int, ...]
    flags: bytes
    defined: array[int]  # the numbers of `names`
    used: array[int]  # ascending
    times: bytes


class Out(NamedTuple):
    """The links of one file. Shares are of all its links: those in `shares` add up to 1, one for each of `files`.

    `targets`, `names` and `parts` tell the same use by use: which file, by which name, what share.
    """

    files: array[int]
    shares: array[float]
    targets: array[int]
    names: array[int]
    parts: array[float]


class Links:
    """Nodes by path and the links between them. Not safe between threads: the owner holds a lock."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.paths: list[str] = []  # by number of the file, also of those that are gone
        self.names: list[str] = []  # by number of the name
        self._files: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        self._telling: list[float] = []
        self._definers: dict[int, set[str]] = defaultdict(set)
        self._imported = Imported(self.nodes)
        self._made: dict[str, Out] = {}  # absent: to be made

    @classmethod
    def of(cls, names: list[str], nodes: Sequence[Node], outs: Sequence[Out]) -> Links:
        """Files that were linked before, numbered in the order of their paths."""
        links = cls()
        links.names = names
        links._numbers = {name: number for number, name in enumerate(names)}
        links._telling = [-1.0] * len(names)
        links.paths = [node.path for node in nodes]
        links._files = {node.path: node.number for node in nodes}
        links.nodes.update((node.path, node) for node in nodes)
        definers = links._definers
        for node in nodes:
            for number in node.defined:
                definers[number].add(node.path)
        links._imported = Imported(links.nodes)
        links._made = {node.path: out for node, out in zip(nodes, outs, strict=True)}
        return links

    def put(self, path: str, scan: Scan) -> None:
        """What stands at a path now."""
        before = self.nodes.get(path)
        pairs = sorted(zip(self._numbered(scan.used), scan.times, strict=True))
        node = Node(
            path,
            self._file(path),
            KINDS[kind_of(path, scan.language)],
            scan.language,
            scan.imports,
            scan.names,
            scan.lines,
            scan.flags,
            array("I", self._numbered(scan.names)),
            array("I", [number for number, _ in pairs]),
            bytes([times for _, times in pairs]),
        )
        self.nodes[path] = node
        old, new = _linked(before), _linked(node)
        for number in old - new:
            self._definers[number].discard(path)
        for number in new - old:
            self._definers[number].add(path)
        self._made.pop(path, None)
        self._changed(old ^ new)
        if before is None:
            self._came_or_went(path, came=True)

    def remove(self, path: str) -> None:
        """Forget a path."""
        node = self.nodes.pop(path, None)
        if node is None:
            return
        self._made.pop(path, None)
        names = _linked(node)
        for number in names:
            self._definers[number].discard(path)
        self._changed(names)
        self._came_or_went(path, came=False)

    def pending(self) -> list[str]:
        """Paths whose links are to be made, ascending."""
        return sorted(self.nodes.keys() - self._made.keys())

    def make(self, paths: Iterable[str]) -> None:
        """Make the links of these paths."""
        for path in paths:
            self._made[path] = self._out(self.nodes[path])

    def all(self) -> list[tuple[Node, Out]]:
        """Every file with its links, made where something they depend on has changed; paths ascending."""
        self.make(self.pending())
        return [(self.nodes[path], self._made[path]) for path in sorted(self.nodes)]

    def definers(self, name: str) -> list[str]:
        """The files that define a name, ascending."""
        number = self._numbers.get(name)
        return sorted(self._definers.get(number, ())) if number is not None else []

    def _file(self, path: str) -> int:
        number = self._files.get(path)
        if number is None:
            number = self._files[path] = len(self.paths)
            self.paths.append(path)
        return number

    def _numbered(self, names: Sequence[str]) -> list[int]:
        """The numbers of names, given out where they have none."""
        numbers = self._numbers
        for name in names:
            if name not in numbers:
                numbers[name] = len(self.names)
                self.names.append(name)
                self._telling.append(-1.0)
        return [numbers[name] for name in names]

    def _told(self, number: int) -> float:
        """How much a name tells, found when first asked for: most names are defined nowhere here."""
        known = self._telling[number]
        if known < 0:
            known = self._telling[number] = telling(self.names[number])
        return known

    def _changed(self, names: Iterable[int]) -> None:
        """Drop the links that depend on who defines these names."""
        if self._made:
            for number in names:
                for other in [other for other in self._made if _uses(self.nodes[other], number)]:
                    del self._made[other]

    def _came_or_went(self, path: str, *, came: bool) -> None:
        """Drop the links of files that may import `path`, now that it is there or is no more."""
        for name in self._imported.came_or_went(path, came=came):
            for other in [other for other in self._made if name in self.nodes[other].imports]:
                del self._made[other]

    def _out(self, node: Node) -> Out:
        own = _linked(node)
        imports = self._imported.by(node.path, node.language, node.imports)
        imported = frozenset(imports)
        nodes = self.nodes
        uses: list[tuple[str, int, float]] = []
        weights: dict[str, list[float]] = {path: [IMPORT_WEIGHT * nodes[path].weight] for path in imports}
        for number, times in zip(node.used, node.times, strict=True):
            definers = self._definers.get(number)
            if not definers or number in own:
                continue
            meant = definers & imported
            if not meant:
                if len(definers) > MAX_DEFINERS:
                    continue
                meant = definers
            share = self._told(number) * math.sqrt(times) / len(meant)
            if meant is not definers:
                share *= 2.0
            for path in meant:
                amount = share * nodes[path].weight
                uses.append((path, number, amount))
                weights.setdefault(path, []).append(amount)
        # fsum is exact, so the order in which names came does not show.
        sums = {path: math.fsum(amounts) for path, amounts in weights.items()}
        strongest = sorted(sums, key=lambda path: (-sums[path], path))[:MAX_TARGETS]
        kept = frozenset(strongest)
        whole = math.fsum(sums[path] for path in strongest)
        uses = [use for use in uses if use[0] in kept]
        return Out(
            array("I", [nodes[path].number for path in strongest]),
            array("d", [sums[path] / whole for path in strongest]),
            array("I", [nodes[path].number for path, _, _ in uses]),
            array("I", [name for _, name, _ in uses]),
            array("d", [amount / whole for _, _, amount in uses]),
        )


def _linked(node: Node | None) -> set[int]:
    return set(node.defined) if node is not None else set()


def _uses(node: Node, number: int) -> bool:
    at = bisect_left(node.used, number)
    return at < len(node.used) and node.used[at] == number
