"""The file of the static table: for each piece of the vocabulary, a row of bytes and a weight.

Layout, little-endian: 8 bytes magic, the numbers of rows and dimensions (unsigned, 32 bits each), 8 bytes xxh3-64 of
everything that follows, the weights (unsigned, 16 bits each), then the rows. A component is weight × (byte − 128), in
an arbitrary unit, since only directions are used; a row of weight 0 has no effect.
"""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Sequence
from pathlib import Path

from sidecar.store.columns import from_bytes

MAGIC = b"MSTABLE1"
# Stands for a component of 0.
ZERO_BYTE = 128
# Low enough to add thousands of weighted rows in 32 bits.
MAX_WEIGHT = 4095

_HEADER = struct.Struct("<8sIIQ")


class TableFile:
    """An open table. A row is read from the file when needed: pages of a mapped file would stay in memory."""

    def __init__(self, path: Path) -> None:
        """Open the file. Raises OSError if it cannot be read, ValueError if it is not a complete table."""
        self._descriptor = os.open(path, os.O_RDONLY)
        self._lock = threading.Lock()  # on some systems, a read moves the descriptor's position
        head = os.pread(self._descriptor, _HEADER.size, 0)
        if len(head) < _HEADER.size:
            raise ValueError(f"{path} is too short for a table")
        magic, rows, self.dimensions, digest = _HEADER.unpack(head)
        self._start = _HEADER.size + rows * 2
        if magic != MAGIC or self.dimensions == 0 or path.stat().st_size != self._start + rows * self.dimensions:
            raise ValueError(f"{path} is not a complete table")
        self.fingerprint = f"{digest:016x}"
        self.weights: Sequence[int] = from_bytes("H", os.pread(self._descriptor, rows * 2, _HEADER.size))
        if max(self.weights, default=0) > MAX_WEIGHT:
            raise ValueError(f"{path} has a weight above {MAX_WEIGHT}")

    def row(self, number: int) -> bytes:
        with self._lock:
            return os.pread(self._descriptor, self.dimensions, self._start + number * self.dimensions)

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)
