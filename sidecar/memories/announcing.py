"""The events by which a book announces the memories that it changed, and how many candidates wait."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from sidecar.memories.results import Recorded, Updated
from sidecar.runtime.event import Event
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord

if TYPE_CHECKING:
    from sidecar.memories.importing import IncomingResult
    from sidecar.memories.promoting import Promotion


class ChangedMemory(NamedTuple):
    """A memory with a new version, or a deleted one; `change` names what was done (`created`, `archived`, ...)."""

    id: str
    scope: str
    change: str


class ChangedMemories(Event[[Sequence[ChangedMemory]]]):
    """Event raised after changes are stored, with all memories that one call changed; never with none."""

    def announce(self, changes: Iterable[tuple[MemoryRecord, str]]) -> None:
        """Call the listeners, unless nothing was changed."""
        if named := [ChangedMemory(record.id, record.scope, change) for record, change in changes]:
            self(named)

    def announce_recorded(self, results: Iterable[Recorded]) -> None:
        self.announce((result.record, result.status) for result in results if result.status != "duplicate")

    def announce_updated(self, result: Updated, change: str) -> Updated:
        every = (result.record, *result.also) if result.changed else ()
        self.announce((record, "deleted" if record.status == "deleted" else change) for record in every)
        return result

    def announce_promoted(self, result: Promotion) -> Promotion:
        gone = ((result.put_away, "archived"),) if result.put_away is not None else ()
        self.announce(((result.record, "promoted"), *gone) if result.changed else ())
        return result

    def announce_imported(self, results: Iterable[IncomingResult]) -> None:
        outcomes = ((result.record, result.outcome) for result in results if result.outcome in ("created", "merged"))
        self.announce((record, outcome) for record, outcome in outcomes if record is not None)


class WaitingCandidates(Event[[int]]):
    """Event raised with the number of waiting candidates after something changed it."""

    def __init__(self, store: MemoryStore) -> None:
        super().__init__()
        self._store = store

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Call the listeners after the block if another number of candidates waits then."""
        before = self._store.waiting()
        yield
        after = self._store.waiting()
        if after != before:
            self(after)
