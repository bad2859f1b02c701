"""Record memories, for `memory/record` and from lessons.

Memories recorded together share a commit; the results are the same as if they were recorded one after another.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import msgspec

from sidecar.memories.announcing import MemoriesChanged
from sidecar.memories.drafts import Draft
from sidecar.memories.index.catalogue import Catalogue
from sidecar.memories.index.followed_store import StoredMemory
from sidecar.memories.recording import forgetting, record_writes
from sidecar.memories.recording.memory_links import FoundLinks, MemoryLinks
from sidecar.memories.recording.references import ReferenceFinder, with_references
from sidecar.memories.results import RecordedMemory, Redaction
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.memory_store import GroupCommit, MemoryStore, MemoryTransaction, Use
from sidecar.store.records import MemoryRecord, TombstoneRecord

log = logging.getLogger(__name__)

RecordOutcome = RecordedMemory | BaseException


class Recording(msgspec.Struct):
    """A memory to record, and how far its recording has come."""

    make_draft: Callable[[], Draft]
    check: Callable[[], object] = lambda: None  # raises if the request was cancelled
    checked: MemoryRecord | None = None  # the draft as a memory, once it is checked
    redactions: tuple[Redaction, ...] = ()
    transaction: MemoryTransaction | None = None
    stored: StoredMemory | None = None
    outcome: RecordOutcome = msgspec.field(default_factory=lambda: RuntimeError("The memory was not recorded."))

    @contextlib.contextmanager
    def failing_alone(self) -> Iterator[None]:
        """Turn an error in the block into this memory's outcome, so that it does not fail the others."""
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - each memory is owed an answer
            self.outcome = error


@dataclass(eq=False)
class Recorder:
    """Records memories: checks and stores each memory and, once it is durable, links it and finds similar ones."""

    _catalogue: Catalogue
    _links: MemoryLinks
    _references: ReferenceFinder | None
    _changed: MemoriesChanged
    _clock: Clock
    _new_id: Callable[[int], str]

    def record(self, draft: Draft) -> RecordedMemory:
        """Store one memory; if its key exists, merge as `record_writes.merge` does. Raises InvalidField."""
        return _result_of(self.record_together([Recording(lambda: draft)])[0])

    def record_together(self, recordings: Sequence[Recording]) -> list[RecordOutcome]:
        """Store memories in one commit; each is made from its draft, and succeeds or fails by itself.

        A memory that the commit did not store is tried again alone.
        """
        if len(recordings) > 1:
            # Otherwise `Catalogue.current` reads from the store again what was just stored.
            with contextlib.suppress(StoreUnavailable):
                self._catalogue.bring_up_to_date()
        tombstones_of = cache(MemoryStore.tombstones)
        for recording in recordings:
            with recording.failing_alone():
                recording.check()
                recording.checked, recording.redactions = self._prepare(recording.make_draft(), tombstones_of)
        self._write(recordings)
        self._finish(recordings)
        for recording in recordings:
            if recording.transaction is not None and recording.transaction.failure is not None:
                (recording.outcome,) = self.record_together([Recording(recording.make_draft, recording.check)])
        return [recording.outcome for recording in recordings]

    def learn(self, draft: Draft) -> RecordedMemory | None:
        """Store a learned memory; return None if `forgetting.is_refused` refuses it. Raises InvalidField."""
        record, redactions = self._check_draft(draft)
        now, store, fingerprint = record.created_at, self._store_of(record), forgetting.fingerprint_of(record)
        buried = any(forgetting.matching_ids(each.tombstones(), fingerprint) for each in self._catalogue.stores)
        if buried or forgetting.was_archived_on_purpose(self._catalogue, record, now):
            return None
        with store.transaction() as transaction:
            put = record_writes.put_learned(record, transaction, now)
        if put is None:
            return None
        recording = Recording(lambda: draft, checked=record, redactions=redactions, transaction=transaction)
        recording.stored = StoredMemory(*put, store, transaction.seq)
        self._finish([recording])
        return _result_of(recording.outcome)

    def _prepare(
        self, draft: Draft, tombstones_of: Callable[[MemoryStore], tuple[TombstoneRecord, ...]]
    ) -> tuple[MemoryRecord, tuple[Redaction, ...]]:
        """Check a draft, and lift its tombstones in the other store. `put_recorded` lifts those in its own store."""
        record, redactions = self._check_draft(draft)
        for other in self._catalogue.stores:
            if other is self._store_of(record) or not (buried := tombstones_of(other)):
                continue
            if forgetting.matching_ids(buried, forgetting.fingerprint_of(record)):
                with other.transaction() as transaction:
                    record_writes.lift_tombstones(transaction, record)
        return record, redactions

    def _check_draft(self, draft: Draft) -> tuple[MemoryRecord, tuple[Redaction, ...]]:
        record, redactions = record_writes.prepare(draft, self._clock(), self._new_id)
        return with_references(record, self._references), redactions

    def _store_of(self, record: MemoryRecord) -> MemoryStore:
        return self._catalogue.store_of(record.scope)

    def _write(self, recordings: Sequence[Recording]) -> None:
        commit = GroupCommit() if len(recordings) > 1 else None  # a single one costs no savepoint
        try:
            for recording in recordings:
                if (checked := recording.checked) is not None:
                    store = self._store_of(checked)
                    with recording.failing_alone():
                        recording.check()
                        with store.transaction(commit) as recording.transaction:
                            put = record_writes.put_recorded(checked, recording.transaction, checked.created_at)
                        recording.stored = StoredMemory(*put, store, recording.transaction.seq)
        finally:
            if commit is not None:
                commit.commit()

    def _finish(self, recordings: Sequence[Recording]) -> None:
        """Link and announce the memories that are on disk, even if a request was cancelled meanwhile."""
        recorded: list[RecordedMemory] = []
        found_links: list[FoundLinks] = []
        for recording in recordings:
            checked, stored, transaction = recording.checked, recording.stored, recording.transaction
            if checked is None or stored is None or transaction is None or transaction.failure is not None:
                continue
            with recording.failing_alone():
                if stored.status != "created":  # an earlier draft of this batch may have made the memory
                    self._write_links(found_links)
                    found_links.clear()
                status, memory, store, _ = stored
                is_new = status == "created"
                with self._catalogue.current(stored):  # the index now holds the memory
                    links = self._links.find(memory, checked.content, checked.created_at, is_new=is_new)
                found_links.append(links)
                use = Use() if is_new else store.uses([memory.id]).get(memory.id, Use())
                judged = self._catalogue.view.judged(memory, store)
                outcome = RecordedMemory(status, judged, links.similar, recording.redactions, use.times, use.last)
                recording.outcome = outcome
                recorded.append(outcome)
        self._write_links(found_links)
        self._changed.announce_recorded(recorded)

    def _write_links(self, found_links: Collection[FoundLinks]) -> None:
        """Store links of stored memories. If that fails, only the links are lost."""
        try:
            self._links.store_found(found_links)
        except StoreUnavailable as error:
            log.warning("Links of recorded memories were not stored: %s", error)


def _result_of(outcome: RecordOutcome) -> RecordedMemory:
    """Return what was recorded. Raises the error if the recording failed."""
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome
