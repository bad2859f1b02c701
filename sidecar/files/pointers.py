"""The content at each path of a checkout, as this process last saw it, and the contents before it."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Collection, Iterable, Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import force_setattr

from sidecar.runtime.errors import StoreUnavailable
from sidecar.runtime.priority import pause_collector
from sidecar.store.file_store import FileStore
from sidecar.store.records import PointerRecord

log = logging.getLogger(__name__)

# Histories are kept of this many vanished paths, the latest.
MAX_DEPARTED_PATHS = 5_000
# A read this little older than the stored one lost a race of two threads, and is ignored; a much older one means that
# the file's time was set back.
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
        self._loaded: dict[str, PointerRecord] | None = None
        self._keys: dict[str, Key] = {}  # of the paths with a content
        self._changed: dict[str, int] = {}  # version of the last change of each path that was changed here, ascending
        self.version = 0  # grows whenever the known content of some path changes

    def get(self, path: str) -> PointerRecord | None:
        with self._lock:
            return self._all().get(path)

    def all(self) -> dict[str, PointerRecord]:
        with self._lock:
            return self._all().copy()

    def current(self) -> dict[str, Key]:
        """Return the content at each path that has one."""
        return self.with_contents()[1]

    def with_contents(self) -> tuple[int, dict[str, Key]]:
        """Return the present version and the content at each path that has one."""
        with self._lock:
            self._all()
            return self.version, self._keys.copy()

    def changes(self, version: int) -> tuple[int, dict[str, Key | None]]:
        """Return the present version, and the content of each path that changed since `version`."""
        with self._lock:
            self._all()
            since = takewhile(lambda change: change[1] > version, reversed(self._changed.items()))
            return self.version, {path: self._keys.get(path) for path, _ in reversed([*since])}

    def with_those_below(self, paths: Sequence[str]) -> list[str]:
        """Return `paths`, each followed by the known files below it if it is or was a folder."""
        with self._lock:
            pointers = self._all()
            folders = tuple(f"{path}/" for path in paths if path not in pointers)
            below = [path for path in pointers if path.startswith(folders)] if folders else []
        return list(dict.fromkeys([*paths, *below]))

    def paths_of(self, hash: str) -> list[str]:
        """Return the paths at which a content was last seen, the latest change first."""
        with self._lock:
            paths = [path for path, pointer in self._all().items() if pointer.hash == hash]
            return sorted(paths, key=lambda path: (-self._changed.get(path, 0), path))

    def paths_ending(self, tails: Collection[str]) -> dict[str, list[str]]:
        """Return known paths by the ends in `tails`: `text/words.py` finds `sidecar/text/words.py`."""
        wanted = tuple(f"/{tail}" for tail in tails)
        paths_by_tail: dict[str, list[str]] = {tail: [] for tail in tails}
        with self._lock:
            hits = [path for path, pointer in self._all().items() if pointer.hash and path.endswith(wanted)]
        for path in sorted(hits):
            for tail in tails:
                if path.endswith(f"/{tail}"):
                    paths_by_tail[tail].append(path)
        return paths_by_tail

    def record_found(self, contents: Iterable[FoundContent]) -> list[Invalidated]:
        """Record the contents found; return the contents that they replaced."""
        replaced: list[Invalidated] = []
        changed: list[PointerRecord] = []
        with self._lock:
            pointers = self._all()
            for found in contents:
                old = pointers.get(found.path)
                if old is None:
                    history: tuple[str, ...] = ()
                elif (
                    found[1:] == (old.hash, old.language, old.size, old.mtime_ns)
                    or 0 < old.mtime_ns - found.mtime_ns < OUTRUN_NS
                ):
                    continue
                else:
                    history = old.history
                    if old.hash and old.hash != found.hash:
                        replaced.append(Invalidated(found.path, "changed", old.hash, found.hash))
                        history = (old.hash, *(h for h in history if h not in (old.hash, found.hash)))
                pointer = PointerRecord(
                    path=sys.intern(found.path),
                    hash=found.hash,
                    language=sys.intern(found.language),
                    size=found.size,
                    mtime_ns=found.mtime_ns,
                    history=history[: self._keep - 1],
                )
                self._put(pointer)
                changed.append(pointer)
            self._save(changed, drop=[])
        return replaced

    def record_gone(self, paths: Iterable[str]) -> list[Invalidated]:
        """Record vanished files. Their histories stay, because a branch switch may bring a file back."""
        with self._lock:
            pointers = self._all()
            departed = [pointers[path] for path in paths if path in pointers and pointers[path].hash]
            if not departed:
                return []
            for old in departed:
                history = (old.hash, *(h for h in old.history if h != old.hash))[: self._keep]
                self._put(
                    PointerRecord(path=old.path, hash="", language=old.language, size=-1, mtime_ns=0, history=history)
                )
            dead = [path for path, pointer in pointers.items() if pointer.size < 0]
            surplus = dead[: max(0, len(dead) - MAX_DEPARTED_PATHS)]
            for path in surplus:
                del pointers[path]
            self._save([pointers[old.path] for old in departed if old.path in pointers], drop=surplus)
        return [Invalidated(pointer.path, "deleted", pointer.hash) for pointer in departed]

    def _save(self, changed: Sequence[PointerRecord], *, drop: Sequence[str]) -> None:
        """Write to the store. If it fails, as on a full disk, the answer and the notification are still given."""
        if changed or drop:
            self.version += 1
            for path in (*(pointer.path for pointer in changed), *drop):
                self._changed.pop(path, None)
                self._changed[path] = self.version
        if self._store is None:
            return
        try:
            if changed:
                self._store.put_pointers(self.checkout, changed)
            if drop:
                self._store.drop_pointers(self.checkout, drop)
        except StoreUnavailable as error:
            log.info("Pointers of files were not stored: %s", error.message)

    def _put(self, pointer: PointerRecord) -> None:
        self._all()[pointer.path] = pointer
        if pointer.hash:
            self._keys[pointer.path] = pointer.hash, pointer.language
        else:
            self._keys.pop(pointer.path, None)

    def _all(self) -> dict[str, PointerRecord]:
        if self._loaded is None:
            with pause_collector():
                loaded: dict[str, PointerRecord] = {}
                for pointer in self._store.pointers(self.checkout).values() if self._store is not None else ():
                    path, language = sys.intern(pointer.path), sys.intern(pointer.language)
                    force_setattr(pointer, "path", path)  # half a dozen other parts hold each path
                    force_setattr(pointer, "language", language)
                    loaded[path] = pointer
                    if pointer.hash:
                        self._keys[path] = pointer.hash, language
                self._loaded = loaded
        return self._loaded
