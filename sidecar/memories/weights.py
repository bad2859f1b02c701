"""Standing weights of many memories at once, from the catalogue's columns and the stores' access counts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from heapq import nsmallest
from math import log2

from sidecar.memories.catalogue import Catalogue, Row
from sidecar.memories.ranking import DAY, decay

_KEPT_ORDERS = 8
_KEPT_COUNTS = 16  # the past does not change: the counts of this many starting times are read once


class Weights:
    """Standing weights over one catalogue. Used inside `with catalogue.current()`."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._orders: OrderedDict[tuple[int, int, frozenset[str]], list[tuple[float, str]]] = OrderedDict()
        self._counts: OrderedDict[int, dict[str, int]] = OrderedDict()

    def of(self, ids: Collection[str], now: int, counted_at: int | None) -> dict[str, float]:
        """The standing weight of each id, with access counts as they stood at `counted_at` (None: now)."""
        counts = self.accesses(ids, counted_at)
        rows = self._catalogue.rows
        return {id: _unused(rows[id], now) * log2(counts[id] + 2) for id in ids}

    def heaviest(
        self, ids: frozenset[str], most: int, now: int, counted_at: int | None
    ) -> list[tuple[float, str]]:
        """The `most` heaviest of `ids` with their weights, heaviest first, ties by id.

        The order without accesses holds for a whole day and is kept; only memories that were shown are weighed
        anew.
        """
        counts = {id: count for id, count in self.accesses(ids, counted_at).items() if count}
        rows = self._catalogue.rows
        heavy = [(_unused(rows[id], now) * log2(count + 2), id) for id, count in counts.items()]
        left = most
        for pair in self._order(ids, now):
            if left == 0:
                break
            if pair[1] not in counts:
                heavy.append(pair)
                left -= 1
        return nsmallest(most, heavy, key=_heaviest_first)

    def accesses(self, ids: Collection[str], counted_at: int | None) -> dict[str, int]:
        """How many sessions were shown each memory before `counted_at` (None: now)."""
        if counted_at is None:
            return self._read(ids, None)
        kept = self._counts.setdefault(counted_at, {})
        self._counts.move_to_end(counted_at)
        while len(self._counts) > _KEPT_COUNTS:
            self._counts.popitem(last=False)
        missing = [id for id in ids if id not in kept]
        if missing:
            kept.update(self._read(missing, counted_at - 1))
        return {id: kept[id] for id in ids}

    def _read(self, ids: Collection[str], until: int | None) -> dict[str, int]:
        rows = self._catalogue.rows
        counts: dict[str, int] = {}
        for home in self._catalogue.stores:
            held = [id for id in ids if rows[id].home is home]
            if held:
                counts.update(home.accesses(held, until))
        return counts

    def _order(self, ids: frozenset[str], now: int) -> list[tuple[float, str]]:
        key = (self._catalogue.generation, now // DAY, ids)
        kept = self._orders.get(key)
        if kept is None:
            rows = self._catalogue.rows
            kept = sorted(((_unused(rows[id], now), id) for id in ids), key=_heaviest_first)
            self._orders[key] = kept
            while len(self._orders) > _KEPT_ORDERS:
                self._orders.popitem(last=False)
        return kept


def _unused(row: Row, now: int) -> float:
    return row.weight * decay(row.updated_at, now)


def _heaviest_first(pair: tuple[float, str]) -> tuple[float, str]:
    return -pair[0], pair[1]
