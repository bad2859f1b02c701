"""The catalogue: an index over the memories of both stores, kept in step with them.

Search and injection read it inside `with catalogue.current() as index:`, which locks it and applies what the stores'
change logs report, including writes of other processes (`followed_store.py`). Each store keeps a snapshot of its part
(`catalogue_snapshot.py`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import TypeVar

from sidecar.memories.index.catalogue_snapshot import SNAPSHOT_NAME
from sidecar.memories.index.checkout_view import CheckoutView
from sidecar.memories.index.followed_store import FollowedStore, StoredMemory
from sidecar.memories.index.judging import CheckoutFiles
from sidecar.memories.index.meaning import MAX_EMBEDDED_AT_ONCE, MAX_EMBEDDED_IN_REQUEST, Meaning, text_of
from sidecar.memories.index.memory_index import MemoryIndex
from sidecar.runtime.errors import MemoryNotFound, SidecarError
from sidecar.runtime.priority import pause_collector, return_free_heap
from sidecar.store.faults import level_of
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord, VersionRecord

CLOSING_PATIENCE_SECONDS = 0.1  # seconds to wait for the catalogue's lock when the process ends
BACKGROUND_PATIENCE_SECONDS = 30.0  # seconds to wait for the lock in a background thread
_MAX_ATTEMPTS = 3  # attempts at an answer whose memories or files change meanwhile
T = TypeVar("T")

log = logging.getLogger(__name__)


class Catalogue:
    """Guards the index over both stores' memories with one lock, and keeps it up to date."""

    def __init__(
        self, stores: tuple[MemoryStore, MemoryStore], meaning: Meaning, view: CheckoutView, files: CheckoutFiles | None
    ) -> None:
        self.stores = self.workspace_store, self.user_store = stores
        self.view = view
        self._files = files
        self._meaning = meaning
        self._lock = threading.RLock()
        self._depth = 0  # number of nested blocks of `current`
        self._index = MemoryIndex(stores, meaning, view)
        self._followed = {store: FollowedStore(self._index, store) for store in stores}

    def store_of(self, scope: str) -> MemoryStore:
        return self.user_store if scope == "global" else self.workspace_store

    def holder_of(self, id: str) -> MemoryStore:
        """Return the store that has a memory or its history; the workspace's store if neither has."""
        for store in self.stores:
            if store.get(id) is not None:
                return store
        return self.user_store if self.user_store.history(id) else self.workspace_store

    def prepare(self, *queries: str) -> None:
        """Embed queries that will be matched. Call it outside `current`, since a model may take long."""
        for query in queries:
            self._meaning.prepare(query)

    @contextmanager
    def current(self, just_stored: StoredMemory | None = None) -> Iterator[MemoryIndex]:
        """Lock the index for one thread and yield it; the outermost block first updates it. Raises StoreUnavailable.

        With `just_stored`, which this thread has just recorded, only add that memory: the other store's changes and
        texts without a vector wait for the next call.
        """
        with self._lock:
            if not self._depth:
                self._refresh(just_stored)
                if just_stored is None and (texts := self._texts_for_quick_model()):
                    self._lock.release()  # meanwhile other threads can use the index
                    try:
                        embedded = self._meaning.embed(texts)
                    finally:
                        self._lock.acquire()
                    self._refresh()
                    if embedded is not None:
                        self._store_vectors(*embedded)
            self._depth += 1
            try:
                yield self._index
            finally:
                self._depth -= 1

    def _refresh(self, just_stored: StoredMemory | None = None) -> None:
        for store, followed in self._followed.items():
            if just_stored is None or (just_stored.store is store and not followed.take_in(just_stored)):
                followed.refresh()

    def bring_up_to_date(self) -> None:
        """Update the index now. Raises StoreUnavailable."""
        with self.current():
            pass

    def load(self) -> None:
        """Load now what the first request would otherwise wait for."""
        self.bring_up_to_date()
        self.save(between_requests=True)

    def embed_missing(self, check: Callable[[], None] = lambda: None) -> int:
        """Embed memories without a vector, while the model is usable, then `save`; return how many were embedded.

        For a background thread. `check` is called before each batch, and raises to stop. Raises StoreUnavailable.
        """
        count = 0
        while embedded := self._embed_batch(check):
            count += embedded
        self.save(between_requests=True, embedded=True)
        return count

    def _embed_batch(self, check: Callable[[], None]) -> int:
        """Embed some memories; return how many, 0 if nothing is left to do now."""
        check()
        with self.current():
            missing_before = self._meaning.count_missing()
            texts = self._texts_of(self._meaning.missing(MAX_EMBEDDED_AT_ONCE))
        embedded = self._meaning.embed(texts) if texts else None
        if embedded is None:
            return 0
        with self.current():
            self._store_vectors(*embedded)
            if self._meaning.count_missing() >= missing_before:  # texts or model changed during the batch
                return 0
        return len(texts)

    def _texts_for_quick_model(self) -> list[tuple[str, str]]:
        """Return (id, text) of the memories that lack a vector, if they are few and the model is quick."""
        if not self._meaning.is_quick() or self._meaning.count_missing() > MAX_EMBEDDED_IN_REQUEST:
            return []
        return self._texts_of(self._meaning.missing(MAX_EMBEDDED_IN_REQUEST))

    def _store_vectors(self, model: str, rows: Sequence[tuple[str, bytes, bytes]]) -> None:
        self._meaning.add_vectors(model, rows)
        by_id = {row[0]: row for row in rows}
        for store, group in self._index.by_store(by_id):
            self._meaning.save_vectors(self.stores.index(store), model, [by_id[id] for id in group])

    def _texts_of(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """Return (id, text) of those memories in `ids` that still exist."""
        texts = {id: text for id in ids if (text := self._meaning.texts.pop(id, None)) is not None}
        for store, group in self._index.by_store([id for id in ids if id not in texts]):
            texts |= {id: text_of(record) for id, record in store.get_many(group).items()}
        return list(texts.items())

    def consistent_answer(self, make: Callable[[MemoryIndex], T], ids_of: Callable[[T], list[str]]) -> T:
        """Return the result of `make`, called again if other processes or files changed the memories in the result."""
        with self.current() as index:
            for _ in range(_MAX_ATTEMPTS):
                corrections = index.corrections
                answer = make(index)
                if not self.correct(ids_of(answer)) and index.corrections == corrections:
                    break
        return answer

    def correct(self, ids: Iterable[str]) -> bool:
        """Judge memories again if their files changed without notice from the watcher; return whether any had."""
        if self._files is None:
            return False
        with self.current() as index:
            rows = [row for id in ids if (row := index.rows.get(id)) is not None and row.store is self.workspace_store]
            changed = self._files.take_changed(sorted({path for row in rows for path in row.files}))
            if changed:
                self.judge_memories_about(changed)
        return bool(changed)

    def judge_memories_about(self, paths: Iterable[str]) -> None:
        """Judge again the memories that name these files or files in these folders, and those whose file is gone."""
        wanted = frozenset(paths)
        affected = self._records_about(wanted)
        if not affected:
            return
        for record in affected:
            self.view.judged(record, self.workspace_store)  # reads and parses files: searches need not wait for it
        with self.current() as index:
            for record in self._records_about(wanted):
                index.add(record, self.workspace_store)
        self.view.change_noticed.announce()

    def judge_memories_with_gone_files(self) -> None:
        """Judge again the memories whose file was gone, since a file that was just read may be theirs."""
        self.judge_memories_about(())

    def _records_about(self, paths: frozenset[str]) -> list[MemoryRecord]:
        with self.current() as index:
            prefixes = ((path, accumulate(path.split("/"), "{}/{}".format)) for path in index.by_file)
            about = [path for path, folders in prefixes if not paths.isdisjoint(folders)]
            affected = self.view.ids_with_gone_file.union(*(index.by_file[path] for path in about))
            ids = sorted(id for id in affected if (row := index.rows.get(id)) and row.store is self.workspace_store)
            return list(self.workspace_store.get_many(ids).values())

    def save(self, *, between_requests: bool = False, embedded: bool = False) -> None:
        """Save a snapshot of each store whose last one lacks many documents, or the current model's vectors.

        Many are at least 200 documents and 1 %; just after memories were `embedded`, 2,000 and 25 %. Give up if the
        catalogue stays busy for 0.1 s or, `between_requests`, for 30 s. A failure only makes the next start slower.
        """
        patience = BACKGROUND_PATIENCE_SECONDS if between_requests else CLOSING_PATIENCE_SECONDS
        for store in self.stores:
            try:
                self._save_if_due(store, patience, embedded)
            except SidecarError as error:
                log.log(level_of(error), "The snapshot of the index was not saved: %s", error.message)

    def _save_if_due(self, store: MemoryStore, patience: float, embedded: bool) -> None:
        if not self._lock.acquire(timeout=patience):
            return
        try:
            part = self._followed[store]
            snapshot = part.due_snapshot(embedded=embedded)
        finally:
            self._lock.release()
        if snapshot is None:
            return
        try:
            with pause_collector():
                packed = snapshot.pack()
        except OverflowError as error:  # a time or number does not fit its column
            log.info("The snapshot of the index was not saved: %s", error)
            return
        if not store.derived.put(SNAPSHOT_NAME, packed, snapshot.purges):
            return
        with self._lock:
            part.mark_saved(snapshot)
            if snapshot.halves_heap:
                del packed, snapshot, part  # free memory for the parts that are opened next
                self._reopen()

    def _reopen(self) -> None:
        """Replace the index in memory by the stores' snapshots, which take less memory; the caller holds the lock."""
        self._meaning.clear()
        self._index = MemoryIndex(self.stores, self._meaning, self.view)
        self._followed = {store: FollowedStore(self._index, store) for store in self.stores}
        with self.current():
            return_free_heap()


def not_found(id: str, versions: Sequence[VersionRecord]) -> MemoryNotFound:
    """Return the error for an unknown id; for a deleted memory, the error says how to restore it."""
    if versions and versions[0].memory is None:
        return MemoryNotFound("This memory was deleted.", path="$.id", hint="memory/restore brings it back.")
    hint = "memory/list shows what there is; a purged memory is gone for good."
    return MemoryNotFound(f"No memory has the id {id}.", path="$.id", hint=hint)
