"""The order in which files are read: first those likely to be asked about."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest
from statistics import median
from typing import Final

from sidecar.checkout.git import git_output
from sidecar.checkout.tree import FileStat, Tree
from sidecar.files.graph.node import weight_of
from sidecar.files.language import language_of

LATELY_NS: Final = 60_000_000_000
"""Time after the median file's by which a file counts as edited or pulled since the checkout."""

FIRST: Final = 480
"""Files that are read before the rest is looked for."""


def tracked_first(tree: Tree) -> list[str]:
    """Return the most important files in git's index, faster than any walk; none if it has few."""
    names = (git_output(tree.root, ["ls-files", "-z", "--", "."]) or b"").split(b"\0")[:-1]
    if len(names) < 4 * FIRST:
        return []
    paths = (name.decode("utf-8", "replace") for name in names)
    return [path for path in nsmallest(2 * FIRST, paths, importance) if tree.worth(path)][:FIRST]


def importance(path: str) -> tuple[float, int, str]:
    """Sort key: source before tests and vendored code, shallow before deep."""
    return -weight_of(path, language_of(path)), path.count("/"), path


def in_order(stats: Iterable[FileStat]) -> list[str]:
    """Return the paths, lately changed ones first, then by importance."""
    found = list(stats)
    since = median(stat.mtime_ns for stat in found) + LATELY_NS if found else 0
    return [stat.path for stat in sorted(found, key=lambda stat: (stat.mtime_ns <= since, importance(stat.path)))]
