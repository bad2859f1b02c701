"""The events that a `MemoryBook` announces: which memories changed, and how many candidates wait.

`engine` subscribes to both, to notify clients, write MEMORY.md and embed new texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from sidecar.memories.results import RecordedMemory, UpdatedMemory
from sidecar.runtime.event import Event
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord


class ChangedMemory(NamedTuple):
    """A memory that was stored or deleted."""

    id: str
    scope: str
    change: str  # what was done: `created`, `archived`, `deleted`, ...


class MemoriesChanged(Event[[Sequence[ChangedMemory]]]):
    """Announced once for each call that changed memories, after they are stored."""

    def announce_changes(self, changes: Iterable[tuple[MemoryRecord, str]]) -> None:
        """Announce the changes, unless nothing was changed."""
        if named := [ChangedMemory(record.id, record.scope, change) for record, change in changes]:
            self.announce(named)

    def announce_recorded(self, results: Iterable[RecordedMemory]) -> None:
        self.announce_changes((result.record, result.status) for result in results if result.status != "duplicate")

    def announce_updated(self, result: UpdatedMemory, change: str) -> UpdatedMemory:
        records = (result.record, *result.also) if result.changed else ()
        self.announce_changes((record, "deleted" if record.status == "deleted" else change) for record in records)
        return result


class WaitingCountChanged(Event[[int]]):
    """Announced with the new number of waiting candidates."""

    def __init__(self, store: MemoryStore) -> None:
        super().__init__()
        self._store = store

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Announce the number after the block if the block changed it."""
        before = self._store.candidates.count_waiting()
        yield
        after = self._store.candidates.count_waiting()
        if after != before:
            self.announce(after)
