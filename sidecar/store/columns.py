"""Compute sums and products of long columns of numbers, and read columns from bytes in the machine's order.

simsimd does the arithmetic; it exists for little-endian machines only. numpy would take 73 MB on disk, where our limit
leaves 28, and 0.08 s and 16 MiB to import.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias


@lru_cache(maxsize=1)
def library() -> Any:
    """Return simsimd, imported when a search needs it."""
    import simsimd

    return simsimd


Column: TypeAlias = "array[float] | memoryview[float]"


def weighted_sum(first: Sequence[float], second: Sequence[float], alpha: float = 1.0, beta: float = 1.0) -> Column:
    """Return `alpha` × `first` + `beta` × `second`, number by number; both hold doubles and are equally long."""
    # Do not pass `out=`: simsimd 6.5 then releases None once too often, which eventually crashes the interpreter.
    return memoryview(library().wsum(first, second, alpha=alpha, beta=beta)) if len(first) else array("d")


def products(first: Sequence[float], second: Sequence[float], alpha: float) -> Column:
    """Return `alpha` × `first` × `second`, number by number; both hold doubles and are equally long."""
    return memoryview(library().fma(first, second, first, alpha=alpha, beta=0.0)) if len(first) else array("d")


def product(first: Sequence[float], second: Sequence[float]) -> float:
    return float(library().dot(first, second)) if len(first) else 0.0


@lru_cache(maxsize=4)
def ones(length: int) -> array[float]:
    """Return a shared, read-only column of ones, for sums with a constant."""
    return array("d", [1.0]) * length


def from_bytes(typecode: str, data: bytes | memoryview) -> array[int]:
    """Return the numbers in some bytes. Raises ValueError if the last number is cut off."""
    values = array(typecode)
    values.frombytes(data)
    return values


def view_as(typecode: str, data: memoryview) -> memoryview:
    """Return the same numbers as `from_bytes`, without a copy."""
    if len(data) % array(typecode).itemsize:
        raise ValueError("the data ends in the middle of a number")
    return data.cast(typecode)  # type: ignore[call-overload, no-any-return]
