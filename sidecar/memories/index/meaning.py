"""Compare queries with the memories in the catalogue by meaning, with vectors; `matching.py` fuses the result.

Until every memory has a vector of the current model, words alone decide; otherwise results would change with each new
vector. Use it inside `with catalogue.current():`, except `prepare` and `embed`, which wait for the model.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

import msgspec
import xxhash

from sidecar.memories.wording.naming import is_derived
from sidecar.models.embedding import Embedder, ModelUnavailable, is_unknown
from sidecar.models.vectors import VectorIndex
from sidecar.runtime.recently_used import RecentlyUsed
from sidecar.store.records import MemoryRecord
from sidecar.store.scores import Scores

MAX_FOUND_BY_MEANING = 100  # memories that may be found by meaning alone
MAX_EMBEDDED_IN_REQUEST = 64  # new memories that a quick model embeds within a request
MAX_EMBEDDED_AT_ONCE = 64  # memories embedded between two checks for cancellation
_MAX_TEXT_CHARS = 2_000  # models read a few hundred words, and the table's mean of more words says little
_MAX_QUERIES = 64  # queries whose vectors are cached
FINGERPRINT_BYTES = 8  # bytes of a text's fingerprint
_MAX_READ_BY_ID = 1_000  # if more vectors are missing, all of the store are read rather than each by id

log = logging.getLogger(__name__)


class VectorSource(Protocol):
    """Stores vectors. They can be computed again, so no method raises if they cannot be read or written."""

    def load(self, model: str, ids: Collection[str] | None = None) -> dict[str, tuple[bytes, bytes]]:
        """Return (fingerprint of the text, vector) of each memory in `ids` (None: all) by a model."""

    def save(self, model: str, rows: Sequence[tuple[str, bytes, bytes]]) -> None:
        """Add or replace vectors, given as (id, fingerprint of the text, vector)."""


class Embedding(Protocol):
    """What a workspace embeds with: its current model, and the stored vectors of each store."""

    @property
    def sources(self) -> Sequence[VectorSource]: ...

    def embedder(self) -> Embedder | None: ...

    def wait(self, seconds: float) -> None:
        """Wait for a model that is loading."""


class FixedEmbedding(msgspec.Struct, frozen=True):
    """An embedding whose model, if it has one, is always ready."""

    model: Embedder | None = None
    sources: Sequence[VectorSource] = ()

    def embedder(self) -> Embedder | None:
        return self.model

    def wait(self, seconds: float) -> None:
        pass


SHARE_BY_KIND = {"static": 0.35, "minilm": 0.4, "multilingual": 0.4}  # of meaning in a fused score, by kind of model
OTHER_KIND = "other"
_OTHER_SHARE = 0.4  # for models that were never measured here


def kind_of(model: str) -> str:
    """Return the kind of a model by its name; `OTHER_KIND` for a model that was never measured here."""
    return next((kind for kind in SHARE_BY_KIND if model.startswith(kind)), OTHER_KIND)


def text_of(record: MemoryRecord) -> str:
    named = () if is_derived(record.name, record.content) else (record.name,)
    described = (record.description,) if record.description else ()
    return "\n".join((*named, *described, record.content))[:_MAX_TEXT_CHARS]


def text_fingerprint(text: str) -> bytes:
    return xxhash.xxh3_64_digest(text.encode("utf-8", "surrogatepass"))


class SnapshotVectors(NamedTuple):
    """What a snapshot holds for comparing by meaning; rows are in the order of its memories."""

    model: str  # "" if it has no vectors
    numbers: dict[str, int]  # each memory's row, by id
    fingerprints: memoryview  # of the texts
    vectors: memoryview  # one row for each memory

    def fingerprint(self, id: str) -> bytes | None:
        start = self.numbers.get(id, len(self.numbers)) * FINGERPRINT_BYTES
        return bytes(self.fingerprints[start : start + FINGERPRINT_BYTES]) or None


class QueryCosines(NamedTuple):
    """Cosines of a query with some memories and with the closest ones."""

    cosines: Scores
    mean: float  # of all cosines
    deviation: float  # of all cosines
    kind: str  # of the model
    share: float  # of meaning in a fused score


class Meaning:
    """The vectors of a catalogue's memories, by the embedding's current model."""

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding
        self._sources = tuple(embedding.sources)
        self._model: Embedder | None = None
        self._index: VectorIndex | None = None
        # Fingerprints of texts that are in no snapshot; None for a removed memory.
        self._changed: dict[str, bytes | None] = {}
        self._opened: list[SnapshotVectors] = []
        self._missing: set[str] = set()  # memories without a vector
        self.texts: dict[str, str] = {}  # texts of some of them, which need not be read again
        self._lock = threading.Lock()
        self._queries: RecentlyUsed[tuple[str, str], bytes] = RecentlyUsed(_MAX_QUERIES)  # vectors by model and text

    @property
    def model(self) -> str | None:
        """Return the name of the model that compares queries now; None if words decide alone."""
        ready = self._current() is not None and not self._missing
        return self._model.name if ready and self._model is not None else None

    def add(self, record: MemoryRecord) -> None:
        text = text_of(record)
        fingerprint = text_fingerprint(text)
        if self._current_fingerprint(record.id) != fingerprint:
            self._changed[record.id] = fingerprint
            self._missing.add(record.id)
            if len(self.texts) < MAX_EMBEDDED_IN_REQUEST or record.id in self.texts:
                self.texts[record.id] = text

    def clear(self) -> None:
        self._changed, self._missing, self._opened = {}, set(), []
        self._model = self._index = None

    def open_snapshot(self, snapshot: SnapshotVectors) -> None:
        """Load the memories of a snapshot, and their vectors if it has any."""
        self._opened.append(snapshot)
        if self._index is not None and self._model is not None:
            self._load_snapshot(-1, self._index, self._model.name)

    def _current_fingerprint(self, id: str) -> bytes | None:
        """Return the fingerprint of a memory's current text, or None if the memory does not exist."""
        stored = (fingerprint for opened in self._opened if (fingerprint := opened.fingerprint(id)) is not None)
        return self._changed[id] if id in self._changed else next(stored, None)

    def vectors(self, ids: Sequence[str]) -> tuple[list[bytes], str, list[bytes]]:
        """Return the fingerprints of `ids` and, if all of them have vectors, the model's name and the vectors."""
        fingerprints = [self._current_fingerprint(id) or b"" for id in ids]
        index = self._current()
        if index is None or self._model is None or not self._missing.isdisjoint(ids):
            return fingerprints, "", []
        return fingerprints, self._model.name, [index.get(id) or b"" for id in ids]

    def remove(self, id: str) -> None:
        self._changed.pop(id, None)
        if self._current_fingerprint(id) is not None:
            self._changed[id] = None
        self._missing.discard(id)
        if self._index is not None:
            self._index.remove(id)

    def count_missing(self) -> int:
        """Return how many memories have no vector of the current model; 0 while there is no model."""
        return 0 if self._current() is None else len(self._missing)

    def missing(self, limit: int) -> list[str]:
        """Return up to `limit` memories without a vector, in no particular order."""
        return [] if self._current() is None else list(islice(self._missing, limit))

    def is_quick(self) -> bool:
        """Return whether the model is quick enough to embed new memories during a request."""
        return self._current() is not None and self._model is not None and self._model.name.startswith("static")

    def embed(self, texts: Sequence[tuple[str, str]]) -> tuple[str, list[tuple[str, bytes, bytes]]] | None:
        """Embed texts, given as (id, text). Return the model's name and (id, fingerprint, vector) of each.

        Return None if the model is unusable.
        """
        model = self._model
        if model is None:
            return None
        try:
            vectors = model.embed([text for _, text in texts])
        except ModelUnavailable as error:
            log.warning("Memories could not be embedded: %s", error.message)
            return None
        rows = [(id, text_fingerprint(text), vector) for (id, text), vector in zip(texts, vectors, strict=True)]
        return model.name, rows

    def add_vectors(self, model: str, rows: Iterable[tuple[str, bytes | None, bytes]]) -> None:
        """Add vectors if `model` is the current model, except those of texts that have changed since."""
        index = self._current()
        if index is None or self._model is None or self._model.name != model:
            return
        for id, fingerprint, vector in rows:
            if self._current_fingerprint(id) == fingerprint and len(vector) == index.dimensions:
                index.put(id, vector)
                self._missing.discard(id)

    def save_vectors(self, store_index: int, model: str, rows: Sequence[tuple[str, bytes, bytes]]) -> None:
        """Save vectors for the next start, beside the store at position `store_index`."""
        if store_index < len(self._sources):
            self._sources[store_index].save(model, rows)

    def prepare(self, query: str) -> None:
        """Embed a query for `compare`. Call it without the catalogue's lock, since a model may take long."""
        model = self._embedding.embedder()
        if model is None or not query.strip():
            return
        key = (model.name, query)
        with self._lock:
            if self._queries.get(key) is not None:
                return
        try:
            vector = model.embed_query(query[:_MAX_TEXT_CHARS])
        except ModelUnavailable as error:
            log.warning("A query could not be embedded; words alone decide: %s", error.message)
            return
        with self._lock:
            self._queries[key] = vector

    def compare(self, query: str, ids: Collection[str], also: Sequence[str]) -> QueryCosines | None:
        """Return a prepared query's cosines with the closest of `ids` and with all of `also`.

        Return None if words decide alone.
        """
        index = self._current()
        if index is None or self._missing or self._model is None:
            return None
        with self._lock:
            vector = self._queries.get((self._model.name, query))
        if vector is None or is_unknown(vector):
            return None
        closest = index.closest(vector, MAX_FOUND_BY_MEANING, also, None if len(ids) == len(index) else ids)
        kind = kind_of(self._model.name)
        return QueryCosines(*closest, kind, SHARE_BY_KIND.get(kind, _OTHER_SHARE))

    def _current(self) -> VectorIndex | None:
        """Return the index of the current model. If the model has changed, make the index from the stored vectors."""
        model = self._embedding.embedder()
        name = None if model is None else model.name
        if name == (None if self._model is None else self._model.name):
            self._model = model
        else:
            self._model, self._index = model, None
            self._missing = {id for id, fingerprint in self._changed.items() if fingerprint is not None}
            if model is not None:
                index = self._index = VectorIndex(model.dimensions)
                opened = sum(self._load_snapshot(at, index, model.name) for at in range(len(self._opened))) > 0
                for source in self._sources:
                    if not self._missing:
                        break
                    few = opened and len(self._missing) <= _MAX_READ_BY_ID
                    rows = source.load(model.name, frozenset(self._missing)) if few else source.load(model.name)
                    self.add_vectors(
                        model.name, ((id, fingerprint, vector) for id, (fingerprint, vector) in rows.items())
                    )
        return self._index

    def _load_snapshot(self, store_index: int, index: VectorIndex, model: str) -> bool:
        """Add a snapshot's vectors to the index if `model` made them; return whether it did."""
        snapshot, size = self._opened[store_index], index.dimensions
        numbers, vectors = snapshot.numbers, snapshot.vectors
        usable = snapshot.model == model and len(vectors) == len(numbers) * size
        if usable:
            self._opened[store_index] = snapshot._replace(vectors=memoryview(b""))
        if usable and not len(index):
            index.open(numbers, vectors)
            for id in self._changed.keys() & numbers.keys():
                if self._changed[id] is None:
                    index.remove(id)
                elif self._changed[id] == snapshot.fingerprint(id):
                    self._missing.discard(id)
            return True
        self._missing.update(numbers)
        self._missing.difference_update([id for id, fingerprint in self._changed.items() if fingerprint is None])
        if usable:
            pieces = (bytes(vectors[at : at + size]) for at in range(0, len(vectors), size))
            self.add_vectors(model, zip(numbers, map(snapshot.fingerprint, numbers), pieces, strict=True))
        return usable
