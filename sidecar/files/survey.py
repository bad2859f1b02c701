"""The files of a checkout whose present content is unread, found by their sizes and times.

The index (`index/catching_up.py`) and the warm-up read them.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

from sidecar.checkout.ignore import IgnoreReasons
from sidecar.checkout.snapshot import FolderSnapshot
from sidecar.checkout.tree import FileBytes, Tree
from sidecar.checkout.walk import size_and_time
from sidecar.files.outline import RECIPE
from sidecar.files.pointers import Key, Pointers
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace, StoreUnavailable
from sidecar.runtime.event import Event
from sidecar.store.file_store import FileStore

# This many contents are looked up in the store together, which takes a few milliseconds.
LOOKED_UP_AT_ONCE: Final = 500
# This many files are read with one snapshot of the ignore rules, which takes some milliseconds.
READ_AT_ONCE: Final = 64


class Survey:
    """The unread files of one checkout. Thread-safe.

    Until it is `complete`, only files reported as changed are among them. Contents that are indexed count as read.
    """

    def __init__(
        self,
        tree: Tree,
        store: FileStore | None,
        pointers: Pointers,
        indexed: Mapping[str, Key],
        snapshot: FolderSnapshot,
    ) -> None:
        self._tree = tree
        self._store = store
        self._pointers = pointers
        self._indexed = indexed
        self._snapshot = snapshot
        self.vanished: Event[[Sequence[str]]] = Event()
        """Announces files that a search did not find any more, while it holds the lock of searches."""
        self.complete = False
        self.version = 0  # grows when paths are added
        self._paths: set[str] = set()
        self._lock = threading.Lock()
        self._surveying = threading.RLock()
        self._choosing = threading.Lock()
        self._important: list[str] | None = None
        self._last_unread: list[str] = []

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

    def add_important(self) -> list[str]:
        """Add and return a few important files, found without a walk; none if other files are known already."""
        from sidecar.files.importance import tracked_first  # loads the graph, which no hook needs

        with self._choosing:
            if self.complete or self._snapshot.files:
                return []
            if self._important is None:
                self._important = [] if self._pointers.current() else tracked_first(self._tree)
                self.add(self._important)
            return self._important

    def ensure_complete(self, check: Callable[[], None], patience: float) -> None:
        """Find all unread files once.

        If another thread is searching, wait `patience` seconds for it (-1: without end).
        """
        if not self.complete and self._surveying.acquire(timeout=patience):
            try:
                if not self.complete:
                    self.find(check)
            finally:
                self._surveying.release()

    def find(self, check: Callable[[], None]) -> list[str]:
        """Add and return all unread files, the important ones first. Announce the vanished ones. `check` may raise."""
        before = self._last_unread
        with self._surveying:
            if self._last_unread is not before:  # another thread searched while this one waited
                return list(filter(self.paths().__contains__, self._last_unread))
            unread, vanished_paths = self._compare(self._walk(check), check)
            if vanished_paths:
                self.vanished.announce(vanished_paths)
            self.add(unread)
            self.complete = True
            self._last_unread = unread
        return unread

    def _walk(self, check: Callable[[], None]) -> dict[str, int]:
        """Return the marks of all files. A folder that has not changed since an earlier process is not listed again."""
        files = self._snapshot.all_files(check, again=self.complete)
        if self._snapshot.listings.renewed and self._store is not None:
            with suppress(StoreUnavailable):
                self._store.put_mapped(listings_name(self._pointers.checkout), self._snapshot.listings.pack())
        return files

    def _compare(self, marks: Mapping[str, int], check: Callable[[], None]) -> tuple[list[str], list[str]]:
        """Return the unread and the vanished files; a content is known if the index or the store has it."""
        paths_by_content: dict[Key, list[str]] = defaultdict(list)
        contents = self._pointers.current()
        known = self._pointers.marks()  # later than the contents, so that they include every content's path
        unread = [path for path, present_mark in marks.items() if known.get(path) != present_mark]
        for path, key in contents.items():  # without a content, the file was read and has no briefing
            if self._indexed.get(path) != key and marks.get(path) == known[path]:
                paths_by_content[key].append(path)
        if self._store is not None:
            missing = missing_contents(self._store, paths_by_content, check)
            unread += [path for content in missing for path in paths_by_content[content]]
        from sidecar.files.importance import in_order  # loads the graph, which no hook needs

        vanished_paths = sorted(path for path in contents if path not in marks)
        return in_order({path: size_and_time(marks[path])[1] for path in unread}), vanished_paths


def listings_name(checkout: str) -> str:
    return f"folders-{checkout}"


def missing_contents(store: FileStore, contents: Collection[Key], check: Callable[[], None]) -> Iterator[Key]:
    """Yield the contents that the store lacks; `check` may raise. Raises `StoreUnavailable` and similar errors."""
    rest = iter(contents)
    while batch := list(islice(rest, LOOKED_UP_AT_ONCE)):
        check()
        stored = store.existing_contents((*content, RECIPE) for content in batch)
        yield from (content for content in batch if (*content, RECIPE) not in stored)


def read_each(tree: Tree, paths: Sequence[str]) -> Iterator[tuple[str, FileBytes | None]]:
    """Yield each path with the file there; None for a file not worth remembering."""
    for at, path in enumerate(paths):
        if not at % READ_AT_ONCE:
            ignore_reasons = IgnoreReasons(tree.ignores)
        try:
            yield path, tree.read(path, ignore_reasons)
        except (FileUnavailable, OutsideWorkspace):
            yield path, None
