"""An index in memory over the memories of both stores: a few columns and the words of each; texts stay in the stores.

The catalogue follows the stores' change logs, and so sees writes of other processes. Use it inside `with
catalogue.current():`, which refreshes and locks it. Each store holds a snapshot of its part (`catalogue_snapshot.py`).
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING

from sidecar.memories import catalogue_snapshot, indexed_text
from sidecar.memories.drafts import Filters
from sidecar.memories.entities import EntityIndex, discard
from sidecar.memories.meaning import MAX_BATCH, MAX_INLINE, Meaning, text_of
from sidecar.memories.ranking import CATEGORY_WEIGHT, PER_VERDICT, SUSPECT_PENALTY, verdict
from sidecar.memories.selection import Selection, SessionOrders, row_of
from sidecar.memories.stored_rows import CatalogueRows, LazyCollections
from sidecar.memories.supersession import KINDS, Supersession
from sidecar.memories.visibility import CheckoutView
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.priority import return_free_memory
from sidecar.store.faults import level_of
from sidecar.store.gc_pause import pause_collector
from sidecar.store.lexical import LexicalIndex
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import rule_of

ATTEMPTS = 3  # how often an answer is made if files of its memories turn out to have changed
_MAX_SELECTIONS = 16
SAVED_AFTER = 200  # documents: analysing fewer costs less than writing a snapshot
REOPENED_AFTER = 2_000  # documents: after analysing so many, opening the new snapshot halves the memory in use
CLOSING_PATIENCE = 0.1  # seconds that `save` waits at the end of a process for a request or a load to finish

if TYPE_CHECKING:
    from sidecar.memories.record_writes import StoredMemory

log = logging.getLogger(__name__)

_WISH_RULES = frozenset(("rule", "preference", "correction", "model"))


class Catalogue:
    """The catalogue of both stores. Memories that are `exempt` are shown whatever the prompt is about."""

    def __init__(self, stores: tuple[MemoryStore, MemoryStore], meaning: Meaning, view: CheckoutView) -> None:
        self.view = view
        self.stores = stores  # the workspace's, the user's
        self.meaning = meaning
        self.corrections = 0
        self._lock = threading.RLock()
        self._users = 0  # nested blocks of `current`
        self._reset()

    def store_of(self, scope: str) -> MemoryStore:
        return self.stores[scope == "global"]

    def _reset(self) -> None:
        self.rows = CatalogueRows()
        self.by_file: LazyCollections[str, set[str]] = LazyCollections(set, set.union)
        self.superseding = Supersession(self.rows)
        self.exempt: set[str] = set()
        self.verdicts: dict[str, int] = {}  # of memories with a verdict
        self.grounded: set[str] = set()  # memories that each checkout judges by the files they name
        self.entities = EntityIndex()
        self.index = LexicalIndex()
        self.in_sessions: LazyCollections[str, list[tuple[int, str]]] = LazyCollections(
            list, lambda old, new: sorted([*old, *new])
        )
        self._sessions = SessionOrders(self.in_sessions)
        self._followed_to: dict[int, int] = {}  # by store, the last change known
        self._unsaved: dict[int, int] = {}  # by store, documents analysed since its snapshot
        self._snapshot_models: dict[int, str] = {}  # by store, the model of the vectors in its snapshot; "" for none
        self._selections: OrderedDict[Filters, Selection] = OrderedDict()

    @contextmanager
    def current(self, stored: StoredMemory | None = None) -> Iterator[Catalogue]:
        """Yield this catalogue to one thread; the outermost block brings it up to date. Raises StoreUnavailable.

        With `stored`, which this thread has just recorded, read changes only up to that record, and embed nothing.
        """
        with self._lock:
            if not self._users:
                for position, store in enumerate(self.stores):
                    if stored is None or (stored.store is store and not self._follow(position, stored)):
                        self._refresh(position, store)
                if stored is None and self.meaning.is_quick() and 0 < self.meaning.count_missing() <= MAX_INLINE:
                    self._embed(self.meaning.missing(MAX_INLINE))
            self._users += 1
            try:
                yield self
            finally:
                self._users -= 1

    def _follow(self, position: int, stored: StoredMemory) -> bool:
        """Add a stored memory if it is the next change; return whether all changes up to it are known."""
        seen = self._followed_to.get(position, -1)
        if seen == stored.seq - 1 and stored.status != "duplicate":
            self._unsaved[position] += self._add(stored.record, stored.store)
            seen = self._followed_to[position] = stored.seq
        return seen >= stored.seq

    def embed_missing(self, check: Callable[[], None]) -> int:
        """Embed memories without a vector, in batches, as long as the model is usable; return how many.

        For a background thread. `check` is called before each batch, and stops by raising. Raises StoreUnavailable.
        """
        done = 0
        while True:
            check()
            with self.current():
                missing_before = self.meaning.count_missing()
                texts = self._texts(self.meaning.missing(MAX_BATCH))
            if not texts:
                return done
            embedded = self.meaning.embed([pair for pairs in texts.values() for pair in pairs])
            if embedded is None:
                return done
            model, rows = embedded
            with self.current():
                self._store_vectors(texts, model, rows)
                if self.meaning.count_missing() >= missing_before:  # the texts or the model have changed meanwhile
                    return done
            done += len(rows)

    def _embed(self, ids: Sequence[str]) -> None:
        texts = self._texts(ids)
        embedded = self.meaning.embed([pair for pairs in texts.values() for pair in pairs])
        if embedded is not None:
            self._store_vectors(texts, *embedded)

    def _store_vectors(
        self, texts: dict[int, list[tuple[str, str]]], model: str, rows: list[tuple[str, bytes, bytes]]
    ) -> None:
        self.meaning.take(model, rows)
        by_id = {row[0]: row for row in rows}
        for position, pairs in texts.items():
            self.meaning.keep(position, model, [by_id[id] for id, _ in pairs])

    def _texts(self, ids: Sequence[str]) -> dict[int, list[tuple[str, str]]]:
        texts = {id: text for id in ids if (text := self.meaning.texts.pop(id, None)) is not None}
        for store, group in self.by_store([id for id in ids if id not in texts]):
            texts |= {id: text_of(record) for id, record in store.get_many(group).items()}
        return {
            self.stores.index(store): [(id, texts[id]) for id in group if id in texts]
            for store, group in self.by_store(ids)
        }

    def by_store(self, ids: Iterable[str]) -> Iterator[tuple[MemoryStore, list[str]]]:
        """Yield each store with the ids, among these, of its memories."""
        known = [(id, row.store) for id in ids if (row := self.rows.get(id)) is not None]
        for store in self.stores:
            if group := [id for id, holder in known if holder is store]:
                yield store, group

    def select(self, filters: Filters, now: int) -> Selection:
        selection = self._selections.get(filters)
        if selection is None or not selection.holds(now):
            selection = self._selections[filters] = Selection(filters, self.rows, now)
            while len(self._selections) > _MAX_SELECTIONS:
                self._selections.popitem(last=False)
        self._selections.move_to_end(filters)
        return selection

    def search(self, query: str, selection: Selection, most: int) -> tuple[Sequence[str], Sequence[float]]:
        """Return the ids and BM25 scores of the `most` best selected memories, ties included."""
        return self.index.ranked(query, None if len(selection) == len(self.rows) else selection.ids.__contains__, most)

    def neighbours(self, id: str) -> list[tuple[str, int]]:
        """Return the memories recorded next to a memory in its session, with their distance, nearest first."""
        session = self.rows.session(id)
        return [] if session is None else self._sessions.neighbours(session, self.rows[id].created_at, id)

    def save(self, patience: float, *, vectors: bool = False) -> None:
        """Save a snapshot of each store's part if 200 documents have changed or the model's vectors are missing there.

        With `vectors`, after embedding, save only if a quarter has changed. Give up if the catalogue stays busy for
        `patience` seconds; failing only slows the next start.
        """
        for position, store in enumerate(self.stores):
            try:
                self._save(position, store, patience, vectors)
            except SidecarError as error:
                log.log(level_of(error), "The snapshot of the index was not saved: %s", error.message)

    def _save(self, position: int, store: MemoryStore, patience: float, vectors: bool) -> None:
        if not self._lock.acquire(timeout=patience):
            return
        try:
            if position not in self._followed_to:
                return
            self._refresh(position, store)
            behind = self._unsaved[position]
            saved = store.derived.has(catalogue_snapshot.NAME)
            model = self.meaning.model or ""
            bare = model not in ("", self._snapshot_models.get(position, ""))
            enough = max(REOPENED_AFTER, len(self.rows) // 4) if vectors else max(SAVED_AFTER, len(self.rows) // 100)
            if behind < enough and ((saved and not bare) or self.rows.size(store) < SAVED_AFTER):
                return
            seq, purges = self._followed_to[position], store.derived.purge_state()
            with pause_collector():
                snapshot = catalogue_snapshot.make_snapshot(self, store, seq, _recipe())
        finally:
            self._lock.release()
        if snapshot is None:
            return
        try:
            with pause_collector():
                packed = snapshot()
        except OverflowError as error:  # a time or a number that fits no column
            log.info("The snapshot of the index was not saved: %s", error)
            return
        if not store.derived.put(catalogue_snapshot.NAME, packed, purges):
            return
        with self._lock:
            self._unsaved[position] -= behind
            self._snapshot_models[position] = model
            if max(behind, len(self.rows) * bare) >= REOPENED_AFTER:
                del packed, snapshot  # free their memory before the opened parts need it
                self.meaning.clear()
                self._reset()
                with self.current():
                    return_free_memory()

    def _open(self, position: int, store: MemoryStore) -> None:
        """Load a store's snapshot, if it has a usable one."""
        try:
            opened = catalogue_snapshot.open_snapshot(self, store, _recipe())
        except ValueError as error:
            log.info("The snapshot of the index in %s is not used: %s.", store.directory, error)
            return
        if opened is not None:
            seq, self._snapshot_models[position] = opened
            self.superseding.reload(position, store.links_of_kinds(KINDS))
            self._unsaved[position], self._followed_to[position] = 0, seq
            grounded = sorted(id for id in self.grounded if self.rows[id].store is store)
            for record in store.get_many(grounded).values():
                if row_of(record, self.view.as_checkout_sees(record, store), store) != self.rows[record.id]:
                    self._add(record, store)

    def fetch_corrected(self, store: MemoryStore, ids: Iterable[str]) -> dict[str, MemoryRecord]:
        """Return these memories from a store, and correct the catalogue where another process has changed them.

        Each correction counts in `corrections`, so that an answer under way is made again.
        """
        records = store.get_many(ids)
        for id in ids:
            row, record = self.rows.get(id), records.get(id)
            if record is None:
                self._remove(id)
            elif row is None or (row.version, row.updated_at) != (record.version, record.updated_at):
                self._add(record, store)
            else:
                continue
            self.corrections += 1
        return records

    def correct(self, ids: Iterable[str]) -> bool:
        """Judge these memories again if their files changed unannounced; return whether any file did."""
        with self.current():
            rows = [row for id in ids if (row := self.rows.get(id)) is not None and row.store is self.view.store]
            changed = self.view.outdated(sorted({path for row in rows for path in row.files}))
            if changed:
                self.judge_again(changed)
        return bool(changed)

    def judge_again(self, paths: Iterable[str]) -> None:
        """Judge memories about these files, and memories with lost files, again."""
        with self.current():
            wanted = set(paths)
            about = [
                path for path in self.by_file if not wanted.isdisjoint(accumulate(path.split("/"), "{}/{}".format))
            ]
            affected = self.view.lost.union(*(self.by_file[path] for path in about))
            ids = sorted(id for id in affected if (row := self.rows.get(id)) and row.store is self.view.store)
            for record in self.view.store.get_many(ids).values():
                self._add(record, self.view.store)
            if ids:
                self.view.change_noticed()

    def _refresh(self, position: int, store: MemoryStore) -> None:
        seen = self._followed_to.get(position)
        if seen is not None and store.seq() == seen:
            return
        if seen is None:
            with pause_collector():
                self._open(position, store)
                if position not in self._followed_to:
                    self._reload(position, store)
            seen = self._followed_to[position]
        changes = store.changes(seen)
        if changes.ids is None:
            self._reload(position, store)
            return
        records, linked = store.get_many(changes.ids), store.links_by_memory(changes.ids)
        for id in changes.ids:
            if id in records:
                self._unsaved[position] += self._add(records[id], store)
            else:
                self._unsaved[position] += self._remove(id)
            self.superseding.update_links(position, id, linked[id])
        self._followed_to[position] = changes.seq

    def _reload(self, position: int, store: MemoryStore) -> None:
        seq = store.seq()  # before the memories, so that what is written meanwhile is read again, not missed
        self._selections.clear()  # a new selection costs less than many changes of an old one
        gone = (
            {row.id for row in self.rows.each() if row.store is store} if position in self._followed_to else set[str]()
        )
        behind = 0
        for record in store.each():
            gone.discard(record.id)
            behind += self._add(record, store)
        for id in gone:
            behind += self._remove(id)
        self.superseding.reload(position, store.links_of_kinds(KINDS))
        self._unsaved[position] = self._unsaved.get(position, 0) + behind
        self._followed_to[position] = seq

    def _add(self, record: MemoryRecord, store: MemoryStore) -> bool:
        """Add or replace a memory; return whether its text had to be analysed."""
        self._forget(record.id)
        stored, record = record, self.view.as_checkout_sees(record, store)
        row = self.rows[record.id] = row_of(stored, record, store)
        if record.session_id is not None:
            self._sessions.add(record.session_id, record.created_at, record.id)
        for selection in self._selections.values():
            selection.add(row)
        for path in row.files:
            self.by_file.setdefault(path, set()).add(record.id)
        wish = record.type == "feedback" and rule_of(record.source) in _WISH_RULES  # holds whatever the prompt is about
        wanted = record.pinned or record.category == "directive" or record.type == "user" or wish
        if any(reference.path is not None and reference.hash is not None for reference in stored.references):
            self.grounded.add(record.id)
        if wanted and not row.foreign:
            self.exempt.add(record.id)
        if votes := verdict(record.useful, record.not_useful):
            self.verdicts[record.id] = votes
        if record.supersedes is not None:
            self.superseding.add_record(record.id, record.supersedes)
        self.meaning.add(record)
        self.entities.put(record)
        return self.index.add(record.id, indexed_text.indexed_fields(stored))

    def _remove(self, id: str) -> bool:
        """Remove a memory; return whether it was in the index."""
        self._forget(id)
        self.meaning.remove(id)
        return self.index.remove(id)

    def _forget(self, id: str) -> None:
        row = self.rows.pop(id)
        if row is None:
            return
        for selection in self._selections.values():
            selection.remove(row)
        if row.session is not None:
            self._sessions.remove(row.session, row.created_at, id)
        for path in row.files:
            discard(self.by_file, path, id)
        if row.supersedes is not None:
            self.superseding.drop_record(id, row.supersedes)
        self.exempt.discard(id)
        self.verdicts.pop(id, None)
        self.grounded.discard(id)
        self.entities.drop(id)


def _recipe() -> str:
    """Return everything on which a snapshot depends besides the store."""
    return f"{indexed_text.weights()} {CATEGORY_WEIGHT} {SUSPECT_PENALTY} {PER_VERDICT} {sorted(_WISH_RULES)}"
