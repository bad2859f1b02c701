"""Collections of memories, such as the memories of a session, that stay packed row numbers until they are used."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, Generic, TypeVar

import msgspec

from sidecar.store.columns import from_bytes

K = TypeVar("K")
V = TypeVar("V")
_UINT = "I"


class LazyCollections(dict[K, V], Generic[K, V]):
    """A dictionary of collections; a collection from a snapshot stays a packed run of row numbers until first used."""

    def __init__(self, collect: Callable[[Iterable[Any]], V], join: Callable[[V, V], V]) -> None:
        self._collect = collect
        self._join = join
        self._packed: dict[Any, list[tuple[Callable[[int], object], bytes]]] = {}

    def add_packed(self, value_of: Callable[[int], object], numbers: Mapping[K, bytes]) -> None:
        """Add packed collections; `value_of` makes the value for a number."""
        for key, packed in numbers.items():
            self._packed.setdefault(key, []).append((value_of, packed))
            collection = super().get(key)
            if collection is None:
                super().__setitem__(key, None)  # type: ignore[assignment]
            else:
                super().__setitem__(key, self._join(collection, self._unpack(key)))

    def __getitem__(self, key: K) -> V:
        value = super().__getitem__(key)
        if value is None:
            value = self._unpack(key)
            super().__setitem__(key, value)
        return value

    def get(self, key: K, otherwise: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return otherwise

    def setdefault(self, key: K, value: Any = None) -> V:
        if key not in self:
            self[key] = value
        return self[key]

    def items(self) -> Any:
        return ((key, self[key]) for key in list(self))

    def _unpack(self, key: K) -> V:
        parts = self._packed.pop(key)
        first, *others = [self._collect(map(value_of, from_bytes(_UINT, packed))) for value_of, packed in parts]
        return reduce(self._join, others, first)


def pack_numbers(values: Mapping[str, Iterable[str]], numbers: Mapping[str, int]) -> bytes:
    """Pack the numbers of each key's ids for `LazyCollections.add_packed`; an id without a number is left out."""
    arrays = {key: array(_UINT, [numbers[id] for id in ids if id in numbers]) for key, ids in values.items()}
    return msgspec.msgpack.encode({key: column.tobytes() for key, column in arrays.items() if column})


def unpack_numbers(part: memoryview) -> dict[str, bytes]:
    """Return what `pack_numbers` packed. Raises ValueError for other bytes."""
    try:
        return msgspec.msgpack.decode(part, type=dict[str, bytes])
    except msgspec.MsgspecError as error:
        raise ValueError(f"a part of the snapshot cannot be read: {error}") from error
