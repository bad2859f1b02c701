"""Keep an index over all files in step with file memory.

`CodeIndex` has two such indexes: the sources that it searches, and the map (`map_files.py`).
"""

from __future__ import annotations

import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Final, Generic, Protocol, TypeVar

from sidecar.files.pace import STEADY, Pace
from sidecar.files.pointers import Key
from sidecar.files.retrieval.source_index import Indexed, SourceIndex
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.runtime.priority import pause_collector
from sidecar.store.records import ContentRecord

CONTENTS_AT_ONCE: Final = 16  # contents read from the store at once; decoding more would keep requests waiting
READ_NOW: Final = 16  # changed files of unknown content that are parsed on the spot


Value = TypeVar("Value")
Taken = TypeVar("Taken", contravariant=True)


class Sink(Protocol[Taken]):
    """What a follower fills: a collection of one value per path."""

    def put(self, path: str, value: Taken, /) -> None:
        """Store the value made from the content now at a path."""

    def remove(self, path: str) -> None:
        """Forget a path without a known content."""


class Follower(ABC, Generic[Value]):
    """Keeps a sink in step with the contents at all paths. Thread-safe.

    `lock` is held for one change at a time, so whoever reads the sink waits for one file at most.
    """

    def __init__(self, files: WorkspaceFiles, sink: Sink[Value], lock: threading.RLock) -> None:
        self._files = files
        self._sink = sink
        self._lock = lock
        self._busy = threading.Lock()
        self._comparing = threading.Lock()
        self._loaded = False
        self._version = -1  # the version of file memory when the sink was last in step
        self._compared = -1  # version of file memory up to which changes were compared
        # by path, contents that differ from the sink's; None if the file is gone
        self._differing: dict[str, Key | None] = {}
        self.held: dict[str, Key] = {}  # the contents in the sink
        self.changes = 0  # grows with every change of the sink

    @abstractmethod
    def _restore(self) -> dict[str, Key]:
        """Restore the sink that an earlier process saved; return the content that it has for each path."""

    def is_behind(self) -> bool:
        return self._version != self._files.version

    @property
    def waiting(self) -> list[str]:
        self.load()
        return [path for path, key in self._compare_changed().items() if key is not None]

    def put(self, path: str, key: Key, value: Value) -> None:
        """Put a value that was made elsewhere from the content `key`, just read at `path`."""
        self.load()
        self._put(path, key, value)

    def forget(self, paths: Iterable[str]) -> None:
        """Treat the contents at these paths as missing from the sink, so that they are put into it again."""
        with self._lock:
            for path in paths:
                self._hold(path, None)
                self._version = -1

    def load(self) -> None:
        """Restore the sink once, before it is first used. Raises `StoreUnavailable` and similar errors."""
        with self._lock:
            if not self._loaded:
                with pause_collector():
                    self._begin_with(self._restore())
                self._loaded = True

    def _begin_with(self, restored: dict[str, Key]) -> None:
        with self._comparing:
            self._compared, held = self._files.pointers.with_contents()
            self._differing = {}
            if restored != held:
                self._differing |= {path: key for path, key in held.items() if restored.get(path) != key}
                self._differing |= {path: None for path in restored if path not in held}
            for path in self._differing:
                if path in restored:
                    held[path] = restored[path]
                else:
                    del held[path]
            self.held.update(held)  # of equal keys, those that file memory holds

    def _put(self, path: str, key: Key, value: Value) -> None:
        if self.held.get(path) != key:
            with self._lock:
                self._sink.put(path, value)
                self._hold(path, key)

    def _drop(self, path: str) -> None:
        with self._lock:
            if path in self.held:
                self._sink.remove(path)
                self._hold(path, None)

    def _hold(self, path: str, key: Key | None) -> None:
        with self._comparing:
            current = self._differing.get(path, self.held.get(path))
            if key is None:
                self.held.pop(path, None)
            else:
                self.held[sys.intern(path)] = key
            self._compare(path, current)
            self.changes += 1

    def _compare_changed(self) -> dict[str, Key | None]:
        """Return the present contents that differ from those in the sink; None for a vanished file."""
        with self._comparing:
            self._compared, changes = self._files.pointers.changes(self._compared)
            for path, key in changes.items():
                self._compare(path, key)
            return self._differing.copy()

    def _compare(self, path: str, current: Key | None) -> None:
        if self.held.get(path) == current:
            self._differing.pop(path, None)
        else:
            self._differing[path] = current


class SourceFiles(Follower[Indexed]):
    """Keeps an index of sources in step with file memory."""

    def __init__(self, files: WorkspaceFiles, sink: SourceIndex, lock: threading.RLock) -> None:
        super().__init__(files, sink, lock)
        self.held = files.indexed
        self._source = sink

    def _restore(self) -> dict[str, Key]:
        return self._source.load()

    def catch_up(self, pace: Pace = STEADY, patience: float = -1) -> None:
        """Put what has changed, file by file. Raises `StoreUnavailable` and similar errors.

        If another thread is catching up, wait `patience` seconds for it (-1: without end).
        """
        if not self.is_behind() or not self._busy.acquire(timeout=patience):
            return
        try:
            self.load()
            version = self._files.version
            current: dict[str, Key] = {}
            for path, key in sorted(self._compare_changed().items()):
                if key is None:
                    self._drop(path)
                else:
                    current[path] = key
            changed = list(current)
            unknown: list[str] = []
            for start in range(0, len(changed), CONTENTS_AT_ONCE):
                batch = changed[start : start + CONTENTS_AT_ONCE]
                known = self._files.stored_records({current[path] for path in batch})
                for path in batch:
                    record = known.get(current[path])
                    if record is None:
                        unknown.append(path)
                    else:
                        self._put_record(path, record, pace)
                    pace.rest()
            for path in unknown:
                record = self._files.read_record(path) if len(unknown) <= READ_NOW else None
                if record is not None:
                    self._put_record(path, record, pace)
                else:
                    self._drop(path)  # the content in the sink is outdated
                    self._files.survey.add([path])  # its stored record may be unreadable
            self._version = version
        finally:
            self._busy.release()

    def _put_record(self, path: str, record: ContentRecord, pace: Pace) -> None:
        self._put(path, (record.hash, record.language), self._source.make(path, record, pace))
