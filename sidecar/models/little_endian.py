"""Arrays of whole numbers as little-endian bytes, whatever order the machine has."""

from __future__ import annotations

import sys
from array import array

BIG = sys.byteorder == "big"


def to_bytes(values: array[int]) -> bytes:
    """The numbers, one after the other."""
    if BIG:
        values = array(values.typecode, values)
        values.byteswap()
    return values.tobytes()


def from_bytes(typecode: str, data: bytes | memoryview) -> array[int]:
    """The numbers that `to_bytes` wrote; ValueError when the last one is cut."""
    values = array(typecode)
    if len(data) % values.itemsize:
        raise ValueError("the data ends in the middle of a number")
    values.frombytes(data)
    if BIG:
        values.byteswap()
    return values
