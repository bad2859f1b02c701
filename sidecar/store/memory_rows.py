"""Read memories and their versions from rows, inside or outside a transaction."""

from __future__ import annotations

from sidecar.store import keys
from sidecar.store.keys import MemoryKey
from sidecar.store.mending import key_of
from sidecar.store.records import MemoryRecord, VersionRecord
from sidecar.store.rows import Rows, prefix_end
from sidecar.store.tables import MEMORIES, VERSIONS


def find(rows: Rows, key: MemoryKey) -> MemoryRecord | None:
    id = rows.get(keys.name_key(key))
    record = MEMORIES.get(rows, id) if isinstance(id, str) else None
    # Outside a transaction the memory may have been renamed between the two reads.
    return record if record is not None and key_of(record) == key else None


def history(rows: Rows, id: str) -> list[VersionRecord]:
    return VERSIONS.all(rows, id, newest=True)


def ids_after(rows: Rows, id: str, limit: int, *, deleted: bool) -> list[str]:
    """Return the ids of memories after `id`, in order; with `deleted`, also of memories with versions only."""
    start = f"{keys.MEMORY}{id}\0" if id else keys.MEMORY
    entries = rows.range(start, prefix_end(keys.MEMORY), limit=limit)
    ids = [key.removeprefix(keys.MEMORY) for key, _ in entries]
    if not deleted:
        return ids
    past: list[str] = []
    last = id
    while len(past) < limit:
        # Skip the versions of the last id: their keys end before the character that follows the separator.
        start = keys.HISTORY if not last else prefix_end(keys.version_prefix(last))
        row = next(iter(rows.range(start, prefix_end(keys.HISTORY), limit=1)), None)
        if row is None:
            break
        last = row[0].removeprefix(keys.HISTORY).partition(keys.SEPARATOR)[0]
        past.append(last)
    return sorted({*ids, *past})[:limit]
