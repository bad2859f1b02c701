"""The memory that each entry of the memory file stands for; an index follows the store, for use on each keystroke."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Final
from weakref import WeakKeyDictionary

from sidecar.memory_file.shown_entries import entry_of, may_show
from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.layout import FileLimits, shown_memory
from sidecar.memory_file.text.matching import match_entries, matching_keys
from sidecar.store.following import FollowingIndex
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord

MAX_REWORDED_PAIRS: Final = 2_000
"""Maximum pairs of a reworded entry and a memory to compare, at tens of microseconds each."""


class ShownEntries:
    """The memories of each store as the memory file shows them. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries_by_store: WeakKeyDictionary[MemoryStore, _StoreEntries] = WeakKeyDictionary()

    def memory_ids(
        self, store: MemoryStore, entries: Mapping[int, Entry], now: int, *, match_reworded: bool = True
    ) -> dict[int, str]:
        """Return the id of the memory that each entry stands for, if any."""
        with self._lock:
            store_entries = self._entries_by_store.setdefault(store, _StoreEntries())
        with store_entries.lock:
            store_entries.follow(store)
            memories = store_entries.sharing_a_key(entries.values(), now)
            placed = match_entries(entries, memories, ())
            loose = {index: entry for index, entry in entries.items() if index not in placed}
            pairs = len(loose) * (len(store_entries.entries) - len(placed))
            if not match_reworded or not 0 < pairs <= MAX_REWORDED_PAIRS:
                return placed
            taken = set(placed.values())
            left = {id: entry for id, entry in store_entries.valid(now).items() if id not in taken}
        return placed | match_entries(loose, left, left)

    def shown_ids(self, store: MemoryStore, now: int) -> Collection[str]:
        """Return the ids of the memories that may appear in the file."""
        with self._lock:
            store_entries = self._entries_by_store.setdefault(store, _StoreEntries())
        with store_entries.lock:
            store_entries.follow(store)
            return tuple(store_entries.valid(now))


class _StoreEntries(FollowingIndex):
    """Entries of one store by memory id, with an index; its lock is held around every call."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()
        self.entries: dict[str, Entry] = {}
        self._expiring: dict[str, int] = {}
        self._by_key: defaultdict[Hashable, set[str]] = defaultdict(set)

    def sharing_a_key(self, entries: Iterable[Entry], now: int) -> dict[str, Entry]:
        """Return the memories that share a name or a text with one of these entries, ordered by id."""
        ids = {id for entry in entries for key in matching_keys(entry) for id in self._by_key.get(key, ())}
        return {id: self.entries[id] for id in sorted(ids) if self._expiring.get(id, now + 1) > now}

    def valid(self, now: int) -> dict[str, Entry]:
        """Return every memory that has not expired, ordered by id."""
        return {id: self.entries[id] for id in sorted(self.entries) if self._expiring.get(id, now + 1) > now}

    def clear(self) -> None:
        self.entries.clear()
        self._expiring.clear()
        self._by_key.clear()

    def add(self, records: Iterable[MemoryRecord]) -> None:
        limits = FileLimits()
        for record in records:
            if not may_show(record):
                continue
            entry = shown_memory(record.id, entry_of(record), record.name, (), limits).shown
            self.entries[record.id] = entry
            if record.expires_at is not None:
                self._expiring[record.id] = record.expires_at
            for key in matching_keys(entry):
                self._by_key[key].add(record.id)

    def drop(self, id: str) -> None:
        entry = self.entries.pop(id, None)
        self._expiring.pop(id, None)
        for key in matching_keys(entry) if entry is not None else ():
            self._by_key[key].discard(id)
            if not self._by_key[key]:
                del self._by_key[key]
