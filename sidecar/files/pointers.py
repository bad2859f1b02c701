"""The content at each path of a checkout, as this process last saw it, and the contents before it."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from typing import Literal, NamedTuple

import msgspec

from sidecar.checkout.walk import mark, size_and_time
from sidecar.runtime.errors import StoreUnavailable
from sidecar.runtime.priority import pause_collector
from sidecar.store.file_store import FileStore
from sidecar.store.records import PointerRecord

log = logging.getLogger(__name__)

# Vanished paths, the latest, whose histories are stored.
MAX_DEPARTED_PATHS = 5_000
# Pointers stored one by one after which they are folded into one record.
MANY_UNFOLDED = 1_000
# The mark of a vanished file.
NOWHERE = mark(-1, 0)
# A read that is older than the stored one by less than this lost a race of two threads, and is ignored. If it is older
# by more, the file's time was set back.
OUTRUN_NS = 10_000_000_000
# Hash and language of a content.
Key = tuple[str, str]


class Invalidated(msgspec.Struct, frozen=True):
    """A file whose remembered content is no longer on disk."""

    path: str
    reason: Literal["changed", "deleted", "renamed"]
    old_hash: str
    hash: str | None = None
    new_path: str | None = None


class FoundContent(NamedTuple):
    """The content found at a path; `hash` is empty for a file without a briefing."""

    path: str
    hash: str
    language: str
    size: int
    mtime_ns: int

    @property
    def key(self) -> Key:
        return self.hash, self.language


class Pointers:
    """The content at each path, as this process last saw it. Thread-safe.

    It is also written to the store, if there is one. Several processes share the store, and each must notice a change
    for its own client.
    """

    def __init__(self, store: FileStore | None, checkout: str, keep_per_path: int) -> None:
        self._store = store
        self.checkout = checkout
        self._keep = keep_per_path
        self._lock = threading.Lock()
        self._loaded = False
        self._marks: dict[str, int] = {}  # of all known paths; NOWHERE: of a file that is gone
        self._keys: dict[str, Key] = {}  # of the paths with a content
        self._histories: dict[str, tuple[str, ...]] = {}  # hashes of earlier contents, newest first
        self._changed: dict[str, int] = {}  # version of the last change of each path that was changed here, ascending
        self._unfolded = 0  # number of pointers stored one by one
        self.version = 0  # grows whenever the known content of some path changes

    def key(self, path: str) -> Key | None:
        """Return the content at a path, if it has one."""
        with self._loading():
            return self._keys.get(path)

    def key_and_mark(self, path: str) -> tuple[Key | None, int | None]:
        """Return the content at a path and its file's mark, both from the same moment."""
        with self._loading():
            return self._keys.get(path), self._marks.get(path)

    def mark(self, path: str) -> int | None:
        """Return the mark that the file at a path had when it was read."""
        with self._loading():
            return self._marks.get(path)

    def history(self, path: str) -> tuple[str, ...]:
        """Return the hashes of a path's earlier contents, newest first."""
        with self._loading():
            return self._histories.get(path, ())

    def marks(self) -> dict[str, int]:
        """Return the mark of each file that was read, and NOWHERE for those that are gone."""
        with self._loading():
            return self._marks.copy()

    def current(self) -> dict[str, Key]:
        """Return the content at each path that has one."""
        return self.with_contents()[1]

    def with_contents(self) -> tuple[int, dict[str, Key]]:
        """Return the present version and the content at each path that has one."""
        with self._loading():
            return self.version, self._keys.copy()

    def changes(self, version: int) -> tuple[int, dict[str, Key | None]]:
        """Return the present version, and the content of each path that changed since `version`."""
        with self._loading():
            since = takewhile(lambda change: change[1] > version, reversed(self._changed.items()))
            return self.version, {path: self._keys.get(path) for path, _ in reversed([*since])}

    def with_those_below(self, paths: Sequence[str]) -> list[str]:
        """Return `paths`, each followed by the known files below it if it is or was a folder."""
        with self._loading():
            folders = tuple(f"{path}/" for path in paths if path not in self._marks)
            below = [path for path in self._marks if path.startswith(folders)] if folders else []
        return list(dict.fromkeys([*paths, *below]))

    def paths_of(self, hash: str) -> list[str]:
        """Return the paths at which a content was last seen, the latest change first."""
        with self._loading():
            paths = [path for path, key in self._keys.items() if key[0] == hash]
            return sorted(paths, key=lambda path: (-self._changed.get(path, 0), path))

    def paths_ending(self, tails: Collection[str]) -> dict[str, list[str]]:
        """Return known paths by the ends in `tails`: `text/words.py` finds `sidecar/text/words.py`."""
        wanted = tuple(f"/{tail}" for tail in tails)
        paths_by_tail: dict[str, list[str]] = {tail: [] for tail in tails}
        with self._loading():
            hits = [path for path in self._keys if path.endswith(wanted)]
        for path in sorted(hits):
            for tail in tails:
                if path.endswith(f"/{tail}"):
                    paths_by_tail[tail].append(path)
        return paths_by_tail

    def record_found(self, contents: Iterable[FoundContent]) -> list[Invalidated]:
        """Record the contents found; return the contents that they replaced."""
        replaced: list[Invalidated] = []
        changed: list[str] = []
        with self._loading():
            for found in contents:
                key, before = (found.key if found.hash else None), self._marks.get(found.path, NOWHERE)
                old, found_mark = self._keys.get(found.path), mark(found.size, found.mtime_ns)
                if before != NOWHERE:
                    later = size_and_time(before)[1] - found.mtime_ns
                    if (old, before) == (key, found_mark) or 0 < later < OUTRUN_NS:
                        continue
                path = sys.intern(found.path)
                if old is not None and old[0] != found.hash:
                    replaced.append(Invalidated(path, "changed", old[0], found.hash))
                    self._remember(path, old[0], found.hash, self._keep - 1)
                elif path in self._histories:
                    self._histories[path] = self._histories[path][: self._keep - 1]
                self._marks[path] = found_mark
                if key is not None:
                    self._keys[path] = found.hash, sys.intern(found.language)
                else:
                    self._keys.pop(path, None)
                changed.append(path)
            self._save(changed)
        return replaced

    def record_gone(self, paths: Iterable[str]) -> list[Invalidated]:
        """Record vanished files. Their histories stay, because a branch switch may bring a file back."""
        with self._loading():
            departed = {path: self._keys.pop(path) for path in paths if path in self._keys}
            for path, (hash, _) in departed.items():
                self._remember(path, hash, hash, self._keep)
                self._marks[path] = NOWHERE
            self._save(departed)
        return [Invalidated(path, "deleted", hash) for path, (hash, _) in departed.items()]

    def fold(self, share: float = 0.0) -> None:
        """Let the next process load all pointers at once, if many and at least a `share` are stored one by one."""
        if self._store is not None and self._unfolded >= max(MANY_UNFOLDED, share * len(self._marks)):
            self._unfolded = 0
            with suppress(StoreUnavailable):
                self._store.fold_pointers(self.checkout, MAX_DEPARTED_PATHS)

    def _remember(self, path: str, hash: str, present: str, most: int) -> None:
        others = (former for former in self._histories.get(path, ()) if former not in (hash, present))
        self._histories[path] = (hash, *others)[:most]

    def _save(self, changed: Collection[str]) -> None:
        """Write to the store. If it fails, as on a full disk, the answer and the notification are still given."""
        if not changed:
            return
        self.version += 1
        for path in changed:
            self._changed.pop(path, None)
            self._changed[path] = self.version
        if self._store is None:
            return
        self._unfolded += len(changed)
        try:
            self._store.put_pointers(self.checkout, map(self._record, changed))
        except StoreUnavailable as error:
            log.info("Pointers of files were not stored: %s", error.message)

    def _record(self, path: str) -> PointerRecord:
        hash, language = self._keys.get(path, ("", ""))
        size, mtime_ns = (-1, 0) if self._marks[path] == NOWHERE else size_and_time(self._marks[path])
        history = self._histories.get(path, ())
        return PointerRecord(path=path, hash=hash, language=language, size=size, mtime_ns=mtime_ns, history=history)

    @contextmanager
    def _loading(self) -> Iterator[None]:
        """Hold the lock, with the stored pointers loaded."""
        with self._lock:
            if not self._loaded and self._store is not None:
                with pause_collector():
                    pointers, self._unfolded = self._store.pointers(self.checkout)
                    self._histories = pointers.histories
                    for path, (hash, language, size, mtime_ns) in pointers.files.items():
                        path = sys.intern(path)  # half a dozen other parts hold each path
                        self._marks[path] = mark(size, mtime_ns)
                        if hash:
                            self._keys[path] = hash, sys.intern(language)
            self._loaded = True
            yield
