"""What is not yet known: files that changed unobserved, and contents missing from the store."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from sidecar.checkout.ignore import Verdicts
from sidecar.checkout.snapshot import mark
from sidecar.checkout.tree import FileBytes, Tree
from sidecar.files.outline import RECIPE
from sidecar.files.pointers import Key, Pointers
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace
from sidecar.store.file_store import FileStore

LOOKED_UP_AT_ONCE: Final = 500
"""Contents looked up in the store together, which takes a few milliseconds."""

READ_AT_ONCE: Final = 64
"""Files read with one snapshot of the ignore rules, which takes some milliseconds."""


class UnreadPaths:
    """Paths of files whose present content is unread: the known ones, or all of them once `surveyed`. Thread-safe."""

    def __init__(self) -> None:
        self.surveyed = False
        self._paths: set[str] = set()
        self._lock = threading.Lock()
        self.version = 0  # grows when paths are added

    def add(self, paths: Iterable[str]) -> None:
        with self._lock:
            before = len(self._paths)
            self._paths.update(paths)
            self.version += len(self._paths) > before

    def discard(self, paths: Iterable[str]) -> None:
        with self._lock:
            self._paths.difference_update(paths)

    def paths(self) -> set[str]:
        with self._lock:
            return set(self._paths)


def unread(
    tree: Tree,
    files: Mapping[str, int],
    pointers: Pointers,
    store: FileStore | None,
    indexed: Mapping[str, Key],
    check: Callable[[], None],
) -> tuple[list[str], list[str]]:
    """Return files whose content, judging by size and time, is unknown, important ones first, and vanished files.

    A content is known if it is `indexed` at its path, or in the store.
    """
    paths: list[str] = []
    same: dict[Key, list[str]] = defaultdict(list)
    known = pointers.all()
    for path, seen in files.items():
        pointer = known.get(path)
        if pointer is None or mark(pointer.size, pointer.mtime_ns) != seen:
            paths.append(path)
        elif pointer.hash and indexed.get(path) != (key := (pointer.hash, pointer.language)):
            same[key].append(path)  # without a hash, it was looked at before and has no briefing
    if store is not None:
        paths += [path for content in missing_contents(store, same, check) for path in same[content]]
    from sidecar.files.importance import in_order  # loads the graph, which no hook needs

    return in_order(tree, paths), sorted(path for path, pointer in known.items() if pointer.hash and path not in files)


def missing_contents(store: FileStore, contents: Collection[Key], check: Callable[[], None]) -> Iterator[Key]:
    """Yield the contents that the store does not know. `check` is called often and may raise.

    Raises `StoreUnavailable` and similar errors.
    """
    rest = iter(contents)
    while some := list(islice(rest, LOOKED_UP_AT_ONCE)):
        check()
        known = store.known((*content, RECIPE) for content in some)
        yield from (content for content in some if (*content, RECIPE) not in known)


def read_each(tree: Tree, paths: Sequence[str]) -> Iterator[tuple[str, FileBytes | None]]:
    """Yield every path with what was read there; None if nothing is worth remembering."""
    for at, path in enumerate(paths):
        if not at % READ_AT_ONCE:
            verdicts = Verdicts(tree.ignores)
        try:
            yield path, tree.read(path, verdicts)
        except (FileUnavailable, OutsideWorkspace):
            yield path, None
