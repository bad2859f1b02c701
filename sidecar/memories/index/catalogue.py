"""The catalogue: an index over the memories of both stores, kept in step with them.

Search and injection read it inside `with catalogue.current():`, which locks it and applies what the stores' change logs
report, including writes of other processes. Each store keeps a snapshot of its part (`catalogue_snapshot.py`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import NamedTuple, TypeVar

import msgspec

from sidecar.memories.index.catalogue_snapshot import open_snapshot
from sidecar.memories.index.checkout_view import CheckoutView
from sidecar.memories.index.meaning import MAX_EMBEDDED_AT_ONCE, MAX_EMBEDDED_IN_REQUEST, Meaning, text_of
from sidecar.memories.index.memory_index import MemoryIndex
from sidecar.memories.index.row import row_of
from sidecar.memories.index.supersession import REPLACING_KINDS
from sidecar.memories.results import RecordStatus
from sidecar.runtime.errors import MemoryNotFound
from sidecar.runtime.priority import pause_collector, return_free_memory
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord, VersionRecord

log = logging.getLogger(__name__)

_MAX_ATTEMPTS = 3  # an answer is made at most this often when its memories or their files change meanwhile
T = TypeVar("T")


class StoredMemory(NamedTuple):
    """A memory that was recorded in a store."""

    status: RecordStatus
    record: MemoryRecord
    store: MemoryStore
    seq: int  # the store's latest change after recording; for a duplicate, some earlier write's


class StoreProgress(msgspec.Struct):
    """How far the catalogue has followed a store, and what the store's snapshot lacks."""

    seq: int  # the last change read
    unsaved: int = 0  # documents analysed since the snapshot
    snapshot_model: str = ""  # the model of the vectors in the snapshot; "" for none


