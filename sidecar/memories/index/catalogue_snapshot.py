"""The snapshot of a catalogue's part for one store: the next start opens it instead of reading every memory.

A snapshot belongs to one store as of one change, which it names by number and time. If the store's log has that change,
the snapshot is valid, and only later changes are read from the store.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

import msgspec

from sidecar.memories.index.entities import EntityKey
from sidecar.memories.index.lazy_collections import pack_numbers, unpack_numbers
from sidecar.memories.index.meaning import FINGERPRINT_BYTES, SnapshotVectors
from sidecar.memories.index.memory_index import WISH_RULES, MemoryIndex, field_weights
from sidecar.memories.index.ranking import CATEGORY_WEIGHT, SUSPECT_PENALTY, WEIGHT_PER_RATING
from sidecar.memories.index.row import Row
from sidecar.memories.index.stored_rows import StoredRows, pack_rows
from sidecar.store.columns import Part, from_bytes, pack, unpack
from sidecar.store.lexical_snapshot import LexicalSnapshot
from sidecar.store.memory_store import MemoryStore

SNAPSHOT_NAME = "index"
_FORMAT = 1  # raised whenever the layout of a snapshot changes
_UINT = "I"
_entity_keys = msgspec.msgpack.Decoder(dict[str, tuple[EntityKey, ...]])  # on import: see `engine/decoder_warmup.py`


class _Head(msgspec.Struct, frozen=True, array_like=True):
    format: int
    recipe: str
    seq: int
    stamp: float
    model: str


def make_snapshot(index: MemoryIndex, store: MemoryStore, seq: int) -> Callable[[], bytes] | None:
    """Return a function that packs the snapshot of a store as of change `seq`; None if the log has lost that change.

    Call this while the catalogue is locked. The returned function needs no lock.
    """
    stamp = store.derived.written_at(seq)
    if stamp is None:
        return None
    own_rows = {row.id: row for row in index.rows.each() if row.store is store}
    ids = index.words.documents_among(own_rows)
    numbers = {id: number for number, id in enumerate(ids)}
    fingerprints, model, vectors = index.meaning.vectors(ids)
    parts: dict[str, Part] = {
        "head": msgspec.msgpack.encode(_Head(_FORMAT, _recipe(), seq, stamp, model)),
        "prints": b"".join(fingerprints),
        "vectors": b"".join(vectors),
        "about": pack_numbers(index.by_file, numbers),
        "in sessions": pack_numbers(_in_order(own_rows.values()), numbers),
        "named": msgspec.msgpack.encode({id: keys for id in ids if (keys := index.entities.keys(id))}),
        "superseding": msgspec.msgpack.encode([(id, row.supersedes) for id, row in own_rows.items() if row.supersedes]),
        "verdicts": msgspec.msgpack.encode({id: votes for id, votes in index.ratings.items() if id in own_rows}),
        "exempt": _pack_ids(index.exempt, numbers),
        "grounded": _pack_ids(index.grounded, numbers),
    }
    rows = [own_rows[id] for id in ids]
    return lambda: pack({**parts, **pack_rows(rows), "words": index.words.dump(numbers)})


def _pack_ids(ids: Iterable[str], numbers: dict[str, int]) -> bytes:
    return array(_UINT, sorted(numbers[id] for id in ids if id in numbers)).tobytes()


def _in_order(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Return the ids of each session's memories, in the order in which they were recorded."""
    orders: dict[str, list[str]] = {}
    for _, id, session in sorted((row.created_at, row.id, row.session) for row in rows if row.session is not None):
        orders.setdefault(session, []).append(id)
    return orders


def open_snapshot(index: MemoryIndex, store: MemoryStore) -> tuple[int, str] | None:
    """Load a store's snapshot into an index that has no memory of that store.

    Return the snapshot's seq and the model of its vectors; None if there is no usable snapshot. Raises ValueError for a
    damaged snapshot, and then loads nothing.
    """
    packed = store.derived.get(SNAPSHOT_NAME)
    if packed is None:
        return None
    parts = unpack(packed, whole=True)
    try:
        head = msgspec.msgpack.decode(parts["head"], type=_Head)
        if (head.format, head.recipe) != (_FORMAT, _recipe()) or head.stamp != store.derived.written_at(head.seq):
            return None
        words = LexicalSnapshot(parts["words"], whole=True)
        ids = words.head.ids
        stored = StoredRows(parts, words.numbers, store)
        about, sessions = unpack_numbers(parts["about"]), unpack_numbers(parts["in sessions"])
        exempt, grounded = ([ids[at] for at in from_bytes(_UINT, parts[name])] for name in ("exempt", "grounded"))
        ratings = msgspec.msgpack.decode(parts["verdicts"], type=dict[str, int])
        superseding = msgspec.msgpack.decode(parts["superseding"], type=list[tuple[str, str]])
        named, vectors, fingerprints = parts["named"], parts["vectors"], parts["prints"]
    except (msgspec.MsgspecError, KeyError, IndexError) as error:
        raise ValueError(f"the snapshot of the catalogue cannot be read: {error}") from error
    if len(fingerprints) != len(ids) * FINGERPRINT_BYTES:
        raise ValueError("the parts of the snapshot are not of the same memories")
    index.words.absorb(words)
    index.rows.open(stored)
    index.by_file.add_packed(ids.__getitem__, about)
    index.in_sessions.add_packed(stored.recorded, sessions)
    index.exempt.update(exempt)
    index.grounded.update(grounded)
    index.ratings.update(ratings)
    for newer, older in superseding:
        index.superseding.add_record(newer, older)
    index.entities.add_unread(lambda: _entity_keys.decode(named))
    index.meaning.open_snapshot(SnapshotVectors(head.model, words.numbers, fingerprints, vectors))
    return head.seq, head.model


def _recipe() -> str:
    """Return a text that changes with everything, besides the store, on which a snapshot depends."""
    return f"{field_weights()} {CATEGORY_WEIGHT} {SUSPECT_PENALTY} {WEIGHT_PER_RATING} {sorted(WISH_RULES)}"
