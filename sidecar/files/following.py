"""Keep something that is made of all files in step with file memory."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Final, Generic, Protocol, TypeVar

from sidecar.files.memory import FileMemory
from sidecar.files.pace import STEADY, Pace
from sidecar.files.pointers import Key
from sidecar.store.records import ContentRecord

BATCH: Final = 16
"""Contents read from the store at once; decoding more would keep requests waiting."""

READ_NOW: Final = 16
"""Changed files of unknown content that are parsed on the spot; more are left to the warm-up."""


Made = TypeVar("Made")
Taken = TypeVar("Taken", contravariant=True)


class Held:
    """By path, the content something was made of, and where another one stands by now. Safe on any thread.

    `others` costs as much as has changed since it was last called.
    """

    def __init__(self, files: FileMemory) -> None:
        self._files = files
        self._lock = threading.Lock()
        self._version = -1  # of the changes looked at
        self._other: dict[str, Key | None] = {}  # what stands where it differs from what is held; None: nothing
        self.contents: dict[str, Key] = {}

    def begin(self, contents: dict[str, Key]) -> None:
        with self._lock:
            self.contents, self._version = contents, -1
            self._other = dict.fromkeys(contents)

    def put(self, path: str, key: Key) -> None:
        with self._lock:
            standing = self._other.get(path, self.contents.get(path))
            self.contents[path] = key
            self._compare(path, standing)

    def drop(self, path: str) -> bool:
        """Forget what is held for a path; return whether anything was."""
        with self._lock:
            key = self.contents.pop(path, None)
            self._compare(path, self._other.get(path, key))
            return key is not None

    def others(self) -> dict[str, Key | None]:
        """Return what stands at each path where it differs from what is held; None: nothing stands there."""
        with self._lock:
            self._version, changes = self._files.changes(self._version)
            for path, key in changes.items():
                self._compare(path, key)
            return self._other.copy()

    def _compare(self, path: str, standing: Key | None) -> None:
        if self.contents.get(path) == standing:
            self._other.pop(path, None)
        else:
            self._other[path] = standing


class Sink(Protocol[Taken]):
    """Something kept in step, with one content for each path."""

    def put(self, path: str, made: Taken, /) -> None:
        """Take what was made of the content that stands at a path now."""

    def remove(self, path: str) -> None:
        """Forget a path: nothing, or nothing known, stands there any more."""


class ContentSink(Sink[Made], Protocol[Made]):
    """A sink made of the contents in the store."""

    def make(self, path: str, record: ContentRecord, pace: Pace) -> Made:
        """Make what `put` takes, without the lock."""

    def load(self) -> dict[str, Key]:
        """Restore what an earlier process kept; return its contents by path."""


class Follower(ABC, Generic[Made]):
    """Keeps a sink in step with what stands at the paths. Safe on any thread.

    `lock` is held for each single change, so a reader of the sink waits for one file at most.
    """

    def __init__(self, files: FileMemory, sink: Sink[Made], lock: threading.RLock) -> None:
        self._files = files
        self._sink = sink
        self._lock = lock
        self._busy = threading.Lock()
        self._loaded = False
        self._held = Held(files)
        self._version = -1
        self.changes = 0  # grows with every change of the sink

    @abstractmethod
    def _restore(self) -> dict[str, Key]:
        """Restore what an earlier process kept of the sink; return its contents by path."""

    @property
    def held(self) -> Mapping[str, Key]:
        """The contents in the sink, by path."""
        return self._held.contents

    def is_behind(self) -> bool:
        return self._version != self._files.version

    @property
    def waiting(self) -> list[str]:
        """Files whose present content is not in the sink."""
        self._load()
        return [path for path, key in self._held.others().items() if key is not None]

    def take(self, path: str, key: Key, made: Made) -> None:
        """Take what another made of the content with hash and language `key`, just read at a path."""
        self._load()
        self._put(path, key, made)

    def again(self, paths: Iterable[str]) -> None:
        """Feed these paths again: the sink has lost them."""
        with self._lock:
            for path in paths:
                self._held.drop(path)
                self._version = -1

    def _load(self) -> None:
        with self._lock:
            if not self._loaded:
                self._held.begin(self._restore())
                self._loaded = True

    def _put(self, path: str, key: Key, made: Made) -> None:
        if self.held.get(path) != key:
            with self._lock:
                self._sink.put(path, made)
                self._held.put(path, key)
                self.changes += 1

    def _drop(self, path: str) -> None:
        with self._lock:
            if self._held.drop(path):
                self._sink.remove(path)
                self.changes += 1


class ContentFollower(Follower[Made]):
    """Feeds a sink from the contents that file memory keeps."""

    def __init__(self, files: FileMemory, sink: ContentSink[Made], lock: threading.RLock) -> None:
        super().__init__(files, sink, lock)
        self._source = sink

    def _restore(self) -> dict[str, Key]:
        return self._source.load()

    def catch_up(self, pace: Pace = STEADY, patience: float = -1) -> None:
        """Take in what has changed, file by file.

        `patience` is how many seconds to wait for another thread that does the same (-1: as long as it takes).
        Raises `StoreUnavailable` and its kin.
        """
        if not self.is_behind() or not self._busy.acquire(timeout=patience):
            return
        try:
            self._load()
            version = self._files.version
            standing: dict[str, Key] = {}
            for path, key in sorted(self._held.others().items()):
                if key is None:
                    self._drop(path)
                else:
                    standing[path] = key
            changed = list(standing)
            unknown: list[str] = []
            for start in range(0, len(changed), BATCH):
                batch = changed[start : start + BATCH]
                known = self._files.known({standing[path] for path in batch})
                for path in batch:
                    record = known.get(standing[path])
                    if record is None:
                        unknown.append(path)
                    else:
                        self._take(path, record, pace)
                    pace.rest()
            for path in unknown:
                record = self._files.read_now(path) if len(unknown) <= READ_NOW else None
                if record is not None:
                    self._take(path, record, pace)
                else:
                    self._drop(path)  # what it held no longer stands there
                    self._files.lacking.add([path])  # what the store has of it may not be readable
            self._version = version
        finally:
            self._busy.release()

    def _take(self, path: str, record: ContentRecord, pace: Pace) -> None:
        self._put(path, (record.hash, record.language), self._source.make(path, record, pace))
