"""What forges said of the issues and the like that memories name; derived data, which can be requested again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self

import msgspec

from sidecar.store import keys
from sidecar.store.codec import encode
from sidecar.store.database import Database
from sidecar.store.database_store import DatabaseStore
from sidecar.store.opening import open_database
from sidecar.store.records import ForgeRecord, TrackedRecord
from sidecar.store.schema import TRACKERS
from sidecar.store.tables import FORGES, TRACKED


class TrackerStore(DatabaseStore):
    """The folder `trackers` of a workspace's store.

    `forge` is the address of the API that is asked; records of other forges are ignored.
    """

    kind = TRACKERS

    def __init__(self, directory: Path, forge: str, database: Database) -> None:
        super().__init__(directory, database)
        self._here = TRACKED.key(forge, "")

    @classmethod
    def open(cls, directory: Path, forge: str) -> Self:  # type: ignore[override]
        """Open the store in `directory` for one forge, making it if missing."""
        return cls(directory, forge, open_database(directory, TRACKERS))

    def all(self) -> dict[str, TrackedRecord]:
        with self._database.reading() as rows:
            entries = rows.prefixed(self._here)
        return {record.key: record for _, record in TRACKED.readable(entries)}

    def get(self, name: str) -> TrackedRecord | None:
        key = self._key(name)
        with self._database.reading() as rows:
            return TRACKED.decode_row(key, rows.get(key))

    def take(self, name: str, due: Callable[[TrackedRecord], bool], now: int, until: int) -> TrackedRecord | None:
        """Reserve a thing, until `until`, for this process to ask about; None if it is not due or another process asks.

        Atomic across processes, so that several sidecars of one workspace ask once.
        """
        key = self._key(name)
        with self._database.writing() as rows:
            record = TRACKED.decode_row(key, rows.get(key)) or TrackedRecord(key=name)
            if record.until > now or not due(record):
                return None
            rows.set(key, encode(msgspec.structs.replace(record, until=until)))
        return record

    def update(self, name: str, change: Callable[[TrackedRecord], TrackedRecord]) -> TrackedRecord:
        """Replace the record of a thing by what `change` returns, and end its reservation; atomic across processes."""
        key = self._key(name)
        with self._database.writing() as rows:
            before = TRACKED.decode_row(key, rows.get(key)) or TrackedRecord(key=name)
            after = msgspec.structs.replace(change(before), until=0)
            rows.set(key, encode(after))
        return after

    def drop(self, names: Iterable[str]) -> int:
        """Drop the records of these things; return the number of records dropped."""
        with self._database.writing() as rows:
            return rows.delete_many(self._key(name) for name in names)

    def drop_others(self, before: int) -> int:
        """Drop records of other forges that were last checked before `before` (epoch ms)."""
        with self._database.writing() as rows:
            old = [
                key
                for key, value in rows.prefixed(keys.TRACKED)
                if not key.startswith(self._here)
                and ((record := TRACKED.decode_row(key, value)) is None or (record.checked_at or 0) < before)
            ]
            return rows.delete_many(old)

    def _key(self, name: str) -> str:
        return keys.join_key(self._here, name)

    def forge(self, host: str) -> ForgeRecord:
        """Return how to treat a forge."""
        with self._database.reading() as rows:
            return FORGES.get(rows, host) or ForgeRecord()

    def update_forge(self, host: str, change: Callable[[ForgeRecord], ForgeRecord]) -> ForgeRecord:
        """Replace the record of a forge by what `change` returns; write nothing if nothing changes."""
        with self._database.writing() as rows:
            before = FORGES.get(rows, host) or ForgeRecord()
            after = change(before)
            if after != before:
                FORGES.set(rows, after, host)
        return after
