"""Long columns of numbers: kept ones, their sums, and their little-endian bytes whatever order the machine has.

Sums are simsimd's where there is a build of it, and the same to the bit otherwise: both add two doubles and round once.
"""

from __future__ import annotations

import sys
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


def to_bytes(values: array[int]) -> bytes:
    """The numbers, one after the other."""
    if sys.byteorder == "big":
        values = array(values.typecode, values)
        values.byteswap()
    return values.tobytes()


def from_bytes(typecode: str, data: bytes | memoryview) -> array[int]:
    """The numbers that `to_bytes` wrote; ValueError when the last one is cut."""
    values = array(typecode)
    if len(data) % values.itemsize:
        raise ValueError("the data ends in the middle of a number")
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    return values
