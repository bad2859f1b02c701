"""Vectors that embedding models made of memories, by model and memory: derived data beside a memory store.

With the static table, whose vectors are the cheapest, reading 10,000 takes a tenth of a second and making them two and
a half. So the vectors of every model are kept.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from sidecar.runtime.errors import InvalidField
from sidecar.store import keys, schema
from sidecar.store.codec import encode
from sidecar.store.database_store import DerivedStore
from sidecar.store.gc_pause import pause_collector
from sidecar.store.records import VectorRecord
from sidecar.store.rows import Rows, StoredValue
from sidecar.store.tables import VECTORS

KEPT_DAYS = 30
"""Days after which the vectors of an unused model are dropped."""

_DAY = 86_400_000  # ms
log = logging.getLogger(__name__)


class StoredVector(NamedTuple):
    """A vector and the fingerprint of the text from which it was made."""

    print: bytes
    vector: bytes


class VectorStore(DerivedStore):
    """The folder `vectors` of a store."""

    kind = schema.VECTORS

    def load(self, model: str, now: int, ids: Iterable[str] | None = None) -> dict[str, StoredVector]:
        """Return the vectors of a model by memory id, all of one moment, or those of `ids`.

        Records that the model is in use at `now` (ms).
        """
        prefix = VECTORS.key(model, "")
        nothing: list[tuple[str, StoredValue]] = []
        wanted = None if ids is None else [prefix + id for id in ids]

        def read(rows: Rows) -> list[tuple[str, StoredValue]]:
            return rows.prefixed(prefix) if wanted is None else list(rows.many(wanted).items())

        with pause_collector():
            entries = self._read(read, nothing)
            result = {
                key.removeprefix(prefix): StoredVector(record.print, record.vector)
                for key, record in VECTORS.readable(entries)
            }
        key, day = keys.join_key(keys.MODEL_USE, model), now // _DAY
        if self._read(lambda rows: rows.get(key), None) != day:
            self._write(lambda rows: rows.set(key, day))
        return result

    def put(self, model: str, vectors: Mapping[str, StoredVector]) -> None:
        """Store vectors of a model by memory id, in one transaction."""
        values = {}
        for id, (print, vector) in vectors.items():
            try:
                values[VECTORS.key(model, id)] = encode(VectorRecord(print=print, vector=vector))
            except InvalidField as error:
                log.info("A vector was not stored: %s", error.message)
        if values:
            self._write(lambda rows: rows.set_many(values))

    def drop(self, ids: Iterable[str]) -> int:
        """Drop the vectors of these memories, of every model; return how many there were."""
        gone = frozenset(ids)

        def drop(rows: Rows) -> int:
            named = (key for key in rows.keys(keys.VECTOR) if key.rpartition(keys.SEPARATOR)[2] in gone)
            return rows.delete_many(named)

        return self._write(drop) if gone else 0

    def compact(self, now: int) -> int:
        """Drop the vectors of models that were not used in the last 30 days; return how many there were."""
        oldest = now // _DAY - KEPT_DAYS

        def drop(rows: Rows) -> int:
            number = 0
            for key, day in rows.prefixed(keys.MODEL_USE):
                if type(day) is not int or day < oldest:
                    prefix = VECTORS.key(key.removeprefix(keys.MODEL_USE), "")
                    number += rows.delete_many(rows.keys(prefix))
                    rows.delete(key)
            return number

        return self._write(drop)

    def models(self) -> dict[str, int]:
        """Return the number of vectors of each model."""
        counts: dict[str, int] = {}
        nothing: list[str] = []
        for key in self._read(lambda rows: rows.keys(keys.VECTOR), nothing):
            model = key.removeprefix(keys.VECTOR).partition(keys.SEPARATOR)[0]
            counts[model] = counts.get(model, 0) + 1
        return counts


def purge(directory: Path, ids: Iterable[str]) -> None:
    """Drop the vectors of memories of which nothing may remain, if any were made. Raises StoreUnavailable."""
    if (directory / schema.VECTORS.name).exists():
        store = VectorStore.open(directory)
        try:
            store.drop(ids)
        finally:
            store.close()
