"""Long columns of 64-bit numbers: kept ones, and sums of them by simsimd where there is a build of it.

A sum is the same to the bit either way: both add two doubles and round once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from operator import add
from typing import Any, cast


class Columns:
    """The columns made last, as many as hold `most` numbers together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._length = 0
        self._kept: dict[Hashable, array[float]] = {}

    def get(self, name: Hashable, make: Callable[[], array[float]]) -> array[float]:
        """The column of this name, made when it is not kept."""
        column = self._kept.get(name)
        if column is None:
            column = self._kept[name] = make()
            self._length += len(column)
            while self._length > self._most and len(self._kept) > 1:
                self._length -= len(self._kept.pop(next(iter(self._kept))))
        return column

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()
        self._length = 0


def sum_of(one: array[float], other: array[float]) -> array[float]:
    """The sums of two columns of the same length, number by number."""
    try:
        import simsimd
    except ImportError:
        return plain_sum(one, other)
    # Not with its `out=`: in 6.5 it then takes a reference to None too many, which ends the interpreter one day.
    found = array("d")
    tensor = cast(Any, simsimd.wsum(one, other, alpha=1.0, beta=1.0))
    found.frombytes(memoryview(tensor).cast("B"))
    return found


def plain_sum(one: array[float], other: array[float]) -> array[float]:
    """The same without a library, for machines that simsimd has no build for; twenty times slower."""
    return array("d", map(add, one, other))
