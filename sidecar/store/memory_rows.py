"""Memories and their versions as they are read from rows, inside a transaction or out of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

import msgspec

from sidecar.store import keys
from sidecar.store.codec import Codec
from sidecar.store.database import Rows, after
from sidecar.store.keys import MemoryKey
from sidecar.store.mending import key_of
from sidecar.store.records import MemoryRecord, VersionRecord

MEMORIES: Final = Codec(MemoryRecord)
VERSIONS: Final = Codec(VersionRecord)

T = TypeVar("T", bound=msgspec.Struct)


def get(rows: Rows, id: str) -> MemoryRecord | None:
    """The memory of this id; None when there is none or it is damaged."""
    key = keys.of_parts(keys.MEMORY, id)
    return MEMORIES.one(key, rows.get(key))


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


def ids_after(rows: Rows, id: str, limit: int, *, deleted: bool) -> list[str]:
    """Ids of memories after `id`, in order; with `deleted` also those of which only versions are left."""
    found = rows.range(_beyond(keys.MEMORY, id), after(keys.MEMORY), limit=limit)
    ids = [key.removeprefix(keys.MEMORY) for key, _ in found]
    if not deleted:
        return ids
    past: list[str] = []
    last = id
    while len(past) < limit:
        # The versions of one id end before the character that follows the separator.
        start = keys.HISTORY if not last else after(keys.versions_of(last))
        row = next(iter(rows.range(start, after(keys.HISTORY), limit=1)), None)
        if row is None:
            break
        last = row[0].removeprefix(keys.HISTORY).partition(keys.SEPARATOR)[0]
        past.append(last)
    return sorted({*ids, *past})[:limit]


def _beyond(prefix: str, id: str) -> str:
    """The first key after the one of `id`; all keys of the prefix for an empty id."""
    return f"{prefix}{id}\0" if id else prefix


def decoded(codec: Codec[T], found: Iterable[tuple[str, object]]) -> Iterator[T]:
    """The records that can be read; a damaged one is left out and logged."""
    return (record for _, record in codec.readable(found))
