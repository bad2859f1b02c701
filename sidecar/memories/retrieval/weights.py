"""The standing weights of a catalogue's memories, which depend on how often each memory was shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from heapq import merge
from itertools import islice
from math import log2

from sidecar.memories.index.memory_index import MemoryIndex
from sidecar.memories.index.ranking import DAY_MS
from sidecar.memories.index.selection import Selection
from sidecar.store.memory_store import MemoryStore, Use

_MAX_CACHED_COUNTS = 16  # access counts that are cached, one set for each time `counted_at`


class Weights:
    """The standing weights of a catalogue's memories. Each `index` is the one that `Catalogue.current` yields."""

    def __init__(self, stores: Sequence[MemoryStore]) -> None:
        self._stores = stores
        self._counts_at = lru_cache(_MAX_CACHED_COUNTS)(self._read)
        self._current: tuple[list[object], dict[str, int]] | None = None
        self._uncached_state: list[object] = []
        self._order: tuple[object, dict[str, int], list[tuple[float, str]]] | None = None

    def weights_of(
        self, index: MemoryIndex, ids: Collection[str], now: int, counted_at: int | None
    ) -> dict[str, float]:
        """Return the standing weight of each id; accesses are counted as in `heaviest`."""
        if not ids:
            return {}
        counts = self._counts(index, counted_at, ids)
        return {id: index.rows[id].unused_weight(now) * log2(counts.get(id, 0) + 2) for id in ids}

    def heaviest(
        self, index: MemoryIndex, selection: Selection, limit: int, now: int, counted_at: int | None
    ) -> list[tuple[float, str]]:
        """Return (weight, id) of the `limit` heaviest memories, of equal weights by id.

        Only accesses before `counted_at` count (None: all).
        """
        counts = self._counts(index, counted_at)
        never = (pair for pair in selection.by_weight(now) if pair[1] not in counts)  # never shown, already in order
        heaviest = islice(merge(self._shown_by_weight(index, selection, counts, now), never), limit)
        return [(-weight, id) for weight, id in heaviest]

    def _shown_by_weight(
        self, index: MemoryIndex, selection: Selection, counts: dict[str, int], now: int
    ) -> list[tuple[float, str]]:
        """Return the selected memories that were shown, in the form of `Selection.by_weight`."""
        key = (selection, selection.changes, now // DAY_MS)
        if self._order is None or self._order[0] != key or self._order[1] is not counts:
            shown = ((id, count) for id, count in counts.items() if id in selection.ids)
            weights = ((-index.rows[id].unused_weight(now) * log2(count + 2), id) for id, count in shown)
            self._order = key, counts, sorted(weights)
        return self._order[2]

    def uses(self, index: MemoryIndex, ids: Collection[str]) -> dict[str, Use]:
        """Return how often and when each memory was last shown; a memory never shown is left out."""
        uses: dict[str, Use] = {}
        for store, group in index.by_store(ids):
            uses.update(store.uses(group))
        return uses

    def _counts(self, index: MemoryIndex, counted_at: int | None, ids: Collection[str] | None = None) -> dict[str, int]:
        """Return the access counts before `counted_at` (None: up to now) of at least `ids` (None: all).

        A second request for the same state reads all counts and caches them.
        """
        if counted_at is not None:
            return self._counts_at(counted_at - 1)
        state = [store.access_state() for store in self._stores]
        if self._current is not None and self._current[0] == state:
            return self._current[1]
        if ids is not None and self._uncached_state != state:
            self._uncached_state = state
            return {id: use.times for id, use in self.uses(index, ids).items()}
        counts = self._read(None)
        self._current = state, counts
        return counts

    def _read(self, until: int | None) -> dict[str, int]:
        counts: dict[str, int] = {}
        for store in self._stores:
            counts.update(store.access_counts(until))
        return counts
