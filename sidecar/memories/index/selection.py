"""Select the memories that a query may see, and keep the selection up to date as memories come and go."""

from __future__ import annotations

from bisect import bisect_left, insort

from sidecar.memories.drafts import Filters
from sidecar.memories.index.ranking import DAY_MS, decay
from sidecar.memories.index.row import Row, passes
from sidecar.memories.index.stored_rows import CatalogueRows

_NO_EXPIRY = 1 << 62  # later than any time in milliseconds
_MAX_CACHED_ORDERS = 4  # orders by weight that are cached, one for each day


class Selection:
    """The memories that pass some filters, valid until one of them expires; `changes` counts additions and removals."""

    def __init__(self, filters: Filters, rows: CatalogueRows, now: int) -> None:
        self.ids, others = rows.select(filters, now)
        self._filters = filters
        self._selected_at = now
        self._until = _NO_EXPIRY
        self._rows = rows
        self._orders: dict[int, list[tuple[float, str]]] = {}
        self._by_update: list[tuple[int, str]] | None = None
        self.changes = 0
        for row in others:
            self.add(row)

    def __contains__(self, id: object) -> bool:
        return id in self.ids

    def __len__(self) -> int:
        return len(self.ids)

    def is_valid(self, now: int) -> bool:
        return self._selected_at <= now < self._until

    def add(self, row: Row) -> None:
        if not passes(row, self._filters, self._selected_at):
            return
        self.changes += 1
        self.ids.add(row.id)
        if row.expires_at is not None and row.expires_at > self._selected_at:
            self._until = min(self._until, row.expires_at)
        for day, order in self._orders.items():
            insort(order, (-row.unused_weight(day * DAY_MS), row.id))
        if self._by_update is not None:
            insort(self._by_update, (row.updated_at, row.id))

    def remove(self, row: Row) -> None:
        if row.id not in self.ids:
            return
        self.changes += 1
        self.ids.discard(row.id)
        for day, order in self._orders.items():
            del order[bisect_left(order, (-row.unused_weight(day * DAY_MS), row.id))]
        if self._by_update is not None:
            del self._by_update[bisect_left(self._by_update, (row.updated_at, row.id))]

    def by_update(self) -> list[tuple[int, str]]:
        """Return (time of update, id) of all selected memories, oldest first."""
        if self._by_update is None:
            self._by_update = sorted((updated_at, id) for id, _, updated_at in self._rows.weights(self.ids))
        return self._by_update

    def by_weight(self, now: int) -> list[tuple[float, str]]:
        """Return (minus standing weight, id), heaviest first, as if no memory had ever been shown."""
        day = now // DAY_MS
        order = self._orders.get(day)
        if order is None:
            while len(self._orders) >= _MAX_CACHED_ORDERS:
                del self._orders[next(iter(self._orders))]
            weights = self._rows.weights(self.ids)
            order = sorted((-weight * decay(updated_at, now), id) for id, weight, updated_at in weights)
            self._orders[day] = order
        return order
