"""One file of the graph, its links, and the files that can refer to its definitions."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from sidecar.files.kinds import kind_of
from sidecar.files.scan.record import PUBLIC

PACKAGED: Final = frozenset({"go", "java", "kotlin", "scala", "groovy"})  # use by import
JVM_ROOT: Final = re.compile(r"(?:.*/)?src/\w+/(?:java|kotlin|scala|groovy)/")

_FAMILIES: Final = {
    language: group.split()[0]
    for group in (
        "javascript jsx typescript tsx vue svelte astro",
        "java kotlin scala groovy",
        "c cpp objc",
        "python cython notebook",
        "ruby erb",
        "csharp razor",
        "css scss sass less",
    )
    for language in group.split()
}

FEW_NAMES: Final = 8  # up to this many names of a file are looked up one by one among those that another file uses
KINDS: Final = {"source": 1.0, "test": 0.3, "docs": 0.2, "other": 0.3}  # weights: nothing refers to a test


class Node(NamedTuple):
    """One file: the definitions that its scan found, and the numbers of the names that its code uses."""

    path: str
    number: int
    weight: float
    language: str
    family: str
    imports: Sequence[str]
    names: Sequence[str]
    lines: Sequence[int]
    owners: Sequence[int]
    flags: Sequence[int]
    defined: Sequence[int]  # indices into `names`
    used: Sequence[int]
    times: Sequence[int]


class FileLinks(NamedTuple):
    """The links of one file."""

    files: Sequence[int]
    shares: Sequence[float]  # of each of `files`, in sum 1
    targets: Sequence[int]  # for each use of a name, the file that defines it
    names: Sequence[int]  # for each use, the name
    parts: Sequence[float]  # for each use, its share; in sum 1 together with those of imports


VENDORED_WEIGHT: Final = 0.05  # weight of a file copied from another project
_VENDORED: Final = re.compile(
    r"(?:deps|extern|external|externals)/|(?:.*/)?(?:vendor|vendored|_vendor|third[_-]?party|3rdparty|bower_components"
    r"|site-packages|Pods|Carthage)/",
    re.IGNORECASE,
)


def weight_of(path: str, language: str) -> float:
    return VENDORED_WEIGHT if _is_vendored(folder_of(path)) else KINDS[kind_of(path, language)]


@lru_cache(maxsize=20_000)
def _is_vendored(folder: str) -> bool:
    return _VENDORED.match(f"{folder}/") is not None


def family(language: str) -> str:
    """Return one name for the languages whose files can use each other's definitions."""
    return _FAMILIES.get(language, language)


def package_of(path: str) -> str:
    """Return the package of a file: its folder, relative to the package root if there is one."""
    folder = folder_of(path)
    root = JVM_ROOT.match(folder + "/")
    return "/" + folder[root.end() :] if root is not None else folder


def folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def linked(node: Node | None) -> set[tuple[int, bool]]:
    """Return the number of each defined name, and whether this file has a public definition of it."""
    if node is None:
        return set()
    public = {number for number, flag in zip(node.defined, node.flags, strict=True) if flag & PUBLIC}
    return {(number, number in public) for number in node.defined}


def near_package(node: Node, package: str, last: str) -> bool:
    """Return whether a file belongs to a package or may import the whole package."""
    if node.language not in PACKAGED:
        return False
    return package_of(node.path) == package or any(name.removesuffix(".*").endswith(last) for name in node.imports)


def uses_any(node: Node, numbers: Collection[int]) -> bool:
    used = node.used
    if len(numbers) > FEW_NAMES:
        return any(number in numbers for number in used)
    places = ((bisect_left(used, number), number) for number in numbers)
    return any(at < len(used) and used[at] == number for at, number in places)