class Catalogue(MemoryIndex):
    def __init__(self, stores: tuple[MemoryStore, MemoryStore], meaning: Meaning, view: CheckoutView) -> None:
        super().__init__(stores, meaning, view)
        self.progress: dict[MemoryStore, StoreProgress] = {}
        self.corrections = 0
        self._lock = threading.RLock()
        self._depth = 0  # number of nested blocks of `current`

    @contextmanager
    def current(self, just_stored: StoredMemory | None = None) -> Iterator[Catalogue]:
        """Lock this catalogue for one thread; the outermost block first brings it up to date. Raises StoreUnavailable.

        `just_stored` is a memory that this thread just recorded; later changes then stay unread and texts unembedded.
        """
        with self._lock:
            if not self._depth:
                for store in self.stores:
                    if just_stored is None or (just_stored.store is store and not self._follow(just_stored)):
                        self.refresh(store)
                quick = just_stored is None and self.meaning.is_quick()
                if quick and 0 < self.meaning.count_missing() <= MAX_EMBEDDED_IN_REQUEST:
                    embedded = self.meaning.embed(self._texts_of(self.meaning.missing(MAX_EMBEDDED_IN_REQUEST)))
                    if embedded is not None:
                        self._store_vectors(*embedded)
            self._depth += 1
            try:
                yield self
            finally:
                self._depth -= 1

    def bring_up_to_date(self) -> None:
        """Do now what the next `current` would do first. Raises StoreUnavailable."""
        with self.current():
            pass

    def _follow(self, just_stored: StoredMemory) -> bool:
        """Add a just stored memory if it is the next change; return whether all changes up to it are now known."""
        progress = self.progress.get(just_stored.store)
        if progress is None:
            return False
        if progress.seq == just_stored.seq - 1 and just_stored.status != "duplicate":
            progress.unsaved += self.add(just_stored.record, just_stored.store)
            progress.seq = just_stored.seq
        return progress.seq >= just_stored.seq

    def embed_missing(self, check: Callable[[], None]) -> int:
        """Embed memories without a vector, in batches, while the model is usable; return how many were embedded.

        For a background thread. `check` is called before each batch, and raises to stop. Raises StoreUnavailable.
        """
        count = 0
        while True:
            check()
            with self.current():
                missing_before = self.meaning.count_missing()
                texts = self._texts_of(self.meaning.missing(MAX_EMBEDDED_AT_ONCE))
            embedded = self.meaning.embed(texts) if texts else None
            if embedded is None:
                return count
            with self.current():
                self._store_vectors(*embedded)
                if self.meaning.count_missing() >= missing_before:  # texts or model changed during the batch
                    return count
            count += len(texts)

    def _store_vectors(self, model: str, rows: Sequence[tuple[str, bytes, bytes]]) -> None:
        self.meaning.add_vectors(model, rows)
        by_id = {row[0]: row for row in rows}
        for store, group in self.by_store(by_id):
            self.meaning.save_vectors(self.stores.index(store), model, [by_id[id] for id in group])

    def _texts_of(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """Return (id, text) of those memories in `ids` that still exist."""
        texts = {id: text for id in ids if (text := self.meaning.texts.pop(id, None)) is not None}
        for store, group in self.by_store([id for id in ids if id not in texts]):
            texts |= {id: text_of(record) for id, record in store.get_many(group).items()}
        return list(texts.items())

    def _open(self, store: MemoryStore) -> None:
        """Load a store's snapshot, if it is usable."""
        try:
            opened = open_snapshot(self, store)
        except ValueError as error:
            log.info("The snapshot of the index in %s is not used: %s.", store.directory, error)
            return
        if opened is not None:
            seq, model = opened
            self.superseding.reload(store, store.links_of_kinds(REPLACING_KINDS))
            self.progress[store] = StoreProgress(seq, snapshot_model=model)
            grounded = sorted(id for id in self.grounded if self.rows[id].store is store)
            for record in store.get_many(grounded).values():
                if row_of(record, self.view.judge_and_note(record, store), store) != self.rows[record.id]:
                    self.add(record, store)

    def reopen(self) -> None:
        """Replace the index in memory by the stores' snapshots, which take less memory; the caller holds the lock."""
        self.meaning.clear()
        self.clear()
        self.progress.clear()
        with self.current():
            return_free_memory()

    def fetch(self, ids: Iterable[str]) -> dict[str, MemoryRecord]:
        """Return those of the memories `ids` that exist, as the checkout sees them.

        A memory that another process has changed is corrected in the catalogue; `consistent_answer` then makes its
        answer again.
        """
        fetched: dict[str, MemoryRecord] = {}
        for store, group in self.by_store(ids):
            records = store.get_many(group)
            for id in group:
                if (record := records.get(id)) is None:
                    self.corrections += self.remove(id)
                    continue
                if (self.rows[id].version, self.rows[id].updated_at) != (record.version, record.updated_at):
                    self.add(record, store)
                    self.corrections += 1
                fetched[id] = self.view.judged(record, store)
        return fetched

    def consistent_answer(self, make: Callable[[], T], ids_of: Callable[[T], list[str]]) -> T:
        """Return the result of `make`, called again if other processes or files changed the memories in the result."""
        with self.current():
            for _ in range(_MAX_ATTEMPTS):
                corrections = self.corrections
                answer = make()
                if not self.correct(ids_of(answer)) and self.corrections == corrections:
                    break
        return answer

    def correct(self, ids: Iterable[str]) -> bool:
        """Judge memories again if their files changed without notice from the watcher; return whether any file did."""
        with self.current():
            rows = [row for id in ids if (row := self.rows.get(id)) is not None and row.store is self.workspace_store]
            changed = self.view.forget_changed(sorted({path for row in rows for path in row.files}))
            if changed:
                self.judge_memories_about(changed)
        return bool(changed)

    def judge_memories_about(self, paths: Iterable[str]) -> None:
        """Judge again the memories about these files, and the memories with lost files."""
        with self.current():
            wanted = set(paths)
            prefixes = ((path, accumulate(path.split("/"), "{}/{}".format)) for path in self.by_file)
            about = [path for path, folders in prefixes if not wanted.isdisjoint(folders)]
            affected = self.view.ids_with_lost_file.union(*(self.by_file[path] for path in about))
            ids = sorted(id for id in affected if (row := self.rows.get(id)) and row.store is self.workspace_store)
            for record in self.workspace_store.get_many(ids).values():
                self.add(record, self.workspace_store)
            if ids:
                self.view.change_noticed.announce()

    @contextmanager
    def locked(self, patience: float = -1) -> Iterator[bool]:
        """Lock the catalogue without bringing it up to date.

        Yield False if the lock is not free within `patience` seconds; -1 waits without limit.
        """
        acquired = self._lock.acquire(timeout=patience)
        try:
            yield acquired
        finally:
            if acquired:
                self._lock.release()

    def refresh(self, store: MemoryStore) -> None:
        """Apply a store's changes; the first time, load its memories. The caller holds the lock."""
        if store in self.progress and store.seq() == self.progress[store].seq:
            return
        if store not in self.progress:
            with pause_collector():
                self._open(store)
                if store not in self.progress:
                    self._reload(store)
        progress = self.progress[store]
        changes = store.changes(progress.seq)
        if changes.ids is None:
            self._reload(store)
            return
        records, linked = store.get_many(changes.ids), store.links_by_memory(changes.ids)
        for id in changes.ids:
            progress.unsaved += self.add(records[id], store) if id in records else self.remove(id)
            self.superseding.update_links(store, id, linked[id])
        progress.seq = changes.seq

    def _reload(self, store: MemoryStore) -> None:
        seq = store.seq()  # first, so that a write during the loop below is read again instead of missed
        self.selections.clear()  # making a selection anew costs less than updating it for each memory
        progress = self.progress.get(store)
        gone = set[str]() if progress is None else {row.id for row in self.rows.each() if row.store is store}
        analysed = 0
        for record in store.each():
            gone.discard(record.id)
            analysed += self.add(record, store)
        analysed += sum(self.remove(id) for id in gone)
        self.superseding.reload(store, store.links_of_kinds(REPLACING_KINDS))
        progress = self.progress.setdefault(store, StoreProgress(seq))
        progress.seq, progress.unsaved = seq, progress.unsaved + analysed


def not_found(id: str, versions: Sequence[VersionRecord]) -> MemoryNotFound:
    """Return the error for an unknown id; for a deleted memory, the error says how to restore it."""
    if versions and versions[0].memory is None:
        return MemoryNotFound("This memory was deleted.", path="$.id", hint="memory/restore brings it back.")
    hint = "memory/list shows what there is; a purged memory is gone for good."
    return MemoryNotFound(f"No memory has the id {id}.", path="$.id", hint=hint)
