"""The vectors of memories, by embedding model and memory: a derived database beside the memory store.

Vectors of every model are stored: even the quickest model, the static table, takes 2.5 seconds for 10,000, and reading
them takes a tenth of a second.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from sidecar.runtime.errors import InvalidField
from sidecar.runtime.priority import pause_collector
from sidecar.store import keys, schema
from sidecar.store.codec import encode
from sidecar.store.database_store import DerivedStore
from sidecar.store.records import VectorRecord
from sidecar.store.rows import Rows
from sidecar.store.tables import VECTORS

KEPT_DAYS = 30  # for which the vectors of an unused model are kept

_DAY_MS = 86_400_000
log = logging.getLogger(__name__)


class StoredVector(NamedTuple):
    """A vector and the fingerprint of the text from which it was made."""

    fingerprint: bytes
    vector: bytes


class VectorStore(DerivedStore):
    kind = schema.VECTORS

    def load(self, model: str, now: int, ids: Iterable[str] | None = None) -> dict[str, StoredVector]:
        """Return a model's vectors of `ids` (None: all) by id, and note that the model is in use at `now` (ms)."""
        with pause_collector():
            records = self._read(
                lambda rows: VECTORS.unordered(rows, model) if ids is None else VECTORS.many(rows, ids, model)
            )
            vectors = {id: StoredVector(record.fingerprint, record.vector) for id, record in (records or {}).items()}
        key, day = keys.join_key(keys.MODEL_USE, model), now // _DAY_MS
        if self._read(lambda rows: rows.get(key)) != day:
            self._write(lambda rows: rows.set(key, day))
        return vectors

    def put(self, model: str, vectors: Mapping[str, StoredVector]) -> None:
        values = {}
        for id, (fingerprint, vector) in vectors.items():
            try:
                values[VECTORS.key(model, id)] = encode(VectorRecord(fingerprint=fingerprint, vector=vector))
            except InvalidField as error:
                log.info("A vector was not stored: %s", error.message)
        if values:
            self._write(lambda rows: rows.set_many(values))

    def drop(self, ids: Iterable[str]) -> int:
        """Drop all models' vectors of the memories `ids`; return their number."""
        gone = frozenset(ids)

        def drop(rows: Rows) -> int:
            named = (key for key in rows.keys(keys.VECTOR) if key.rpartition(keys.SEPARATOR)[2] in gone)
            return rows.delete_many(named)

        return self._write(drop) if gone else 0

    def compact(self, now: int) -> int:
        """Drop the vectors of models that were not used for 30 days; return their number."""
        oldest = now // _DAY_MS - KEPT_DAYS

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
        stored = self._read(lambda rows: rows.keys(keys.VECTOR)) or []
        return dict(Counter(key.removeprefix(keys.VECTOR).partition(keys.SEPARATOR)[0] for key in stored))


def purge(directory: Path, ids: Iterable[str]) -> None:
    """Drop the vectors of purged memories, if any were made. Raises StoreUnavailable."""
    if (directory / schema.VECTORS.name).exists():
        store = VectorStore.open(directory)
        try:
            store.drop(ids)
        finally:
            store.close()
