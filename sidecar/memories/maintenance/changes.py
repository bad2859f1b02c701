"""What maintenance would do, as plain values that the steps make and that are carried out in short transactions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

import msgspec
from msgspec.structs import replace

from sidecar.memories.recording import next_version
from sidecar.store.memory_store import MemoryStore, MemoryTransaction, Use
from sidecar.store.mending import key_of
from sidecar.store.records import MemoryRecord, VersionRecord

MaintenanceStep = Literal[
    "duplicates", "relevance", "archive", "references", "promotion", "age", "memoryFile", "consolidation"
]

STEPS: tuple[MaintenanceStep, ...] = get_args(MaintenanceStep)  # every step, in the order of execution
VISIBLE = ("active", "suspect")
NEVER = Use()

# Counts a memory's references that now lead nowhere, and all its references.
Missing = Callable[[MemoryRecord], tuple[int, int]]
BATCH = 50
"""Changes in one transaction: about ten milliseconds, so that no request waits longer for the store."""


class Write(msgspec.Struct, frozen=True):
    """One memory before and after; `change` names the version, or is None for relevance only."""

    before: MemoryRecord
    after: MemoryRecord
    change: str | None


class Planned(msgspec.Struct, frozen=True):
    """One change to the memory `id`, made as a whole or not at all.

    `moved`: its links and access count go to the memory into which it is merged. The change is void if the memory was
    used after `unused_since`.
    """

    step: MaintenanceStep
    id: str
    name: str
    reason: str
    writes: tuple[Write, ...]
    moved: tuple[str, str] | None
    unused_since: Use | None

    @property
    def other(self) -> str | None:
        return self.moved[1] if self.moved is not None else None


class LeftUndone(NamedTuple):
    step: MaintenanceStep
    id: str
    name: str
    reason: str


class Ledger:
    """Memories as they stand after the planned changes; `history` returns a memory's versions, newest first."""

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
        self.planned: list[Planned] = []
        self._left: dict[LeftUndone, None] = {}

    @property
    def left(self) -> list[LeftUndone]:
        return list(self._left)

    def visible(self) -> list[MemoryRecord]:
        return [record for record in self.records.values() if record.status in VISIBLE]

    def plan(
        self,
        step: MaintenanceStep,
        record: MemoryRecord,
        reason: str,
        *writes: Write,
        into: str | None = None,
        unused_since: Use | None = None,
    ) -> None:
        """Add a change to the plan; `into` is the memory into which this one is merged."""
        moved = None if into is None else (record.id, into)
        self.planned.append(Planned(step, record.id, record.name, reason, writes, moved, unused_since))
        for write in writes:
            self.records[write.after.id] = write.after
        if into is not None:
            source_use, target_use = self.uses.pop(record.id, NEVER), self.uses.get(into, NEVER)
            if source_use.times:
                last = max(at for at in (source_use.last, target_use.last) if at is not None)
                self.uses[into] = Use(source_use.times + target_use.times, last)

    def leave_undone(self, step: MaintenanceStep, record: MemoryRecord, reason: str) -> None:
        self._left[LeftUndone(step, record.id, record.name, reason)] = None


def by_age(record: MemoryRecord) -> tuple[int, str]:
    """Return the sort key that puts the elder memory first."""
    return record.created_at, record.id


def hand_written(record: MemoryRecord) -> bool:
    return record.source == "user" or record.source.startswith("user:")


def never_fades(record: MemoryRecord) -> bool:
    """Return whether a memory never fades: a directive, pinned, or written by a person."""
    return record.pinned or record.category == "directive" or hand_written(record)


def archiving(record: MemoryRecord, why: str, now: int, into: str | None = None) -> Write:
    after = next_version(record, now, status="archived", archived_for=why, merged_into=into)
    return Write(record, after, "archived")


def apply(
    store: MemoryStore, planned: Sequence[Planned], now: int, after_batch: Callable[[int, int], None]
) -> list[Planned]:
    """Carry out and return what still fits: others' changes win. `after_batch` gets the progress, or raises to stop."""
    done: list[Planned] = []
    for start in range(0, len(planned), BATCH):
        batch = planned[start : start + BATCH]
        with store.transaction() as transaction:
            resting = [change.id for change in batch if change.unused_since is not None]
            uses = store.uses(resting) if resting else {}
            done.extend(change for change in batch if _carry_out(store, transaction, change, uses, now))
        after_batch(start + len(batch), len(planned))
    return done


def _carry_out(
    store: MemoryStore, transaction: MemoryTransaction, change: Planned, uses: dict[str, Use], now: int
) -> bool:
    if change.unused_since is not None and uses.get(change.id, NEVER).last != change.unused_since.last:
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
            transaction.put(write.after, write.change, now, also=others)
    if change.moved is not None:
        carry_links(transaction, *change.moved)
        # Before the commit: if that fails, only a count is in the wrong place, and the next run finds the rest.
        store.move_accesses(*change.moved)
    return True


def carry_links(transaction: MemoryTransaction, source: str, target: str, *, back: bool = False) -> None:
    """Also give one memory's links to another or, with `back`, remove those that it was given that way."""
    links = transaction.links(target)
    known = {(link.source, link.target, link.kind) for link in links}
    for link in transaction.links(source):
        moved = replace(
            link,
            source=target if link.source == source else link.source,
            target=target if link.target == source else link.target,
        )
        if back:
            if moved in links:
                transaction.unlink(moved.source, moved.target, moved.kind)
        elif moved.source != moved.target and (moved.source, moved.target, moved.kind) not in known:
            transaction.link(moved)
