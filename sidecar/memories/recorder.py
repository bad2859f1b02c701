"""Record memories, for `memory/record` and the learner.

Memories recorded together share a commit; the results are the same as if they were recorded one after another.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from sidecar.memories import forgetting, record_writes
from sidecar.memories.announcing import MemoriesChanged
from sidecar.memories.catalogue import Catalogue
from sidecar.memories.drafts import Draft
from sidecar.memories.links import FoundLinks, MemoryLinks
from sidecar.memories.record_writes import StoredMemory
from sidecar.memories.results import Recorded, Redaction
from sidecar.memories.searching import was_archived_on_purpose
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.memory_store import MemoryStore, MemoryTransaction, SharedCommit, Use
from sidecar.store.records import MemoryRecord, TombstoneRecord

log = logging.getLogger(__name__)

Outcome = Recorded | BaseException
Check = Callable[[], None]
"""Raises if the recording of a memory was cancelled."""


class Prepared(NamedTuple):
    record: MemoryRecord
    redactions: tuple[Redaction, ...]
    store: MemoryStore
    now: int


class _BatchItem(msgspec.Struct):
    """A draft of a batch, and how far its recording has come."""

    draft: Draft
    check: Check
    prepared: Prepared | None = None
    transaction: MemoryTransaction | None = None
    stored: StoredMemory | None = None
    outcome: Any = None

    @contextlib.contextmanager
    def failing_alone(self) -> Iterator[None]:
        """Turn an error in the block into this item's outcome, so that it does not fail the batch."""
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - each memory is owed an answer
            self.outcome = error


class Recorder:
    """Records memories: checks and stores each memory and, once it is durable, links it and finds similar ones."""

    def __init__(
        self,
        catalogue: Catalogue,
        links: MemoryLinks,
        changed: MemoriesChanged,
        clock: Callable[[], int],
        new_id: Callable[[int], str],
    ) -> None:
        self._catalogue = catalogue
        self._view = catalogue.view
        self._links = links
        self._changed = changed
        self._clock = clock
        self._new_id = new_id

    def record(self, draft: Draft) -> Recorded:
        """Store one memory; if its key exists, merge as `record_writes.merge` does. Raises InvalidField."""
        prepared = self._prepare(draft)
        with prepared.store.transaction() as transaction:
            put = record_writes.put_recorded(prepared.record, transaction, prepared.now)
        return self._finish_alone(prepared, StoredMemory(*put, prepared.store, transaction.seq))

    def record_together(self, drafts: Sequence[tuple[Draft, Check]]) -> list[Outcome]:
        """Store memories in one commit; each succeeds or fails by itself.

        A memory that the commit did not store is tried again alone.
        """
        if len(drafts) == 1:
            return [self._record_or_fail(*drafts[0])]
        items = [_BatchItem(draft, check) for draft, check in drafts]
        with contextlib.suppress(StoreUnavailable), self._catalogue.current():
            pass  # bring the catalogue up to date, so that `_finish_batch` need not read what was stored
        tombstones_of = cache(MemoryStore.tombstones)
        for item in items:
            with item.failing_alone():
                item.check()
                item.prepared = self._prepare(item.draft, tombstones_of)
        self._store_batch(items)
        self._changed.announce_recorded(self._finish_batch(items))
        return [item.outcome for item in items]

    def learn(self, draft: Draft) -> Recorded | None:
        """Store a learned memory; return None if `forgetting.is_refused` refuses it. Raises InvalidField."""
        prepared = self._check_draft(draft)
        fingerprint = forgetting.fingerprint_of(prepared.record)
        buried = any(forgetting.matching_ids(store.tombstones(), fingerprint) for store in self._catalogue.stores)
        if buried or was_archived_on_purpose(self._catalogue, prepared.record, prepared.now):
            return None
        with prepared.store.transaction() as transaction:
            put = record_writes.put_learned(prepared.record, transaction, prepared.now)
        if put is None:
            return None
        return self._finish_alone(prepared, StoredMemory(*put, prepared.store, transaction.seq))

    def _prepare(
        self, draft: Draft, tombstones_of: Callable[[MemoryStore], tuple[TombstoneRecord, ...]] = MemoryStore.tombstones
    ) -> Prepared:
        """Check a draft, and lift its tombstones in the other store; `put_recorded` lifts those in its own store."""
        prepared = self._check_draft(draft)
        for other in self._catalogue.stores:
            if other is prepared.store or not (buried := tombstones_of(other)):
                continue
            if forgetting.matching_ids(buried, forgetting.fingerprint_of(prepared.record)):
                with other.transaction() as transaction:
                    record_writes.lift_tombstones(transaction, prepared.record)
        return prepared

    def _check_draft(self, draft: Draft) -> Prepared:
        now = self._clock()
        record, redactions = record_writes.prepare(draft, now, self._new_id)
        return Prepared(self._view.with_references(record), redactions, self._catalogue.store_of(record.scope), now)

    def _finish(self, prepared: Prepared, just_stored: StoredMemory) -> tuple[Recorded, FoundLinks]:
        status, record, store, _ = just_stored
        links = self._links.find(record, prepared.record.content, prepared.now, just_stored)
        use = Use() if status == "created" else store.uses([record.id]).get(record.id, Use())
        seen = self._view.judged(record, store)
        return Recorded(status, seen, links.similar, prepared.redactions, use.times, use.last), links

    def _finish_alone(self, prepared: Prepared, just_stored: StoredMemory) -> Recorded:
        recorded, links = self._finish(prepared, just_stored)
        self._store_links([links])
        self._changed.announce_recorded([recorded])
        return recorded

    def _store_links(self, found_links: Collection[FoundLinks]) -> None:
        """Store links of stored memories. If that fails, only the links are lost."""
        try:
            self._links.store_found(found_links)
        except StoreUnavailable as error:
            log.warning("Links of recorded memories were not stored: %s", error)

    def _record_or_fail(self, draft: Draft, check: Check) -> Outcome:
        try:
            check()
            return self.record(draft)
        except BaseException as error:  # noqa: BLE001 - each memory is owed an answer
            return error

    def _store_batch(self, items: Sequence[_BatchItem]) -> None:
        commit = SharedCommit()
        try:
            for item in items:
                if item.prepared is not None:
                    record, _, store, now = item.prepared
                    with item.failing_alone():
                        item.check()
                        with store.transaction(commit) as item.transaction:
                            put = record_writes.put_recorded(record, item.transaction, now)
                        item.stored = StoredMemory(*put, store, item.transaction.seq)
        finally:
            commit.commit()

    def _finish_batch(self, items: Sequence[_BatchItem]) -> list[Recorded]:
        """Link and return the stored memories, even if a request was cancelled meanwhile."""
        done: list[Recorded] = []
        found_links: list[FoundLinks] = []
        for item in items:
            if item.prepared is None or item.transaction is None:
                continue
            failed = item.transaction.failure is not None
            with item.failing_alone():
                if failed or (item.stored is not None and item.stored.status != "created"):
                    self._store_links(
                        found_links
                    )  # of the memory that was stored: this one, or the one into which it was merged
                    found_links.clear()
                if item.stored is not None and not failed:
                    item.outcome, links = self._finish(item.prepared, item.stored)
                    found_links.append(links)
                    done.append(item.outcome)
            if failed:
                item.outcome = self._record_or_fail(item.draft, item.check)
        self._store_links(found_links)
        return done
