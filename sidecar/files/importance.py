"""The order in which files are read: those likely to be asked about come first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import nsmallest
from itertools import islice
from typing import Final

from sidecar.checkout.git import git_output
from sidecar.checkout.tree import Tree
from sidecar.files.graph.node import KINDS, weight_of
from sidecar.files.language import language_of

# A file that is newer than the median one by this much was edited or pulled since the checkout.
LATELY_NS: Final = 60_000_000_000
# This many files are read before the rest is searched for.
FILES_READ_FIRST: Final = 480


def tracked_first(tree: Tree) -> list[str]:
    """Return the most important files in git's index, faster than any walk; empty if the index has few files."""
    names = (git_output(tree.root, ["ls-files", "-z", "--", "."]) or b"").split(b"\0")[:-1]
    if len(names) < 4 * FILES_READ_FIRST:
        return []
    paths = [name.decode("utf-8", "replace") for name in names]
    return [path for path in most_important(paths, 2 * FILES_READ_FIRST) if tree.walk_includes(path)][:FILES_READ_FIRST]


def most_important(paths: Iterable[str], count: int) -> list[str]:
    """Return the `count` most important of many paths, in order, without ranking every path."""
    shallow_first = sorted(paths, key=lambda path: (path.count("/"), path))
    source = list(islice((path for path in shallow_first if importance(path)[0] == -KINDS["source"]), count))
    return source if len(source) == count else nsmallest(count, shallow_first, importance)


def importance(path: str) -> tuple[float, int, str]:
    """Return a sort key: source comes before tests and vendored code, shallow paths before deep ones."""
    return -weight_of(path, language_of(path)), path.count("/"), path


def in_order(times: Mapping[str, int]) -> list[str]:
    """Return the paths of files, given with their times: recently changed ones first, then by importance."""
    if not times:
        return []
    from statistics import median  # loads what a restart without unread files does not need

    since = median(times.values()) + LATELY_NS
    return sorted(times, key=lambda path: (times[path] <= since, importance(path)))
