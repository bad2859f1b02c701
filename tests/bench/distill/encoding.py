"""The bytes of a static table."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence

import xxhash

from sidecar.models.table_file import MAGIC, MAX_WEIGHT


def encode(weights: Sequence[int], rows: bytes) -> bytes:
    """Return the bytes of a table: one weight for each row, all rows of one length."""
    dimensions, remainder = divmod(len(rows), len(weights))
    if remainder or not all(0 <= weight <= MAX_WEIGHT for weight in weights):
        raise ValueError("the rows and weights do not make a table")
    body = array("H", weights).tobytes() + rows
    return struct.pack("<8sIIQ", MAGIC, len(weights), dimensions, xxhash.xxh3_64_intdigest(body)) + body
