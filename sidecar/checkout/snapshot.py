"""The files of a workspace at the last scan, to find changes that no event reported."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterable

from sidecar.checkout.states import mark_of
from sidecar.checkout.tree import Tree
from sidecar.checkout.walk import Listings, walk
from sidecar.runtime.made_once import made_once

# Up to this many folders are scanned singly; for more, the whole workspace is scanned.
MAX_PARTS = 16
# How often a thread that waits for another's scan asks whether it still should.
_CHECK_SECONDS = 0.05
# A complete scan of at most this age makes another one unnecessary.
RECENT_SECONDS = 10.0


class FolderSnapshot:
    """The files that a walk found at the last scan, with their marks. Thread-safe."""

    def __init__(self, tree: Tree, stored: Callable[[], bytes | memoryview | None] = lambda: None) -> None:
        """`stored` returns the listings that an earlier process packed, if there are any."""
        self._tree = tree
        self._stored = stored
        self._lock = threading.RLock()
        self.files: dict[str, int] = {}
        self.folders: set[str] = set()
        self.seconds = 0.0
        self._scanned_at = -RECENT_SECONDS - 1

    @made_once
    def listings(self) -> Listings:
        listings, packed = Listings(), self._stored()
        if packed is not None:
            listings.load(packed)
        return listings

    def all_files(self, check: Callable[[], None], *, again: bool = False) -> dict[str, int]:
        """Return all files with their marks.

        A scan of the last seconds will do unless `again`. `check` may raise to stop, or to stop waiting for another
        thread's scan.
        """
        while not self._lock.acquire(timeout=_CHECK_SECONDS):
            check()
        try:
            if again or time.monotonic() - self._scanned_at > RECENT_SECONDS:
                self.rescan(check=check, trusting=not again)
            return self.files.copy()
        finally:
            self._lock.release()

    def rescan(self, starts: Iterable[str] = ("",), *, check: Callable[[], None], trusting: bool = False) -> set[str]:
        """Scan everything below these folders again; return the files that appeared, vanished or changed.

        If `check` raises, the snapshot stays unchanged. With `trusting`, a folder whose times are unchanged is not
        listed.
        """
        tops = _topmost(starts)
        with self._lock:
            if "" in tops or len(tops) > MAX_PARTS:
                began, self.listings.seconds = time.thread_time(), 0.0
                changed = self._compare("", set(self.files), set(self.folders), check, trusting)
                self.seconds = time.thread_time() - began + self.listings.seconds
                self._scanned_at = time.monotonic()
                return changed
            changed = set()
            for start in tops:
                prefix = f"{start}/"
                files = {path for path in self.files if path.startswith(prefix)}
                folders = {path for path in self.folders if path == start or path.startswith(prefix)}
                changed |= self._compare(start, files, folders, check, trusting)
            return changed

    def _compare(
        self, start: str, files: set[str], folders: set[str], check: Callable[[], None], trusting: bool
    ) -> set[str]:
        """Compare what is on disk below `start` with `files` and `folders`, which are known to be there."""
        tree, known = self._tree, self.files
        found: dict[str, int] = {}
        entered: set[str] = set()
        for folder, marks in walk(
            str(tree.root),
            tree.ignores,
            max_file_bytes=tree.max_file_bytes,
            start=start,
            check=check,
            listings=self.listings,
            trusting=trusting,
        ):
            entered.add(folder)
            files.difference_update(marks)
            if known:
                marks = {path: mark for path, mark in marks.items() if known.get(path) != mark}
            found.update(zip(map(sys.intern, marks), marks.values(), strict=True))
        for path in files:
            del known[path]
        known.update(found)
        self.folders.difference_update(folders - entered)
        self.folders |= entered
        return found.keys() | files

    def update_file(self, path: str) -> bool:
        """Scan one file; return whether the snapshot contains or contained the file."""
        try:
            status = os.lstat(self._tree.root / path)
            is_small_file = stat.S_ISREG(status.st_mode) and status.st_size <= self._tree.max_file_bytes
            included = is_small_file and self._tree.walk_includes(path)
        except (OSError, ValueError):
            included = False
        with self._lock:
            if included:
                self.files[path] = mark_of(status)
                return True
            return self.files.pop(path, None) is not None


def _topmost(folders: Iterable[str]) -> list[str]:
    tops: list[str] = []
    for folder in sorted(set(folders), key=lambda path: path + "/"):
        if not tops or not (tops[-1] == "" or folder.startswith(tops[-1] + "/")):
            tops.append(folder)
    return tops
