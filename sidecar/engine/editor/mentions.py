"""The memories that name a file or a symbol, indexed as the store changes."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable

from sidecar.store.following import FollowingIndex
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord

_HIDDEN = ("archived",)


class MentionIndex(FollowingIndex):
    """Ids of one store's memories by path and by the bare name of a symbol, with its file or alone. Thread-safe.

    The store is an argument of each query, so that an index cached by store does not keep it alive.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._named: dict[str, tuple[frozenset[str], frozenset[str], frozenset[str]]] = {}
        self._by_path: defaultdict[str, set[str]] = defaultdict(set)
        self._by_symbol: defaultdict[str, set[str]] = defaultdict(set)
        self._by_symbol_alone: defaultdict[str, set[str]] = defaultdict(set)

    def memories_of_path(self, store: MemoryStore, path: str) -> list[str]:
        """Return the memories about a file or with references into it, newest first."""
        with self._lock:
            self.follow(store)
            return sorted(self._by_path.get(path, ()), reverse=True)

    def memories_of_symbol(self, store: MemoryStore, name: str) -> list[str]:
        """Return the memories with references to a symbol of this bare name in any file, newest first."""
        with self._lock:
            self.follow(store)
            return sorted(self._by_symbol.get(name, ()), reverse=True)

    def memories_of_bare_symbols(self, store: MemoryStore, names: Iterable[str]) -> list[str]:
        """Return the memories that name a symbol of one of these bare names without its file, newest first."""
        with self._lock:
            self.follow(store)
            return sorted(set().union(*(self._by_symbol_alone.get(name, ()) for name in names)), reverse=True)

    def clear(self) -> None:
        self._named.clear()
        for index in (self._by_path, self._by_symbol, self._by_symbol_alone):
            index.clear()

    def add(self, records: Iterable[MemoryRecord]) -> None:
        for record in records:
            if record.status in _HIDDEN:
                continue
            with_path = [reference for reference in record.references if reference.path]
            paths = frozenset([*record.files, *(reference.path for reference in with_path if reference.path)])
            symbols = frozenset(bare_name(reference.symbol) for reference in with_path if reference.symbol)
            alone = frozenset(
                bare_name(reference.symbol)
                for reference in record.references
                if not reference.path and reference.symbol
            )
            self._named[record.id] = (paths, symbols, alone)
            for ids, names in self._sets(record.id):
                for name in names:
                    ids[name].add(record.id)

    def drop(self, id: str) -> None:
        for ids, names in self._sets(id):
            for name in names:
                ids[name].discard(id)
        self._named.pop(id, None)

    def _sets(self, id: str) -> Iterable[tuple[defaultdict[str, set[str]], frozenset[str]]]:
        indexes = (self._by_path, self._by_symbol, self._by_symbol_alone)
        return zip(indexes, self._named.get(id, ()), strict=False)


def bare_name(symbol: str) -> str:
    """Return `run` for `Server.run`."""
    return symbol.rpartition(".")[2]
