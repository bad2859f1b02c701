"""A dictionary of bounded size."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class RecentlyUsed(OrderedDict[K, V]):
    """A dictionary of at most `limit` entries: it drops the one that was neither set nor read for longest."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def get(self, key: K, otherwise: Any = None) -> Any:
        if key not in self:
            return otherwise
        self.move_to_end(key)
        return self[key]

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._limit:
            self.popitem(last=False)
