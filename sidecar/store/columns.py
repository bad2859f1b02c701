"""Long columns of numbers: kept ones, their sums, and their little-endian bytes whatever order the machine has.

simsimd computes where there is a build of it, plain Python otherwise. Sums and rounded numbers are the same to the bit:
both round once. numpy is not used: it takes 73 MB on disk, of which 28 were left, .08 s and 16 MiB to import.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from math import fsum
from operator import mul
from typing import Any


@lru_cache(maxsize=1)
def library() -> Any:
    """simsimd, imported where a search needs it; None where there is no build of it."""
    try:
        import simsimd
    except ImportError:
        return None
    return simsimd


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


def weighted_sum(one: Sequence[float], other: Sequence[float], alpha: float = 1.0, beta: float = 1.0) -> array[float]:
    """`alpha` × one + `beta` × other, number by number; both are arrays or views of doubles of the same length."""
    if not len(one) or (simsimd := library()) is None:
        return array("d", [alpha * a + beta * b for a, b in zip(one, other, strict=True)])
    # Not with its `out=`: in 6.5 it then takes a reference to None too many, which ends the interpreter one day.
    found = array("d")
    found.frombytes(memoryview(simsimd.wsum(one, other, alpha=alpha, beta=beta)).cast("B"))
    return found


def product(one: Sequence[float], other: Sequence[float]) -> float:
    """The scalar product of two columns of doubles."""
    if not len(one) or (simsimd := library()) is None:
        return fsum(map(mul, one, other))
    return float(simsimd.dot(one, other))


@lru_cache(maxsize=4)
def ones(length: int) -> array[float]:
    """A column of ones, for sums with a constant; not to be changed."""
    return array("d", [1.0]) * length


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
