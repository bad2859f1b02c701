"""What maintenance would do: plain values, made by the steps and carried out by `applying`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from sidecar.store.memory_store import Use
from sidecar.store.records import MemoryRecord, VersionRecord

Step = Literal[
    "duplicates", "relevance", "archive", "references", "promotion", "age", "memoryFile", "consolidation"
]

STEPS: tuple[Step, ...] = (
    "duplicates",
    "relevance",
    "archive",
    "references",
    "promotion",
    "age",
    "memoryFile",
    "consolidation",
)
"""Every step, in the order in which they run."""

VISIBLE = ("active", "suspect")
NEVER = Use()

Missing = Callable[[MemoryRecord], tuple[int, int]]
"""How many of a memory's references lead nowhere now, and how many there are."""


@dataclass(frozen=True)
class Write:
    """One memory from how it must stand to how it will; `change` names the version, None: relevance only."""

    before: MemoryRecord
    after: MemoryRecord
    change: str | None


@dataclass(frozen=True)
class Planned:
    """One change, whole or not at all. `moved` is an access count that goes from one memory to another.

    `unused_since` is the use that the change rests on: it is void when the memory was shown later. `id` and `name`
    are of the memory it is about, `other` of the one that it was merged into.
    """

    step: Step
    id: str
    name: str
    reason: str
    writes: tuple[Write, ...]
    moved: tuple[str, str] | None = None
    other: str | None = None
    unused_since: Use | None = None


@dataclass(frozen=True)
class Left:
    """Something that a step would have done and cannot, and why."""

    step: Step
    id: str
    name: str
    reason: str


@dataclass
class Ledger:
    """Memories as they stand after the changes planned so far. What a step plans, the next one sees.

    `history` gives the versions of a memory, newest first; it is asked for the few that a step might change.
    """

    records: dict[str, MemoryRecord]
    uses: dict[str, Use]
    history: Callable[[str], Sequence[VersionRecord]]
    now: int
    planned: list[Planned] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    _left: set[Left] = field(default_factory=set)  # the same, for there may be thousands

    @classmethod
    def of(
        cls,
        records: Sequence[MemoryRecord],
        uses: Mapping[str, Use],
        history: Callable[[str], Sequence[VersionRecord]],
        now: int,
    ) -> Ledger:
        """A ledger to plan on; what is given stays as it is."""
        return cls({record.id: record for record in sorted(records, key=age)}, dict(uses), history, now)

    def plan(self, change: Planned) -> None:
        """Take a change in."""
        self.planned.append(change)
        for write in change.writes:
            self.records[write.after.id] = write.after
        if change.moved is not None:
            source, target = change.moved
            given, kept = self.uses.pop(source, NEVER), self.uses.get(target, NEVER)
            if given.times:
                last = max(each for each in (given.last, kept.last) if each is not None)
                self.uses[target] = Use(given.times + kept.times, last)

    def leave(self, left: Left) -> None:
        """Take in that something cannot be done, once."""
        if left not in self._left:
            self._left.add(left)
            self.left.append(left)


def age(record: MemoryRecord) -> tuple[int, str]:
    """The elder of two memories sorts first."""
    return record.created_at, record.id


def hand_written(record: MemoryRecord) -> bool:
    """Whether a person wrote the memory."""
    return record.source == "user" or record.source.startswith("user:")


def lasting(record: MemoryRecord) -> bool:
    """Whether the memory never fades: a directive, pinned, or written by a person."""
    return record.pinned or record.category == "directive" or hand_written(record)


def archived(record: MemoryRecord, why: str, now: int, into: str | None = None) -> Write:
    """The memory put away, with the trace of it."""
    after = msgspec.structs.replace(
        record,
        status="archived",
        archived_for=why,
        merged_into=into,
        version=record.version + 1,
        updated_at=now,
        restored_from=None,
    )
    return Write(record, after, "archived")
