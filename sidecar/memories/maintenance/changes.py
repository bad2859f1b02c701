"""The changes that the steps of maintenance plan, as plain values, and their execution in short transactions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

import msgspec

from sidecar.memories.announcing import ChangedMemory
from sidecar.memories.recording.memory_links import carry_links
from sidecar.memories.recording.record_writes import archived
from sidecar.store.keys import key_of
from sidecar.store.memory_store import MemoryStore, MemoryTransaction, Use
from sidecar.store.records import MemoryRecord, VersionRecord
from sidecar.store.vocabulary import MemoryChange

MaintenanceStep = Literal[
    "duplicates", "relevance", "archive", "references", "promotion", "age", "memoryFile", "consolidation"
]

STEPS: tuple[MaintenanceStep, ...] = get_args(MaintenanceStep)  # every step, in the order of execution
LIVE_STATES = ("active", "suspect")
NO_USE = Use()

Missing = Callable[[MemoryRecord], tuple[int, int]]
"""Counts a memory's references to files and symbols that are gone, and all its references."""
MAX_CHANGES_AT_ONCE = 50  # in one transaction, so that no request waits longer than ten milliseconds for the store


class Write(msgspec.Struct, frozen=True):
    """A memory before and after a change."""

    before: MemoryRecord
    after: MemoryRecord
    change: MemoryChange | None  # names the version; None if only the relevance changes


class PlannedChange(msgspec.Struct, frozen=True):
    """A planned change of the memory `id` and perhaps of others, made as a whole or not at all."""

    step: MaintenanceStep
    id: str
    name: str
    reason: str
    scope: str
    writes: tuple[Write, ...] = ()
    into: str | None = None  # the memory into which it is merged, and which gets its links and access count
    unused_since: Use | None = None  # the change is void if the memory was used later

    @property
    def touched(self) -> list[ChangedMemory]:
        """Return the memories that get a new version."""
        return [
            ChangedMemory(write.after.id, write.after.scope, write.change)
            for write in self.writes
            if write.change is not None
        ]


class Ledger:
    """The memories as they are after the changes planned so far.

    `left` are changes that no step makes; `history` returns a memory's versions, newest first.
    """

    def __init__(
        self,
        records: Sequence[MemoryRecord],
        uses: Mapping[str, Use],
        history: Callable[[str], Sequence[VersionRecord]],
        now: int,
    ) -> None:
        self.records = {record.id: record for record in sorted(records, key=by_age)}
        self.uses = dict(uses)
        self.history = history
        self.now = now
        self.planned: list[PlannedChange] = []
        self.left: list[PlannedChange] = []

    def visible(self) -> list[MemoryRecord]:
        return [record for record in self.records.values() if record.status in LIVE_STATES]

    def plan(
        self,
        step: MaintenanceStep,
        record: MemoryRecord,
        reason: str,
        *writes: Write,
        into: str | None = None,
        unused_since: Use | None = None,
    ) -> None:
        """Add a change to the plan."""
        scope = writes[-1].before.scope
        change = PlannedChange(step, record.id, record.name, reason, scope, writes, into, unused_since)
        self.planned.append(change)
        for write in writes:
            self.records[write.after.id] = write.after
        if into is not None:
            source_use, target_use = self.uses.pop(record.id, NO_USE), self.uses.get(into, NO_USE)
            if source_use.times:
                last = max(at for at in (source_use.last, target_use.last) if at is not None)
                self.uses[into] = Use(source_use.times + target_use.times, last)

    def leave_undone(self, step: MaintenanceStep, record: MemoryRecord, reason: str) -> None:
        change = PlannedChange(step, record.id, record.name, reason, record.scope)
        if change not in self.left:
            self.left.append(change)


def by_age(record: MemoryRecord) -> tuple[int, str]:
    """Return a sort key that puts the elder memory first."""
    return record.created_at, record.id


def hand_written(record: MemoryRecord) -> bool:
    return record.source == "user" or record.source.startswith("user:")


def never_fades(record: MemoryRecord) -> bool:
    """Return whether a memory never fades, as directives, pinned memories and those written by a person do not."""
    return record.pinned or record.category == "directive" or hand_written(record)


def archive_write(record: MemoryRecord, why: str, now: int, into: str | None = None) -> Write:
    return Write(record, archived(record, why, now, into), "archived")


def apply(
    store: MemoryStore, planned: Sequence[PlannedChange], now: int, after_batch: Callable[[int, int], None]
) -> list[PlannedChange]:
    """Make the changes whose memories are still as planned, and return these changes.

    `after_batch` gets the progress, and raises to stop.
    """
    done: list[PlannedChange] = []
    for start in range(0, len(planned), MAX_CHANGES_AT_ONCE):
        batch = planned[start : start + MAX_CHANGES_AT_ONCE]
        with store.transaction() as transaction:
            resting = [change.id for change in batch if change.unused_since is not None]
            uses = store.uses(resting) if resting else {}
            done.extend(change for change in batch if _carry_out(store, transaction, change, uses, now))
        after_batch(start + len(batch), len(planned))
    return done


def _carry_out(
    store: MemoryStore, transaction: MemoryTransaction, change: PlannedChange, uses: dict[str, Use], now: int
) -> bool:
    if change.unused_since is not None and uses.get(change.id, NO_USE).last != change.unused_since.last:
        return False
    for write in change.writes:
        if transaction.get(write.before.id) != write.before:
            return False
        if key_of(write.after) != key_of(write.before) and transaction.find(key_of(write.after)) is not None:
            return False
    for write in change.writes:
        if write.change is None:
            transaction.adjust(write.after)
        else:
            others = (other.after for other in change.writes if other.change is not None)
            transaction.put(write.after, write.change, now, also_changed=others)
    if change.into is not None:
        carry_links(transaction, change.id, change.into)
        # Move the count before the commit: if that fails, only the count is wrong, and the next run repeats the rest.
        store.move_accesses(change.id, change.into)
    return True
