"""Vectors of one model in memory, compared with a query by their cosine."""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Callable, Collection, Sequence
from operator import mul
from typing import NamedTuple

from sidecar.store.columns import Column, library, ones, product, weighted_sum
from sidecar.store.scores import Scores, picked
from sidecar.store.top_values import best

Distances = Callable[[memoryview, memoryview], Column]
"""Cosine distances (0 to 2) of a query from each row; both are 2-dimensional views of signed bytes."""

_INITIAL_ROWS = 64
_RANGE = (-0.1, 2.1)  # the range of distances, whatever rounding does


class Closest(NamedTuple):
    """Cosines of a query with some vectors; mean and standard deviation over all that were compared."""

    cosines: Scores
    mean: float
    deviation: float


class VectorIndex:
    """A contiguous block of signed 8-bit rows, one for each id. Thread-safe.

    A cosine is in [-1, 1]. A vector of zeros, of a text that its model does not know, has cosine 0 with everything.
    """

    def __init__(self, dimensions: int, distances: Distances | None = None) -> None:
        self.dimensions = dimensions
        self._distances = distances or _best_distances()
        self._lock = threading.Lock()
        self._opened_rows = memoryview(b"")  # the first rows, which `open` took over
        self._split = 0  # number of these
        self._block = bytearray(_INITIAL_ROWS * dimensions)  # the rows that `put` added
        self._ids: list[str] = []
        self._rows: dict[str, int] = {}
        self._shares = False  # whether others use these, so that a change needs a copy

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, id: object) -> bool:
        return id in self._rows

    def open(self, numbers: dict[str, int], rows: memoryview) -> None:
        """Take over many vectors in place, in memory that the index may then change; `numbers` counts their ids from 0
        and stays as it is.

        Raises ValueError if the index already has any or the sizes do not fit.
        """
        size = len(numbers)
        if len(rows) != size * self.dimensions:
            raise ValueError(f"{len(rows)} bytes are not the vectors of {size} in an index of {self.dimensions}")
        with self._lock:
            if self._ids:
                raise ValueError("the index has vectors already")
            self._opened_rows, self._split = rows, size
            self._ids, self._rows, self._shares = list(numbers), numbers, True

    def put(self, id: str, vector: bytes) -> None:
        """Add or replace one vector. Raises ValueError if its dimensions differ from the index's."""
        if len(vector) != self.dimensions:
            raise ValueError(f"a vector of {len(vector)} bytes in an index of {self.dimensions}")
        with self._lock:
            row = self._rows.get(id)
            if row is None:
                row = len(self._ids)
                if (row + 1 - self._split) * self.dimensions > len(self._block):
                    # A new block, because a running scan may hold a view of the old one.
                    self._block = self._block + bytes(len(self._block))
                self._ids.append(id)
                self._own_rows()[id] = row
            self._write(row, vector)

    def remove(self, id: str) -> bool:
        """Remove one vector, by moving the last row into its place; return whether it existed."""
        with self._lock:
            if id not in self._rows:
                return False
            row, last = self._own_rows().pop(id), self._ids.pop()
            if last != id:
                self._ids[row] = last
                self._rows[last] = row
                self._write(row, self._row(len(self._ids)))
            return True

    def get(self, id: str) -> bytes | None:
        with self._lock:
            row = self._rows.get(id)
            return None if row is None else self._row(row)

    def closest(
        self, query: bytes, limit: int, also: Sequence[str] = (), ids: Collection[str] | None = None
    ) -> Closest:
        """Return the `limit` closest of all or of `ids` (ties by id), and those among `also`, in one scan."""
        with self._lock:
            order, rows, distances = self._ids, self._rows, self._scan(query)
            if ids is not None:
                order = [id for id in ids if id in rows]
                distances = array("d", map(distances.__getitem__, map(rows.__getitem__, order)))
                rows = {id: index for index, id in enumerate(order)}
            near = [(distances[index], order[index]) for index in best(distances, limit, _RANGE)]
            if len(near) > limit:
                near = sorted(near)[:limit]
            every = weighted_sum(distances, ones(len(distances)), -1.0, 1.0)
            try:
                cosines = picked(every, picked(rows, also))
            except KeyError:  # not all of them have vectors
                cosines = [math.nan if (row := rows.get(id)) is None else every[row] for id in also]
        if not near:
            return Closest(Scores(), 0.0, 0.0)
        return Closest(
            Scores({id: 1.0 - distance for distance, id in near}, also, cosines), *_mean_and_deviation(distances)
        )

    def _scan(self, query: bytes) -> Column:
        """Return the distances of all rows; call it under the lock."""
        count = len(self._ids)
        first, others = self._opened_rows[: count * self.dimensions], memoryview(self._block)[: self._offset(count)]
        if not others:
            return self._measure(query, first)
        distances = array("d")
        for rows in (first, others):
            distances.frombytes(memoryview(self._measure(query, rows)).cast("B"))
        return distances

    def _offset(self, row: int) -> int:
        """Return the offset of a row in the block, 0 for one of the opened rows."""
        return max(0, row - self._split) * self.dimensions

    def _measure(self, query: bytes, rows: memoryview) -> Column:
        """Return the rows' distances; call it under the lock, because a row being written would be half old."""
        if len(query) != self.dimensions:
            raise ValueError(f"a query of {len(query)} bytes in an index of {self.dimensions}")
        count = len(rows) // self.dimensions
        if not count:
            return array("d")
        if not any(query):
            return ones(count)
        matrix = memoryview(query).cast("b", [1, self.dimensions])
        return self._distances(matrix, rows.cast("b", [count, self.dimensions]))

    def _own_rows(self) -> dict[str, int]:
        if self._shares:
            self._rows, self._shares = self._rows.copy(), False
        return self._rows

    def _row(self, row: int) -> bytes:
        block, index = self._locate(row)
        return bytes(block[index : index + self.dimensions])

    def _write(self, row: int, vector: bytes) -> None:
        block, index = self._locate(row)
        block[index : index + self.dimensions] = vector

    def _locate(self, row: int) -> tuple[memoryview | bytearray, int]:
        if row < self._split:
            return self._opened_rows, row * self.dimensions
        return self._block, self._offset(row)


def _mean_and_deviation(distances: Column) -> tuple[float, float]:
    """Return mean and deviation of the cosines, the same for any order of the rows.

    Distances are rounded to the number of bits that keeps the sums of them and of their squares exact: 17 after the
    point for 100,000 rows.
    """
    count = len(distances)
    rounding = 2.0 ** (52 - (51 - count.bit_length()) // 2)
    unit = ones(count)
    rounded = weighted_sum(weighted_sum(distances, unit, 1.0, rounding), unit, 1.0, -rounding)
    mean = product(rounded, unit) / count
    return 1.0 - mean, math.sqrt(max(0.0, product(rounded, rounded) / count - mean * mean))


def _best_distances() -> Distances:
    simsimd = library()
    if simsimd is None:
        return plain_distances
    return lambda query, rows: memoryview(simsimd.cdist(query, rows, "cosine")).cast("B").cast("d")


def plain_distances(query: memoryview, rows: memoryview) -> array[float]:
    """Compute distances without a library, for machines that simsimd has no build for; a hundred times slower."""
    width = len(query.tobytes())
    wanted = array("b", query.tobytes())
    length = math.hypot(*wanted)
    block = array("b", rows.tobytes())
    distances = array("d")
    for start in range(0, len(block), width):
        row = block[start : start + width]
        size = math.hypot(*row)
        distances.append(1.0 - sum(map(mul, wanted, row)) / (size * length) if size else 1.0)
    return distances
