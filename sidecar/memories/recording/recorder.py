"""Record memories, for `memory/record` and from lessons.

Memories recorded together share a commit; the results are the same as if they were recorded one after another.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple, TypeVar

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

Input = TypeVar("Input")
Result = TypeVar("Result")
RecordOutcome = RecordedMemory | BaseException


class Recording(msgspec.Struct, frozen=True):
    """A memory to record."""

    make_draft: Callable[[], Draft]
    check: Callable[[], object] = lambda: None  # raises if the request was cancelled


class _Checked(NamedTuple):
    recording: Recording
    record: MemoryRecord
    redactions: tuple[Redaction, ...]


class _Stored(NamedTuple):
    """A memory that was written, and is on disk unless its `transaction` has a `failure`."""

    checked: _Checked
    memory: StoredMemory
    transaction: MemoryTransaction


@dataclass(eq=False)
class Recorder:
    """Records memories: checks and stores each memory and, once it is durable, links it and finds similar ones."""

    _catalogue: Catalogue
    _links: MemoryLinks
    _reference_finder: ReferenceFinder | None
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
            # Refreshed first, the index takes in each memory alone; if not, it would read all of them from the store.
            with contextlib.suppress(StoreUnavailable):
                self._catalogue.bring_up_to_date()
        tombstones_of = cache(MemoryStore.tombstones)
        checked = _for_each(partial(self._prepare, tombstones_of), recordings)
        commit = GroupCommit() if len(recordings) > 1 else None  # a single one costs no savepoint
        try:
            stored = _for_each(partial(self._write, commit), checked)
        finally:
            if commit is not None:
                commit.commit()
        outcomes = self._finish(stored)
        for number, each in enumerate(stored):
            if isinstance(each, _Stored) and each.transaction.failure is not None:
                (outcomes[number],) = self.record_together([each.checked.recording])
        return outcomes

    def learn(self, draft: Draft) -> RecordedMemory | None:
        """Store a learned memory; return None if `forgetting.is_refused` refuses it. Raises InvalidField."""
        checked = self._check(Recording(lambda: draft))
        record = checked.record
        now, store, fingerprint = record.created_at, self._store_of(record), forgetting.fingerprint_of(record)
        buried = any(forgetting.matching_ids(each.tombstones(), fingerprint) for each in self._catalogue.stores)
        if buried or forgetting.was_archived_on_purpose(self._catalogue, record, now):
            return None
        with store.transaction() as transaction:
            put = record_writes.put_learned(record, transaction, now)
        if put is None:
            return None
        (outcome,) = self._finish([_Stored(checked, StoredMemory(*put, store, transaction.seq), transaction)])
        return _result_of(outcome)

    def _prepare(
        self, tombstones_of: Callable[[MemoryStore], tuple[TombstoneRecord, ...]], recording: Recording
    ) -> _Checked:
        """Check a draft, and lift its tombstones in the other store. `put_recorded` lifts those in its own store."""
        checked = self._check(recording)
        for other in self._catalogue.stores:
            if other is self._store_of(checked.record) or not (buried := tombstones_of(other)):
                continue
            if forgetting.matching_ids(buried, forgetting.fingerprint_of(checked.record)):
                with other.transaction() as transaction:
                    record_writes.lift_tombstones(transaction, checked.record)
        return checked

    def _check(self, recording: Recording) -> _Checked:
        recording.check()
        record, redactions = record_writes.prepare(recording.make_draft(), self._clock(), self._new_id)
        return _Checked(recording, with_references(record, self._reference_finder), redactions)

    def _store_of(self, record: MemoryRecord) -> MemoryStore:
        return self._catalogue.store_of(record.scope)

    def _write(self, commit: GroupCommit | None, checked: _Checked) -> _Stored:
        checked.recording.check()
        store = self._store_of(checked.record)
        with store.transaction(commit) as transaction:
            put = record_writes.put_recorded(checked.record, transaction, checked.record.created_at)
        return _Stored(checked, StoredMemory(*put, store, transaction.seq), transaction)

    def _finish(self, stored: Sequence[_Stored | BaseException]) -> list[RecordOutcome]:
        """Link and announce the memories that are on disk, even if a request was cancelled meanwhile."""
        found_links: list[FoundLinks] = []
        outcomes = _for_each(partial(self._link, found_links), stored)
        self._write_links(found_links)
        self._changed.announce_recorded([outcome for outcome in outcomes if isinstance(outcome, RecordedMemory)])
        return outcomes

    def _link(self, found_links: list[FoundLinks], stored: _Stored) -> RecordedMemory:
        """Take a memory into the index, and add its links to `found_links`. Raises the commit's failure."""
        if stored.transaction.failure is not None:
            raise stored.transaction.failure
        status, memory, store, _ = stored.memory
        is_new = status == "created"
        if not is_new:  # an earlier draft of this batch may have made the memory
            self._write_links(found_links)
            found_links.clear()
        checked = stored.checked.record
        with self._catalogue.current(stored.memory):  # the index now holds the memory
            links = self._links.find(memory, checked.content, checked.created_at, is_new=is_new)
        found_links.append(links)
        use = Use() if is_new else store.uses([memory.id]).get(memory.id, Use())
        judged = self._catalogue.view.judged(memory, store)
        return RecordedMemory(status, judged, links.similar, stored.checked.redactions, use.times, use.last)

    def _write_links(self, found_links: Collection[FoundLinks]) -> None:
        """Store links of stored memories. If that fails, only the links are lost."""
        try:
            self._links.store_found(found_links)
        except StoreUnavailable as error:
            log.warning("Links of recorded memories were not stored: %s", error)


def _for_each(step: Callable[[Input], Result], inputs: Sequence[Input | BaseException]) -> list[Result | BaseException]:
    """Return what `step` returns or raises for each input; an input that is an error stays as it is."""
    outcomes: list[Result | BaseException] = []
    for each in inputs:
        try:
            outcomes.append(each if isinstance(each, BaseException) else step(each))
        except BaseException as error:  # noqa: BLE001 - each memory is owed an answer
            outcomes.append(error)
    return outcomes


def _result_of(outcome: RecordOutcome) -> RecordedMemory:
    """Return what was recorded. Raises the error if the recording failed."""
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome
