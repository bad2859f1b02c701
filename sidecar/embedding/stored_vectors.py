"""Store the vectors of one memory store on disk; `memories/index/meaning.py` sees it as a `VectorSource`."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Sequence

from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import SidecarError
from sidecar.store.faults import level_of
from sidecar.store.memory_store import MemoryStore
from sidecar.store.vector_store import StoredVector, VectorStore

# One transaction writes this many vectors. Those lost when the process is killed are computed again.
WRITE_BATCH = 128

log = logging.getLogger(__name__)


class StoredVectors:
    """The vectors of one memory store, in a database opened on first use; what cannot be read counts as absent."""

    def __init__(self, memories: MemoryStore, clock: Clock) -> None:
        self._memories = memories
        self._clock = clock
        self._lock = threading.Lock()
        self._store: VectorStore | None = None
        self._waiting: list[tuple[str, tuple[str, bytes, bytes]]] = []  # (model, row) to be written
        self._closed = False

    def load(self, model: str, ids: Collection[str] | None = None) -> dict[str, tuple[bytes, bytes]]:
        """Return (digest of the text, vector) of each memory in `ids` (None: all), by id."""
        now = self._clock()
        self.write()
        try:
            store = self._open()
            if store is None:
                return {}
            store.compact(now)
            return dict(store.load(model, now, ids))
        except SidecarError as error:
            log.log(level_of(error), "Vectors could not be read and are computed again: %s", error.message)
            return {}

    def save(self, model: str, rows: Sequence[tuple[str, bytes, bytes]]) -> None:
        """Store vectors of a model, given as (id, digest of the text, vector), in batches of `WRITE_BATCH`."""
        with self._lock:
            self._waiting += [(model, row) for row in rows]
            if len(self._waiting) < WRITE_BATCH:
                return
        self.write()

    @property
    def has_pending(self) -> bool:
        return bool(self._waiting)

    def write(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        try:
            store = self._open() if waiting else None
            if store is not None:
                alive = self._memories.existing_ids(id for _, (id, _, _) in waiting)
                by_model: dict[str, dict[str, StoredVector]] = {}
                for model, (id, fingerprint, vector) in waiting:
                    if id in alive:
                        by_model.setdefault(model, {})[id] = StoredVector(fingerprint, vector)
                for model, rows in by_model.items():
                    store.put(model, rows)
                # Check again after writing: a memory may have been purged in between.
                store.drop(alive - self._memories.existing_ids(alive))
        except SidecarError as error:
            log.log(level_of(error), "Vectors could not be stored: %s", error.message)

    def size(self) -> int:
        with self._lock:
            return 0 if self._store is None else self._store.size()

    def close(self) -> None:
        """Write pending vectors, and close the database; vectors added later are dropped."""
        self.write()
        with self._lock:
            self._closed = True
            if self._store is not None:
                self._store.close()

    def _open(self) -> VectorStore | None:
        with self._lock:
            if self._store is None and not self._closed:
                self._store = VectorStore.open(self._memories.directory)
            return None if self._closed else self._store
