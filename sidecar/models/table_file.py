"""The file of the static table: for each piece of the vocabulary, a row of bytes and a weight.

Layout, little-endian: 8 bytes magic, rows and dimensions as unsigned 32-bit numbers, 8 bytes xxh3-64 of everything that
follows, the weights as unsigned 16-bit numbers, then the rows. A component is weight × (byte − 128), so a row of weight
0 has no effect. The unit is arbitrary: only directions are used.
"""

from __future__ import annotations

import mmap
import struct
from array import array
from collections.abc import Sequence
from pathlib import Path

import msgspec
import xxhash

from sidecar.store.columns import from_bytes, to_bytes

MAGIC = b"MSTABLE1"
ZERO_BYTE = 128
"""The byte that means component 0."""
MAX_WEIGHT = 4095
"""Low enough to add thousands of weighted rows in 32 bits."""

_HEADER = struct.Struct("<8sIIQ")


class TableFile(msgspec.Struct, frozen=True):
    """An open table; `rows` is a memory-mapped view, read as it is used."""

    dimensions: int
    fingerprint: str
    weights: Sequence[int]
    rows: memoryview

    @classmethod
    def open(cls, path: Path) -> TableFile:
        """Map the file. Raises OSError if it cannot be read, ValueError if it is not a complete table."""
        with path.open("rb") as file:
            view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        if len(view) < _HEADER.size:
            raise ValueError(f"{path} is too short for a table")
        magic, rows, dimensions, digest = _HEADER.unpack_from(view)
        end = _HEADER.size + rows * 2
        if magic != MAGIC or dimensions == 0 or len(view) != end + rows * dimensions:
            raise ValueError(f"{path} is not a complete table")
        weights = from_bytes("H", view[_HEADER.size : end])
        if max(weights, default=0) > MAX_WEIGHT:
            raise ValueError(f"{path} has a weight above {MAX_WEIGHT}")
        return cls(dimensions, f"{digest:016x}", weights, view[end:])

    def row(self, number: int) -> memoryview:
        return self.rows[number * self.dimensions : (number + 1) * self.dimensions]


def encode(weights: Sequence[int], rows: bytes) -> bytes:
    """Return the bytes of a table: one weight for each row, all rows of one length."""
    dimensions, remainder = divmod(len(rows), len(weights))
    if remainder or not all(0 <= weight <= MAX_WEIGHT for weight in weights):
        raise ValueError("the rows and weights do not make a table")
    body = to_bytes(array("H", weights)) + rows
    return _HEADER.pack(MAGIC, len(weights), dimensions, xxhash.xxh3_64_intdigest(body)) + body
