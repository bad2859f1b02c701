"""Memories and their versions as they are read from rows, inside a transaction or out of one."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

import msgspec

from sidecar.store import keys
from sidecar.store.codec import Codec
from sidecar.store.database import Rows, after
from sidecar.store.faults import Undecodable
from sidecar.store.keys import MemoryKey
from sidecar.store.mending import key_of
from sidecar.store.records import MemoryRecord, VersionRecord

_log = logging.getLogger(__name__)

MEMORIES: Final = Codec(MemoryRecord)
VERSIONS: Final = Codec(VersionRecord)

T = TypeVar("T", bound=msgspec.Struct)


def get(rows: Rows, id: str) -> MemoryRecord | None:
    """The memory of this id; None when there is none or it is damaged."""
    key = keys.of_parts(keys.MEMORY, id)
    value = rows.get(key)
    return None if value is None else next(decoded(MEMORIES, [(key, value)]), None)


def find(rows: Rows, key: MemoryKey) -> MemoryRecord | None:
    """The memory that has this key."""
    id = rows.get(keys.of_name(key))
    record = get(rows, id) if isinstance(id, str) else None
    # Outside a transaction the memory may have been renamed between the two reads.
    return record if record is not None and key_of(record) == key else None


def history(rows: Rows, id: str) -> list[VersionRecord]:
    """Versions of a memory, newest first."""
    prefix = keys.versions_of(id)
    return list(decoded(VERSIONS, rows.range(prefix, after(prefix), newest=True)))


def decoded(codec: Codec[T], found: Iterable[tuple[str, object]]) -> Iterator[T]:
    """The records that can be read; a damaged one is left out and logged."""
    for key, value in found:
        try:
            yield codec.decode(value)
        except Undecodable as error:
            _log.error("Row %.80s is damaged and was left out: %s.", key, error)
