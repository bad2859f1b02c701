"""Links from each file to the files that it imports and to those that define the names in its code.

A used name means its definitions in imported files, if there are any; else those in all files of related languages,
each with a share. A name is ignored if it is imported from another project, or if more than MAX_DEFINERS files define
it and none of them is imported. A definition that is not public is visible to its folder and to files that import it.

Files and names are numbered in order of arrival; callers that need a stable order sort by path.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

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

_WORDS: Final = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Z]{2}[a-z]")
MAX_DEFINERS: Final = 12
IMPORT_WEIGHT: Final = 1.0
MAX_TARGETS: Final = 48  # maximum number of files that one file links to: those with the strongest links
MAX_MOVED: Final = 100  # after more files were added or removed since the last linking, all links are made anew
UNIMPORTED_WEIGHT: Final = 0.1  # weight of a use of another package that the file does not import


@dataclass(frozen=True)
class LinksState:
    """Files that an earlier process linked, numbered in path order. `imports` are the imports of all of them."""

    names: Names = field(default_factory=Names)
    numbers: dict[str, int] = field(default_factory=dict)  # by path
    languages: Sequence[str] = ()
    nodes: Sequence[Node] = ()
    outs: Sequence[FileLinks] = ()
    imports: Sequence[str] = ()
    definers: Definers = field(default_factory=Definers)
    public: Definers = field(default_factory=Definers)


class Links:
    """Nodes by path and the links between them. Not thread-safe: guarded by the owner's lock."""

    def __init__(self, state: LinksState | None = None) -> None:
        state = state or LinksState()
        self.names = state.names
        self.nodes: Shelf[Node] = Shelf(state.nodes, state.numbers)
        self._made: Shelf[FileLinks] = Shelf(state.outs, state.numbers)
        self._files = state.numbers.copy()
        self._definers, self._public = state.definers, state.public
        self._imported = Imported(self.nodes.entries, state.imports)
        self._restored = list(state.numbers), state.languages
        self._pending: dict[str, None] = {}  # files whose links are to be made, in order of discovery
        self._redefined: set[int] = set()  # names whose definers have changed since links were last made
        self._moved: set[str] = set()  # paths added or removed since then

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
            self._files.setdefault(path, len(self._files)),
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
            self._note_path_change(path)

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
        self._note_path_change(path)

    def all(self) -> tuple[Sequence[Node], Sequence[FileLinks]]:
        """Return all files and their links, brought up to date, by ascending path."""
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

    def _drop_outdated(self) -> None:
        """Drop the links that depend on files or names changed since links were last made."""
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
        """Return the imported files with their shares. The files of an imported package share one import."""
        weights: dict[str, float] = {}
        if node.language != "go":
            weights = dict.fromkeys(self._imported.targets(node.path, node.language, node.imports), 1.0)
        if node.language in PACKAGED:
            for name in node.imports:
                files = self._package_files(name, node.language)
                sources = [path for path in files if self.nodes[path].weight == KINDS["source"]] or files
                for path in sources:
                    if path != node.path:
                        weights.setdefault(path, 1.0 / len(sources))
        return weights

    def _package_files(self, name: str, language: str) -> Collection[str]:
        if language != "go":
            return self._packages.get("/" + name[:-2].replace(".", "/"), ()) if name.endswith(".*") else ()
        parts = name.split("/")
        for start in range(1, len(parts)):
            files = self._packages.get("/".join(parts[start:]))
            if files:
                return files
        return ()

    def _note_path_change(self, path: str) -> None:
        vars(self).pop("_folders", None)  # the next access creates it anew
        self._moved.add(path)

    def _drop(self, paths: Iterable[str]) -> None:
        for path in paths:
            del self._made[path]
            self._pending[path] = None

    def links_of(self, node: Node) -> FileLinks:
        imports = self._imports(node)
        imported = frozenset(imports)
        package = self._packages[package_of(node.path)] if node.language in PACKAGED else None
        foreign = self._imported.foreign_names(node.path, node.language, node.imports)
        ignored = {*node.defined, *(number for name in foreign if (number := self.names.number(name)) is not None)}
        uses: list[tuple[str, int, float]] = []
        weights: dict[str, list[float]] = {
            path: [IMPORT_WEIGHT * self.nodes[path].weight * share] for path, share in imports.items()
        }
        definers_of, nodes = self._definers.get, self.nodes
        for number, times in zip(node.used, node.times, strict=True):
            definers = definers_of(number)  # most names have none
            if not definers or number in ignored:
                continue
            candidates, nearness = self._candidates(number, definers, node, imported, package)
            targets = [target for path in candidates if (target := nodes[path]).family == node.family]
            if not targets:
                continue
            share = nearness * distinctiveness(self.names[number]) * math.sqrt(times) / len(targets)
            for target in targets:
                amount = share * target.weight
                uses.append((target.path, number, amount))
                weights.setdefault(target.path, []).append(amount)
        return self._strongest(weights, uses)

    def _candidates(
        self, number: int, definers: Collection[str], node: Node, imported: frozenset[str], package: set[str] | None
    ) -> tuple[Collection[str], float]:
        """Return the files whose definition a used name may mean, and the weight of such a use."""
        near = _common(definers, imported) or (_common(definers, package) if package is not None else set())
        if near:
            return near, 2.0
        public = self._public.get(number)
        beside = _common(definers, self._folders[folder_of(node.path)]) if len(definers) > len(public) else set()
        if not beside and len(public) > MAX_DEFINERS:
            return (), 0.0
        candidates = beside.union(public)
        return candidates if len(candidates) <= MAX_DEFINERS else (), UNIMPORTED_WEIGHT if package is not None else 1.0

    def _strongest(self, weights: dict[str, list[float]], uses: list[tuple[str, int, float]]) -> FileLinks:
        """Return links to the MAX_TARGETS files with the largest weights."""
        # fsum is exact, so the result does not depend on the order in which names arrived.
        sums = {path: math.fsum(amounts) for path, amounts in weights.items()}
        strongest = sorted(sums, key=lambda path: (-sums[path], path))[:MAX_TARGETS]
        numbers = {path: self.nodes[path].number for path in strongest}
        total = math.fsum(sums[path] for path in strongest)
        uses = [use for use in uses if use[0] in numbers]
        return FileLinks(
            array("I", numbers.values()),
            array("d", [sums[path] / total for path in strongest]),
            array("I", [numbers[path] for path, _, _ in uses]),
            array("I", [name for _, name, _ in uses]),
            array("d", [amount / total for _, _, amount in uses]),
        )


@lru_cache(maxsize=65_536)
def distinctiveness(name: str) -> float:
    """Return how surely a use of a name means its definition: surely for several words, hardly for a short name."""
    if name.startswith("_"):
        return 0.1
    if _WORDS.search(name) and len(name) >= 6:
        return 1.0
    return 0.5 if len(name) >= 6 or name[0].isupper() else 0.2


def _common(definers: Collection[str], wanted: frozenset[str] | set[str]) -> set[str]:
    if isinstance(definers, set):
        return definers & wanted
    return {path for path in definers if path in wanted}
