"""Keep an index of a store's memories in step with the store, by the number of the store's last change.

The index of MEMORY.md and those of the editor derive from `FollowingIndex`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the server makes indexes before it opens a store
    from sidecar.store.memory_store import MemoryStore
    from sidecar.store.records import MemoryRecord


class FollowingIndex(ABC):
    """An index of one store's memories, for one thread at a time."""

    def __init__(self) -> None:
        self._seq = -1

    @abstractmethod
    def clear(self) -> None:
        """Drop all memories."""

    @abstractmethod
    def drop(self, id: str) -> None:
        """Drop a memory, if the index has it."""

    @abstractmethod
    def add(self, records: Iterable[MemoryRecord]) -> None:
        """Add memories that are not in the index."""

    def follow(self, store: MemoryStore) -> int:
        """Apply the store's changes; return the number of the last one. Raises StoreUnavailable.

        After an error the index may be partly changed, so the next call builds it anew.
        """
        if store.seq() == self._seq:
            return self._seq
        since, self._seq = self._seq, -1
        changes = store.changes(since)
        if changes.ids is None:
            self.clear()
            self.add(store.each())
        else:
            for id in changes.ids:
                self.drop(id)
            self.add(store.get_many(changes.ids).values())
        self._seq = changes.seq
        return self._seq
