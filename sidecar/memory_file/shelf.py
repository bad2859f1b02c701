"""What a pass needs to know of all memories without reading them all: how important each is and what it is found by.

Kept in step with the store by the number of its last change, so that a pass costs what has changed and what the file
shows, not what the store holds.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable

from sidecar.memory_file import bridge
from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.layout import Limits, known
from sidecar.memory_file.text.matching import keys
from sidecar.memory_file.text.plan import Known
from sidecar.store.following import Following
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import REPOSITORY

_Spot = tuple[tuple[float, ...], int | None, tuple[int, ...], bool]


class Shelf:
    """The memories that may stand in the file. One thread at a time."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._following = Following(self)
        self._spots: dict[str, _Spot] = {}  # weight, when it expires, digests of its keys, foreign
        self._by_key: defaultdict[int, set[str]] = defaultdict(set)

    def follow(self, store: MemoryStore) -> None:
        """Take in what has changed since."""
        self._following.follow(store)

    def clear(self) -> None:
        """Forget all."""
        self._spots.clear()
        self._by_key.clear()

    def drop(self, id: str) -> None:
        """Forget a memory."""
        for key in self._spots.pop(id, ((), None, (), False))[2]:
            self._by_key[key].discard(id)
            if not self._by_key[key]:
                del self._by_key[key]

    def add(self, records: Iterable[MemoryRecord]) -> None:
        """Take in memories."""
        for record in records:
            if not bridge.belongs(record):
                continue
            found = tuple({hash(key) for key in keys(self.known(record).shown)})
            foreign = record.source == REPOSITORY
            self._spots[record.id] = bridge.weight(record), record.expires_at, found, foreign
            for key in found:
                self._by_key[key].add(record.id)

    def known(self, record: MemoryRecord) -> Known:
        """A memory as the file shows it."""
        return known(
            record.id,
            bridge.entry_of(record),
            record.name,
            bridge.weight(record),
            self._limits,
            foreign=record.source == REPOSITORY,
        )

    def count(self, now: int) -> int:
        """How many there are that have not expired, without those that only the repository's file says."""
        return sum(
            1
            for _, expires_at, _, foreign in self._spots.values()
            if not foreign and (expires_at is None or expires_at > now)
        )

    def memories(
        self, store: MemoryStore, units: Iterable[Entry], before: Iterable[str], now: int
    ) -> dict[str, Known]:
        """Those that a unit may stand for, those that the file showed before, and those that it has to show.

        By id, in order. What was changed since `follow` counts as it is now.
        """
        wanted = {id for unit in units for key in keys(unit) for id in self._by_key.get(hash(key), ())}
        wanted.update(id for id in before if id in self._spots)
        ranked = (
            (weight, id)
            for id, (weight, expires_at, _, foreign) in self._spots.items()
            if not foreign and (expires_at is None or expires_at > now)
        )
        # Each takes a line at least, so what is less important than so many others has no place.
        wanted.update(id for _, id in heapq.nlargest(self._limits.file_lines, ranked))
        records = store.get_many(sorted(wanted))
        return {
            record.id: self.known(record)
            for record in sorted(records.values(), key=lambda one: one.id)
            if bridge.belongs(record) and (record.expires_at is None or record.expires_at > now)
        }
