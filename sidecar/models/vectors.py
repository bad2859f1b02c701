"""Vectors of one model in memory, compared with a query by their cosine; `memories/index/meaning.py` has an index."""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sidecar.store.columns import Column, library, ones, product, products, weighted_sum
from sidecar.store.scores import Scores, best_places, pick

# There is room for this many rows at first; the room doubles when it is full.
_INITIAL_ROWS = 64
# Cosines are inside this range, whatever rounding does.
_EMPTY_RANGE = (1.1, -1.1)
# Added to each squared length, so that none is zero.
_MIN_NORM = 1e-300


class Closest(NamedTuple):
    """The cosines of a query with the closest vectors."""

    cosines: Scores
    mean: float  # over all vectors compared
    deviation: float  # over all vectors compared


class VectorIndex:
    """A block of signed 8-bit rows, one for each id. Thread-safe.

    A cosine is in [-1, 1]. A vector of zeros (a text that its model does not know) has cosine 0 with every vector.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._lock = threading.Lock()
        self._opened_rows = memoryview(b"")  # the first rows, which `open` uses in place
        self._split = 0  # number of opened rows
        self._block = bytearray(_INITIAL_ROWS * dimensions)  # the rows that `put` added
        self._inverse = array("d")  # 1 divided by the length of each row
        self._ids: list[str] = []
        self._rows: dict[str, int] = {}
        self._shares = False  # somebody else uses `_rows`, so that a change needs a copy

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, id: object) -> bool:
        return id in self._rows

    def open(self, numbers: dict[str, int], rows: memoryview) -> None:
        """Use vectors in place. The index may change `rows`, but not `numbers`, which counts the ids from 0.

        Raises ValueError if the index already has vectors or the sizes do not fit.
        """
        size = len(numbers)
        if len(rows) != size * self.dimensions:
            raise ValueError(f"{len(rows)} bytes are not the vectors of {size} in an index of {self.dimensions}")
        with self._lock:
            if self._ids:
                raise ValueError("the index has vectors already")
            self._opened_rows, self._split = rows, size
            self._ids, self._rows, self._shares = list(numbers), numbers, True
            self._inverse = self._inverse_lengths(rows)

    def put(self, id: str, vector: bytes) -> None:
        """Add or replace one vector. Raises ValueError if it has other dimensions than the index."""
        if len(vector) != self.dimensions:
            raise ValueError(f"a vector of {len(vector)} bytes in an index of {self.dimensions}")
        with self._lock:
            row = self._rows.get(id)
            if row is None:
                row = len(self._ids)
                if (row + 1 - self._split) * self.dimensions > len(self._block):
                    # Make a new block: a running scan may hold a view of the old one.
                    self._block = self._block + bytes(len(self._block))
                self._ids.append(id)
                self._own_rows()[id] = row
                self._inverse.append(0.0)
            self._write(row, vector)

    def remove(self, id: str) -> bool:
        """Remove one vector by moving the last row into its place; return whether it existed."""
        with self._lock:
            if id not in self._rows:
                return False
            row, last = self._own_rows().pop(id), self._ids.pop()
            self._inverse.pop()
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
        """Return the cosines of the `limit` closest vectors of `ids` (None: of all), ties by id, and of `also`."""
        with self._lock:
            order, rows, cosines = self._ids, self._rows, self._scan(query)
            if ids is not None:
                order = [id for id in ids if id in rows]
                cosines = array("d", map(cosines.__getitem__, map(rows.__getitem__, order)))
                rows = {id: index for index, id in enumerate(order)}
            near = [(cosines[index], order[index]) for index in best_places(cosines, limit, _EMPTY_RANGE)]
            if len(near) > limit:
                near = sorted(near, key=lambda pair: (-pair[0], pair[1]))[:limit]
            try:
                column = pick(cosines, pick(rows, also))
            except KeyError:  # some of `also` have no vector
                column = [math.nan if (row := rows.get(id)) is None else cosines[row] for id in also]
        if not near:
            return Closest(Scores(), 0.0, 0.0)
        return Closest(Scores({id: cosine for cosine, id in near}, also, column), *_mean_and_deviation(cosines))

    def _scan(self, query: bytes) -> Column:
        """Return the cosines of all rows. The caller holds the lock, or a row might be read half written."""
        if len(query) != self.dimensions:
            raise ValueError(f"a query of {len(query)} bytes in an index of {self.dimensions}")
        count = len(self._ids)
        if not any(query):
            return array("d", bytes(8 * count))
        query_matrix, dots = self._matrix(memoryview(query)), array("d")
        for rows in (self._opened_rows[: count * self.dimensions], memoryview(self._block)[: self._offset(count)]):
            if rows:
                dots.frombytes(memoryview(library().cdist(query_matrix, self._matrix(rows), "dot")).cast("B"))
        return products(dots, self._inverse, self._inverse_lengths(memoryview(query))[0])

    def _matrix(self, rows: memoryview) -> memoryview:
        return rows.cast("b", [len(rows) // self.dimensions, self.dimensions])

    def _inverse_lengths(self, rows: memoryview) -> array[float]:
        """Return 1 divided by the length of each row; a finite number for a row of zeros."""
        if not rows:
            return array("d")
        matrix = self._matrix(rows)
        squares = memoryview(library().dot(matrix, matrix)).cast("B").cast("d")
        return array("d", map((1.0).__truediv__, map(math.sqrt, map(_MIN_NORM.__add__, squares))))

    def _offset(self, row: int) -> int:
        return max(0, row - self._split) * self.dimensions

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
        self._inverse[row] = self._inverse_lengths(memoryview(vector))[0]

    def _locate(self, row: int) -> tuple[memoryview | bytearray, int]:
        if row < self._split:
            return self._opened_rows, row * self.dimensions
        return self._block, self._offset(row)


def _mean_and_deviation(cosines: Column) -> tuple[float, float]:
    """Return the mean and deviation of the cosines, the same for any order of the rows.

    Each cosine is first rounded to so few bits (17 after the point for 100,000 rows) that the sums of cosines and of
    their squares are exact.
    """
    count = len(cosines)
    rounding = 2.0 ** (52 - (51 - count.bit_length()) // 2)
    unit = ones(count)
    rounded = weighted_sum(weighted_sum(cosines, unit, 1.0, rounding), unit, 1.0, -rounding)
    mean = product(rounded, unit) / count
    return mean, math.sqrt(max(0.0, product(rounded, rounded) / count - mean * mean))
