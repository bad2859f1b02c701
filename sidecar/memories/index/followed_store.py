"""Follow one store: load its memories into the index, apply its changes, and make its snapshot when that is due."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple

from sidecar.memories.index.catalogue_snapshot import SNAPSHOT_NAME, make_snapshot, open_snapshot
from sidecar.memories.index.memory_index import MemoryIndex
from sidecar.memories.index.row import row_of
from sidecar.memories.index.supersession import REPLACING_KINDS
from sidecar.memories.results import RecordStatus
from sidecar.runtime.priority import pause_collector
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord

SAVED_AFTER_DOCUMENTS = 200  # documents; to analyse fewer again costs less than to write a snapshot
REOPENED_AFTER_DOCUMENTS = 2_000  # documents; after more, opening the new snapshot halves the process's memory

log = logging.getLogger(__name__)


class StoredMemory(NamedTuple):
    """A memory that was recorded in a store."""

    status: RecordStatus
    record: MemoryRecord
    store: MemoryStore
    seq: int  # sequence number of the store's last change when the memory was recorded; a duplicate adds none


class DueSnapshot(NamedTuple):
    """A snapshot to save."""

    pack: Callable[[], bytes]  # needs no lock
    model: str  # which made its vectors; "" if it has none
    documents: int  # number analysed since the last snapshot
    purges: object  # the store's `purge_state` before the snapshot was made
    halves_heap: bool  # whether opening it would free much of the heap


class FollowedStore:
    """One store's part of the index; the caller of each method holds the catalogue's lock."""

    def __init__(self, index: MemoryIndex, store: MemoryStore) -> None:
        self._index = index
        self._store = store
        self._seq: int | None = None  # of the last change read; None before the memories are loaded
        self._unsaved = 0  # documents analysed since the snapshot
        self._snapshot_model = ""  # the model of the vectors in the snapshot; "" for none

    def refresh(self) -> None:
        """Apply the store's changes; the first time, load its memories."""
        if self._store.seq() == self._seq:
            return
        seq = self._load() if self._seq is None else self._seq
        changes = self._store.changes(seq)
        if changes.ids is None:
            self._reload()
            return
        records, linked = self._store.get_many(changes.ids), self._store.links_by_memory(changes.ids)
        for id in changes.ids:
            self._unsaved += self._index.add(records[id], self._store) if id in records else self._index.remove(id)
            self._index.superseding.update_links(self._store, id, linked[id])
        self._seq = changes.seq

    def take_in(self, just_stored: StoredMemory) -> bool:
        """Add a memory that was just stored, if it is the next change; return whether no change up to it is missing."""
        if self._seq is None:
            return False
        if self._seq == just_stored.seq - 1 and just_stored.status != "duplicate":
            self._unsaved += self._index.add(just_stored.record, self._store)
            self._seq = just_stored.seq
        return self._seq >= just_stored.seq

    def due_snapshot(self, *, embedded: bool) -> DueSnapshot | None:
        """Return a snapshot if the last one lacks many documents; see `Catalogue.save`."""
        if self._seq is None:
            return None
        self.refresh()
        model, size = self._index.meaning.model or "", len(self._index.rows)
        lacks_vectors = model not in ("", self._snapshot_model)
        enough = max(REOPENED_AFTER_DOCUMENTS, size // 4) if embedded else max(SAVED_AFTER_DOCUMENTS, size // 100)
        if self._unsaved < enough:
            missing = lacks_vectors or not self._store.derived.has(SNAPSHOT_NAME)
            if not missing or self._index.rows.size(self._store) < SAVED_AFTER_DOCUMENTS:
                return None
        purges = self._store.derived.purge_state()
        with pause_collector():
            pack = make_snapshot(self._index, self._store, self._seq)
        if pack is None:
            return None
        halves_heap = max(self._unsaved, size * lacks_vectors) >= REOPENED_AFTER_DOCUMENTS
        return DueSnapshot(pack, model, self._unsaved, purges, halves_heap)

    def mark_saved(self, snapshot: DueSnapshot) -> None:
        self._unsaved -= snapshot.documents
        self._snapshot_model = snapshot.model

    def _load(self) -> int:
        """Load the store's snapshot or, if it is not usable, all its memories; return the last change read."""
        with pause_collector():
            try:
                opened = open_snapshot(self._index, self._store)
            except ValueError as error:
                log.info("The snapshot of the index in %s is not used: %s.", self._store.directory, error)
                opened = None
            if opened is None:
                return self._reload()
            self._seq, self._snapshot_model = opened
            index = self._index
            index.superseding.reload(self._store, self._store.links_of_kinds(REPLACING_KINDS))
            grounded = sorted(id for id in index.grounded if index.rows[id].store is self._store)
            for record in self._store.get_many(grounded).values():
                judged = index.view.judge_and_keep(record, self._store)
                if row_of(record, judged, self._store) != index.rows[record.id]:
                    index.add(record, self._store)
            return self._seq

    def _reload(self) -> int:
        """Read all memories of the store again; return the last change read."""
        seq = self._store.seq()  # first, so that a write during the loop below is read again rather than missed
        self._index.selections.clear()  # to make a selection again costs less than updating it for each memory
        rows = self._index.rows
        gone = set[str]() if self._seq is None else {row.id for row in rows.each() if row.store is self._store}
        analysed = 0
        for record in self._store.each():
            gone.discard(record.id)
            analysed += self._index.add(record, self._store)
        analysed += sum(self._index.remove(id) for id in gone)
        self._index.superseding.reload(self._store, self._store.links_of_kinds(REPLACING_KINDS))
        self._seq, self._unsaved = seq, self._unsaved + analysed
        return seq
