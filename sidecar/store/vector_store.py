"""Vectors that embedding models made of memories, by model and memory: derived data beside a memory store.

Measured with the static table, whose vectors are the cheapest: reading 10,000 takes a tenth of a second, making them
two and a half. So the vectors of every model are kept.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import xxhash

from sidecar.runtime.errors import InvalidField
from sidecar.store import keys
from sidecar.store.codec import Codec, encode
from sidecar.store.database import Rows, Value
from sidecar.store.gc_pause import paused_collector
from sidecar.store.records import VectorRecord
from sidecar.store.remade import Remade
from sidecar.store.schema import VECTORS

KEPT_DAYS = 30
"""Vectors of a model that nobody has used for so long are dropped."""

_DAY = 86_400_000  # ms
_log = logging.getLogger(__name__)
_vectors = Codec(VectorRecord, derived=True)


class Stored(NamedTuple):
    """A vector and the fingerprint of the text it was made of."""

    print: bytes
    vector: bytes


def fingerprint(text: str) -> bytes:
    """What tells whether a stored vector is that of this text; 8 bytes."""
    return xxhash.xxh3_64_digest(text.encode("utf-8", "surrogatepass"))


class VectorStore:
    """The folder `vectors` of a store. May be used from any thread and shared by any number of processes.

    A damaged vector reads as absent, and a damaged database is started afresh. Methods may raise StoreUnavailable.
    """

    def __init__(self, remade: Remade) -> None:
        self._remade = remade

    @classmethod
    def open(cls, directory: Path) -> VectorStore:
        """Opens the vectors of the store in `directory`; `StoreUnavailable`."""
        return cls(Remade.open(directory, VECTORS))

    def close(self) -> None:
        """Closes all files; idempotent."""
        self._remade.close()

    def size(self) -> int:
        """Bytes on disk."""
        return self._remade.size()

    def load(self, model: str, now: int) -> dict[str, Stored]:
        """Every vector of a model by memory id, as of one moment; notes that the model is in use at `now` (ms)."""
        prefix = keys.of_parts(keys.VECTOR, model, "")
        nothing: list[tuple[str, Value]] = []
        with paused_collector():
            found = self._remade.read(lambda rows: rows.prefixed(prefix), nothing)
            result = dict(_decoded(prefix, found))
        self._note_use(model, now // _DAY)
        return result

    def put(self, model: str, vectors: Mapping[str, Stored]) -> None:
        """Stores vectors of a model by memory id, in one transaction."""
        values = {}
        for id, (print, vector) in vectors.items():
            try:
                values[keys.of_parts(keys.VECTOR, model, id)] = encode(
                    VectorRecord(print=print, vector=vector)
                )
            except InvalidField as error:
                _log.info("A vector was not stored: %s", error.message)
        if values:
            self._remade.write(lambda rows: rows.set_many(values))

    def drop(self, ids: Iterable[str]) -> int:
        """Forgets the vectors of these memories, of every model; their number."""
        gone = frozenset(ids)
        return self._remade.write(lambda rows: _drop(rows, gone)) if gone else 0

    def compact(self, now: int) -> int:
        """Drops the vectors of models that were not used in the last 30 days; their number."""
        oldest = now // _DAY - KEPT_DAYS

        def drop(rows: Rows) -> int:
            number = 0
            for key, day in rows.prefixed(keys.MODEL_USE):
                if type(day) is not int or day < oldest:
                    prefix = keys.of_parts(keys.VECTOR, key.removeprefix(keys.MODEL_USE), "")
                    number += rows.delete_many(rows.keys(prefix))
                    rows.delete(key)
            return number

        return self._remade.write(drop)

    def models(self) -> dict[str, int]:
        """How many vectors there are of each model."""
        counts: dict[str, int] = {}
        nothing: list[str] = []
        for key in self._remade.read(lambda rows: rows.keys(keys.VECTOR), nothing):
            model = key.removeprefix(keys.VECTOR).partition(keys.SEPARATOR)[0]
            counts[model] = counts.get(model, 0) + 1
        return counts

    def _note_use(self, model: str, day: int) -> None:
        key = keys.of_parts(keys.MODEL_USE, model)
        if self._remade.read(lambda rows: rows.get(key), None) != day:
            self._remade.write(lambda rows: rows.set(key, day))


def purge(directory: Path, ids: Iterable[str]) -> None:
    """Forgets the vectors of memories of which nothing may stay, if any were ever made. Raises StoreUnavailable."""
    if (directory / VECTORS.name).exists():
        store = VectorStore.open(directory)
        try:
            store.drop(ids)
        finally:
            store.close()


def _drop(rows: Rows, ids: frozenset[str]) -> int:
    return rows.delete_many(key for key in rows.keys(keys.VECTOR) if key.rpartition(keys.SEPARATOR)[2] in ids)


def _decoded(prefix: str, found: Iterable[tuple[str, Value]]) -> Iterable[tuple[str, Stored]]:
    for key, record in _vectors.readable(found):
        yield key.removeprefix(prefix), Stored(record.print, record.vector)
