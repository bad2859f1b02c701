"""The events by which a book announces the memories that it changed, and how many candidates wait."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from sidecar.memories.results import Recorded, Updated
from sidecar.runtime.event import Event
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord


class ChangedMemory(NamedTuple):
    """A memory with a new version, or a deleted one; `change` names what was done (`created`, `archived`, ...)."""

    id: str
    scope: str
    change: str


class MemoriesChanged(Event[[Sequence[ChangedMemory]]]):
    """Event with the memories that one call changed, raised after they are stored, unless none was changed."""

    def announce(self, changes: Iterable[tuple[MemoryRecord, str]]) -> None:
        """Call the listeners, unless nothing was changed."""
        if named := [ChangedMemory(record.id, record.scope, change) for record, change in changes]:
            self(named)

    def announce_recorded(self, results: Iterable[Recorded]) -> None:
        self.announce((result.record, result.status) for result in results if result.status != "duplicate")

    def announce_updated(self, result: Updated, change: str) -> Updated:
        records = (result.record, *result.also) if result.changed else ()
        self.announce((record, "deleted" if record.status == "deleted" else change) for record in records)
        return result


class WaitingCountChanged(Event[[int]]):
    """Event with the number of waiting candidates, raised after that number has changed."""

    def __init__(self, store: MemoryStore) -> None:
        super().__init__()
        self._store = store

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Call the listeners after the block if it has changed the number of waiting candidates."""
        before = self._store.waiting()
        yield
        after = self._store.waiting()
        if after != before:
            self(after)
