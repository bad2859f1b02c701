"""Arithmetic on long columns of numbers, and packing of columns into one value, for full text search and vectors.

simsimd does the arithmetic; it exists for little-endian machines only. numpy would take 73 MB on disk, where our limit
leaves 28, and 0.08 s and 16 MiB to import.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec
import xxhash

_MAGIC = b"MSPARTS1"
_HEAD_BYTES = len(_MAGIC) + 8 + 4  # magic, checksum of all that follows, size of the directory
_ALIGNMENT_BYTES = 8  # lets each part be read in place as a column of doubles

Part = bytes | bytearray | memoryview


@lru_cache(maxsize=1)
def library() -> Any:
    """Return simsimd, imported when a search needs it."""
    import simsimd

    return simsimd


Column: TypeAlias = "array[float] | memoryview[float]"


def weighted_sum(first: Sequence[float], second: Sequence[float], alpha: float = 1.0, beta: float = 1.0) -> Column:
    """Return `alpha` × `first` + `beta` × `second`, element by element; both are doubles of equal length."""
    # Do not pass `out=`: simsimd 6.5 then releases None once too often, which eventually crashes the interpreter.
    return memoryview(library().wsum(first, second, alpha=alpha, beta=beta)) if len(first) else array("d")


def products(first: Sequence[float], second: Sequence[float], alpha: float) -> Column:
    """Return `alpha` × `first` × `second`, element by element; both are doubles of equal length."""
    return memoryview(library().fma(first, second, first, alpha=alpha, beta=0.0)) if len(first) else array("d")


def product(first: Sequence[float], second: Sequence[float]) -> float:
    return float(library().dot(first, second)) if len(first) else 0.0


@lru_cache(maxsize=4)
def ones(length: int) -> array[float]:
    """Return a shared, read-only column of ones, for sums with a constant."""
    return array("d", [1.0]) * length


def from_bytes(typecode: str, data: bytes | memoryview) -> array[int]:
    """Return the numbers in some bytes. Raises ValueError if the last number is incomplete."""
    values = array(typecode)
    values.frombytes(data)
    return values


def view_as(typecode: str, data: memoryview) -> memoryview:
    """Do the same as `from_bytes` without a copy."""
    if len(data) % array(typecode).itemsize:
        raise ValueError("the data ends in the middle of a number")
    return data.cast(typecode)  # type: ignore[call-overload, no-any-return]


def pack(parts: Mapping[str, Part]) -> bytes:
    """Pack named runs of bytes into one value, with one checksum, so that it can be read in place."""
    directory = msgspec.msgpack.encode({name: len(part) for name, part in parts.items()})
    body = bytearray(len(directory).to_bytes(4, "little") + directory)
    for part in parts.values():
        body += bytes(-(len(body) + _HEAD_BYTES - 4) % _ALIGNMENT_BYTES)
        body += part
    return _MAGIC + xxhash.xxh3_64_digest(body) + body


def unpack(value: Part, *, whole: bool = False) -> dict[str, memoryview]:
    """Return the parts as views of the value. Raises ValueError if `pack` did not make it, or it is damaged.

    `whole`: the caller has already verified the value.
    """
    view = memoryview(value)
    if len(view) < _HEAD_BYTES or view[: len(_MAGIC)] != _MAGIC:
        raise ValueError("this is not a snapshot")
    if not whole and xxhash.xxh3_64_digest(view[16:]) != view[8:16]:
        raise ValueError("this is not a snapshot, or a damaged one")
    at = _HEAD_BYTES + int.from_bytes(view[16:_HEAD_BYTES], "little")
    parts = {}
    for name, size in msgspec.msgpack.decode(view[_HEAD_BYTES:at], type=dict[str, int]).items():
        at += -at % _ALIGNMENT_BYTES
        parts[name] = view[at : at + size]
        at += size
    if at != len(view):
        raise ValueError("the snapshot's parts do not fill it")
    return parts
