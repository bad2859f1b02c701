"""Make salvaged rows one consistent store again; `salvage.py` calls it through `DatabaseKind.mend`.

Rows that belong to a readable row may be lost. So a lost memory is restored from its latest version, keys are derived
again from the memories, and the log of changes restarts at a seq that no reader has seen, so that every process reads
everything again.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from typing import NamedTuple

from sidecar.store import keys
from sidecar.store.codec import Codec, encode
from sidecar.store.records import MemoryRecord, VersionRecord

_memories = Codec(MemoryRecord)
_versions = Codec(VersionRecord)


class SalvagedRow(NamedTuple):
    value: bytes | str | int
    tag: str | int | None


def memory_row(record: MemoryRecord) -> SalvagedRow:
    """Return the row of a memory; `MemoryStore.count` groups rows by the tag."""
    return SalvagedRow(encode(record), f"{record.scope} {record.status}")


def mend_memories(rows: dict[str, SalvagedRow]) -> dict[str, SalvagedRow]:
    """Return the rows of a consistent memory store, made from the rows that could be read."""
    mended = {key: row for key, row in rows.items() if key[:2] not in (keys.NAME, keys.LOG)}
    records = {
        key[len(keys.MEMORY) :]: _memories.decode(row.value) for key, row in rows.items() if key.startswith(keys.MEMORY)
    }
    for id, latest in _latest_versions(rows).items():
        if id not in records and latest.memory is not None:
            records[id] = latest.memory
            mended[keys.join_key(keys.MEMORY, id)] = memory_row(latest.memory)
    for id, record in sorted(records.items(), key=lambda item: item[1].updated_at):
        mended[keys.name_key(keys.key_of(record))] = SalvagedRow(id, None)
    for key, row in rows.items():
        # If several memories have one key, the row that names its owner decides, if that row survived.
        if key.startswith(keys.NAME) and type(row.value) is str and row.value in records:
            owner = records[row.value]
            if keys.name_key(keys.key_of(owner)) == key:
                mended[key] = SalvagedRow(row.value, None)
    last = max((keys.seq_of(key) for key in rows if key.startswith(keys.LOG)), default=0)
    mended[keys.change_key(max(last + 1, time.time_ns() // 1_000_000))] = SalvagedRow("", None)
    return mended


def _latest_versions(rows: dict[str, SalvagedRow]) -> dict[str, VersionRecord]:
    latest: dict[str, str] = {}
    for key in rows:
        if key.startswith(keys.HISTORY):
            id = key[len(keys.HISTORY) :].partition(keys.SEPARATOR)[0]
            latest[id] = max(latest.get(id, ""), key)
    return {id: _versions.decode(rows[key].value) for id, key in latest.items()}


def read_rows(sql: sqlite3.Connection) -> Iterator[tuple[str, SalvagedRow]]:
    """Yield every row that this program writes, in no particular order."""
    rows = sql.execute("SELECT key, value, tag FROM Cache WHERE raw = 1 AND mode = 1 AND filename IS NULL")
    return ((key, SalvagedRow(value, tag)) for key, value, tag in rows)
