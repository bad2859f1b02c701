"""Which memories name a file or a symbol: kept in step with a store by its sequence number."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sidecar.store.following import Following

if TYPE_CHECKING:  # the server knows bare names before it opens a store
    from sidecar.store.memory_store import MemoryStore
    from sidecar.store.records import MemoryRecord

_HIDDEN = ("archived",)


class MentionIndex:
    """Ids of the memories of one store by path and by the bare name of a symbol. Any thread.

    The store is given with each question, so that an index that is kept with it does not keep it alive.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._following = Following(self)
        self._named: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        self._by_path: defaultdict[str, set[str]] = defaultdict(set)
        self._by_symbol: defaultdict[str, set[str]] = defaultdict(set)

    def of_path(self, store: MemoryStore, path: str) -> list[str]:
        """Memories that are about a file or refer into it, the newest first."""
        with self._lock:
            self._following.follow(store)
            return sorted(self._by_path.get(path, ()), reverse=True)

    def of_symbol(self, store: MemoryStore, name: str) -> list[str]:
        """Memories that refer to a symbol of this bare name in any file, the newest first."""
        with self._lock:
            self._following.follow(store)
            return sorted(self._by_symbol.get(name, ()), reverse=True)

    def clear(self) -> None:
        """Forget all."""
        self._named.clear()
        self._by_path.clear()
        self._by_symbol.clear()

    def add(self, records: Iterable[MemoryRecord]) -> None:
        """Take in memories."""
        for record in records:
            if record.status in _HIDDEN:
                continue
            paths = frozenset([*record.files, *(one.path for one in record.references if one.path)])
            symbols = frozenset(bare_name(one.symbol) for one in record.references if one.path and one.symbol)
            self._named[record.id] = (paths, symbols)
            for path in paths:
                self._by_path[path].add(record.id)
            for symbol in symbols:
                self._by_symbol[symbol].add(record.id)

    def drop(self, id: str) -> None:
        """Forget a memory."""
        paths, symbols = self._named.pop(id, (frozenset[str](), frozenset[str]()))
        for path in paths:
            self._by_path[path].discard(id)
        for symbol in symbols:
            self._by_symbol[symbol].discard(id)


def bare_name(symbol: str) -> str:
    """`run` of `Server.run`."""
    return symbol.rpartition(".")[2]
