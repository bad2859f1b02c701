"""Who refers to whom: links from each file to the files it imports and to the definitions of the names its code uses.

A name stands for definitions in languages that can refer to each other: those in files that the file imports, if any,
else all of them, each with its share; a name defined in more than MAX_DEFINERS files is ignored without an import.
Definitions that are not public are visible to files of the same folder and to those that import them, and a name
imported from another project means nothing here. Files and names are numbered in order of arrival; callers that need a
stable order sort by path.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from sidecar.files.graph.definitions import distinctiveness
from sidecar.files.graph.imported import Imported
from sidecar.files.graph.node import (
    KINDS,
    PACKAGED,
    FileLinks,
    Node,
    family,
    folder_of,
    linked,
    near_package,
    package_of,
    uses_any,
    weight_of,
)
from sidecar.files.graph.shelf import Definers, Names, Shelf
from sidecar.files.scan.record import Scan
from sidecar.runtime.made_once import made_once

MAX_DEFINERS: Final = 12
IMPORT_WEIGHT: Final = 1.0
MAX_TARGETS: Final = 48
"""Maximum number of files that one file links to, the strongest; a file that uses more uses each of them little."""

MAX_MOVED: Final = 100
"""Maximum number of files added or removed between two rounds of linking; each requires a look at all imports."""

APART: Final = 0.1
"""Weight of a use whose definition is in a package that the file neither imports nor belongs to."""


class Links:
    """Nodes by path and the links between them. Not thread-safe: the owner holds a lock."""

    def __init__(self) -> None:
        self.nodes: Shelf[Node] = Shelf()
        self.paths: list[str] = []  # by file number, including removed files
        self.names = Names()
        self._files: dict[str, int] = {}
        self._definers = Definers()
        self._public = Definers()
        self._imported = Imported(self.nodes.entries)
        self._made: Shelf[FileLinks] = Shelf()
        self._pending: dict[str, None] = {}  # files whose links are to be made, in order of discovery
        self._redefined: set[int] = set()  # names whose definers have changed since links were last made
        self._moved: set[str] = set()  # paths added or removed since then
        self._restored: tuple[Sequence[str], Sequence[str]] = ((), ())  # paths and their languages

    @classmethod
    def restored(
        cls,
        names: Names,
        paths: list[str],
        languages: list[str],
        nodes: Sequence[Node],
        outs: Sequence[FileLinks],
        imports: Sequence[str],
        definers: Definers,
        public: Definers,
    ) -> Links:
        """Restore files that were linked before, numbered in path order; `imports` are those of all files."""
        links = cls()
        links.names = names
        links.paths = paths
        links._restored = (paths[:], languages)
        links._files = {path: number for number, path in enumerate(paths)}
        links.nodes, links._made = Shelf(nodes, paths), Shelf(outs, paths)
        links._definers, links._public = definers, public
        links._imported = Imported(links.nodes.entries, imports)
        return links

    @made_once
    def _packages(self) -> dict[str, set[str]]:
        packages: dict[str, set[str]] = defaultdict(set)
        for path, language in zip(*self._restored, strict=True):
            if language in PACKAGED:
                packages[package_of(path)].add(path)
        return packages

    @made_once
    def _folders(self) -> dict[str, set[str]]:
        folders: dict[str, set[str]] = defaultdict(set)
        for path in self.nodes:
            folders[folder_of(path)].add(path)
        return folders

    def put(self, path: str, scan: Scan) -> None:
        before = self.nodes.get(path)
        defined = self.names.add(scan.names)
        pairs = sorted(zip(self.names.add(scan.used), scan.times, strict=True))
        node = Node(
            path,
            self._file(path),
            weight_of(path, scan.language),
            scan.language,
            family(scan.language),
            scan.imports,
            tuple(map(self.names.__getitem__, defined)),
            array("I", scan.lines),
            array("i", scan.owners),
            scan.flags,
            array("I", defined),
            array("I", [number for number, _ in pairs]),
            bytes([times for _, times in pairs]),
        )
        self.nodes[path] = node
        self._pending[path] = None
        old, new = linked(before), linked(node)
        if before is not None:
            self._leave(before, old - new)
        self._enter(node, new - old)
        self._made.pop(path, None)
        self._redefined.update(number for number, _ in old ^ new)
        if before is None:
            self._came_or_went(path, came=True)

    def remove(self, path: str) -> None:
        node = self.nodes.pop(path, None)
        if node is None:
            return
        self._made.pop(path, None)
        self._pending.pop(path, None)
        gone = linked(node)
        self._leave(node, gone)
        self._packages[package_of(path)].discard(path)
        self._redefined.update(number for number, _ in gone)
        self._came_or_went(path, came=False)

    def all(self) -> tuple[Sequence[Node], Sequence[FileLinks]]:
        """Return all files and their links, up to date, by ascending path."""
        self._drop_outdated()
        for path in self._pending:
            self._made[path] = self.links_of(self.nodes[path])
        self._pending.clear()
        paths = sorted(self.nodes)
        return self.nodes.as_of_now(paths), self._made.as_of_now(paths)

    def definers(self, name: str) -> list[str]:
        number = self.names.number(name)
        return sorted(self._definers.get(number)) if number is not None else []

    def _enter(self, node: Node, linked: Iterable[tuple[int, bool]]) -> None:
        for number, public in linked:
            self._definers.add(number, node.path)
            if public:
                self._public.add(number, node.path)
        if node.language in PACKAGED:
            self._packages[package_of(node.path)].add(node.path)

    def _leave(self, node: Node, linked: Iterable[tuple[int, bool]]) -> None:
        for number, _ in linked:
            self._definers.remove(number, node.path)
            self._public.remove(number, node.path)

    def _file(self, path: str) -> int:
        number = self._files.get(path)
        if number is None:
            number = self._files[path] = len(self.paths)
            self.paths.append(path)
        return number

    def _drop_outdated(self) -> None:
        """Drop the links that depend on what has changed since links were last made.

        If many files were added or removed, make all links anew.
        """
        moved, names = self._moved, self._redefined
        self._moved, self._redefined = set(), set()
        if not self._made:
            return
        if len(moved) > MAX_MOVED:
            self._imported.forget()
            self._drop(list(self._made))
            return
        if moved:
            stale = self._imported.stale(moved)
            self._drop([other for other in self._made if not stale.isdisjoint(self.nodes[other].imports)])
            for package in {package_of(path) for path in moved} & self._packages.keys():
                last = package.rpartition("/")[2]
                self._drop([other for other in self._made if near_package(self.nodes[other], package, last)])
        if names:
            self._drop([other for other in self._made if uses_any(self.nodes[other], names)])

    def _imports(self, node: Node) -> dict[str, float]:
        """Return the files that a file imports, with their shares; importing a whole package means all of its files."""
        weights: dict[str, float] = {}
        if node.language != "go":
            weights = dict.fromkeys(self._imported.targets(node.path, node.language, node.imports), 1.0)
        if node.language in PACKAGED:
            for name in node.imports:
                files = self._whole(name, node.language)
                sources = [path for path in files if self.nodes[path].weight == KINDS["source"]] or files
                for path in sources:
                    if path != node.path:
                        weights.setdefault(path, 1.0 / len(sources))
        return weights

    def _whole(self, name: str, language: str) -> Collection[str]:
        if language != "go":
            return self._packages.get("/" + name[:-2].replace(".", "/"), ()) if name.endswith(".*") else ()
        parts = name.split("/")
        for start in range(1, len(parts)):
            files = self._packages.get("/".join(parts[start:]))
            if files:
                return files
        return ()

    def _came_or_went(self, path: str, *, came: bool) -> None:
        self._imported.count_path(path, came=came)
        self.__dict__.pop("_folders", None)
        self._moved.add(path)

    def _drop(self, paths: Iterable[str]) -> None:
        for path in paths:
            del self._made[path]
            self._pending[path] = None

    def links_of(self, node: Node) -> FileLinks:
        defined = set(node.defined)
        nodes, folder = self.nodes, self._folders[folder_of(node.path)]
        imports = self._imports(node)
        imported = frozenset(imports)
        within = self._packages[package_of(node.path)] if node.language in PACKAGED else None
        foreign = self._imported.foreign_names(node.path, node.language, node.imports)
        defined.update(number for name in foreign if (number := self.names.number(name)) is not None)
        uses: list[tuple[str, int, float]] = []
        weights: dict[str, list[float]] = {
            path: [IMPORT_WEIGHT * nodes[path].weight * share] for path, share in imports.items()
        }
        for number, times in zip(node.used, node.times, strict=True):
            definers = self._definers.get(number)
            if not definers or number in defined:
                continue
            nearness = 2.0
            meant: Collection[str] = _among(definers, imported)
            if not meant and within is not None:
                meant = _among(definers, within)
            if not meant:
                public = self._public.get(number)
                meant = set(public) if len(public) <= MAX_DEFINERS else public
                if len(definers) > len(public):
                    near = _among(definers, folder)
                    meant = near.union(public) if near else meant
                if len(meant) > MAX_DEFINERS:
                    continue
                nearness = APART if within is not None else 1.0
            meant = {path for path in meant if nodes[path].family == node.family}
            if not meant:
                continue
            share = nearness * distinctiveness(self.names[number]) * math.sqrt(times) / len(meant)
            for path in meant:
                amount = share * nodes[path].weight
                uses.append((path, number, amount))
                weights.setdefault(path, []).append(amount)
        # fsum is exact, so the result does not depend on the order in which names arrived.
        sums = {path: math.fsum(amounts) for path, amounts in weights.items()}
        strongest = sorted(sums, key=lambda path: (-sums[path], path))[:MAX_TARGETS]
        chosen = frozenset(strongest)
        total = math.fsum(sums[path] for path in strongest)
        uses = [use for use in uses if use[0] in chosen]
        return FileLinks(
            array("I", [nodes[path].number for path in strongest]),
            array("d", [sums[path] / total for path in strongest]),
            array("I", [nodes[path].number for path, _, _ in uses]),
            array("I", [name for _, name, _ in uses]),
            array("d", [amount / total for _, _, amount in uses]),
        )


def _among(definers: Collection[str], wanted: frozenset[str] | set[str]) -> set[str]:
    if isinstance(definers, set):
        return definers & wanted
    return {path for path in definers if path in wanted}
