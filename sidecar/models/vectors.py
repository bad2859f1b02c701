"""Vectors of one model in memory, compared with a query by their cosine."""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from operator import mul
from typing import Any, NamedTuple

from sidecar.store.top_values import least

Distances = Callable[[memoryview, memoryview], Sequence[float]]
"""Cosine distances (0 to 2) of a query from each row; both are 2-dimensional views of signed bytes."""

_FIRST = 64  # rows


class Closest(NamedTuple):
    """Cosines of a query with some vectors; mean and standard deviation over all that were compared."""

    cosines: dict[str, float]
    mean: float
    deviation: float


class VectorIndex:
    """A contiguous block of signed 8-bit rows, one for each id, for any thread.

    A cosine is in [-1, 1]. A vector of zeros, of a text that its model knows nothing of, has cosine 0 with everything.
    """

    def __init__(self, dimensions: int, distances: Distances | None = None) -> None:
        self.dimensions = dimensions
        self._distances = distances or _best_distances()
        self._lock = threading.Lock()
        self._block = bytearray(_FIRST * dimensions)
        self._ids: list[str] = []
        self._rows: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, id: object) -> bool:
        return id in self._rows

    def put(self, id: str, vector: bytes) -> None:
        """Add or replace one vector; raises ValueError if its dimensions differ from the index's."""
        if len(vector) != self.dimensions:
            raise ValueError(f"a vector of {len(vector)} bytes in an index of {self.dimensions}")
        with self._lock:
            row = self._rows.get(id)
            if row is None:
                row = len(self._ids)
                if (row + 1) * self.dimensions > len(self._block):
                    # A new block, because a running scan may hold a view of the old one.
                    self._block = self._block + bytes(len(self._block))
                self._ids.append(id)
                self._rows[id] = row
            self._write(row, vector)

    def remove(self, id: str) -> bool:
        """Remove one vector, by moving the last row into its place; return True if it existed."""
        with self._lock:
            row = self._rows.pop(id, None)
            if row is None:
                return False
            last = self._ids.pop()
            if last != id:
                self._ids[row] = last
                self._rows[last] = row
                self._write(row, self._row(len(self._ids)))
            return True

    def get(self, id: str) -> bytes | None:
        with self._lock:
            row = self._rows.get(id)
            return None if row is None else self._row(row)

    def closest(self, query: bytes, most: int, also: Iterable[str] = (), ids: Collection[str] | None = None) -> Closest:
        """Return the `most` closest of all or of `ids` (ties by id), and those among `also`, in one scan."""
        with self._lock:
            found, distances = self._scan(query, ids)
            near = sorted([(distances[at], found[at]) for at in least(distances, most)])[:most]
            rows = self._rows if ids is None else {id: at for at, id in enumerate(found)}
            wanted = {id for _, id in near}.union(also)
            cosines = {id: 1.0 - distances[rows[id]] for id in wanted if id in rows}
        if not cosines:
            return Closest({}, 0.0, 0.0)
        mean = math.fsum(distances) / len(distances)
        variance = math.hypot(*distances) ** 2 / len(distances) - mean * mean
        return Closest(cosines, 1.0 - mean, math.sqrt(max(0.0, variance)))

    def _scan(self, query: bytes, ids: Collection[str] | None) -> tuple[list[str], Sequence[float]]:
        """Return ids and their distances; under the lock."""
        if ids is None:
            return self._ids, self._measured(query, memoryview(self._block)[: len(self._ids) * self.dimensions])
        found = [id for id in ids if id in self._rows]
        rows = b"".join([self._row(self._rows[id]) for id in found])
        return found, self._measured(query, memoryview(rows))

    def _measured(self, query: bytes, rows: memoryview) -> Sequence[float]:
        """Return the rows' distances; under the lock, because a row being written would be half old."""
        if len(query) != self.dimensions:
            raise ValueError(f"a query of {len(query)} bytes in an index of {self.dimensions}")
        count = len(rows) // self.dimensions
        if not count:
            return ()
        if not any(query):
            return [1.0] * count
        one = memoryview(query).cast("b", [1, self.dimensions])
        return self._distances(one, rows.cast("b", [count, self.dimensions]))

    def _row(self, row: int) -> bytes:
        return bytes(self._block[row * self.dimensions : (row + 1) * self.dimensions])

    def _write(self, row: int, vector: bytes) -> None:
        self._block[row * self.dimensions : (row + 1) * self.dimensions] = vector


def _best_distances() -> Distances:
    try:
        import simsimd
    except ImportError:
        return plain_distances

    def distances(query: memoryview, rows: memoryview) -> Sequence[float]:
        # A tensor of simsimd's own, one row of 64-bit numbers; its stub says less.
        tensor: Any = simsimd.cdist(query, rows, "cosine")
        return memoryview(tensor).cast("B").cast("d").tolist()

    return distances


def plain_distances(query: memoryview, rows: memoryview) -> Sequence[float]:
    """Compute distances without a library, for machines that simsimd has no build for; a hundred times slower."""
    width = len(query.tobytes())
    wanted = array("b", query.tobytes())
    length = math.hypot(*wanted)
    block = array("b", rows.tobytes())
    found = []
    for start in range(0, len(block), width):
        row = block[start : start + width]
        own = math.hypot(*row)
        found.append(1.0 - sum(map(mul, wanted, row)) / (own * length) if own else 1.0)
    return found
