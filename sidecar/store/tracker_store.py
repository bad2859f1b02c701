"""What forges said of the issues and the like that memories name. It is derived: it can be requested again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self

from msgspec.structs import replace

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
        self._forge = forge

    @classmethod
    def open(cls, directory: Path, forge: str) -> Self:  # type: ignore[override]
        return cls(directory, forge, open_database(directory, TRACKERS))

    def all(self) -> dict[str, TrackedRecord]:
        return self._database.read(lambda rows: TRACKED.unordered(rows, self._forge))

    def get(self, name: str) -> TrackedRecord | None:
        return self._database.read(lambda rows: TRACKED.get(rows, self._forge, name))

    def reserve(self, name: str, is_due: Callable[[TrackedRecord], bool], now: int, until: int) -> TrackedRecord | None:
        """Reserve an issue or the like for this process until `until`; None if it is not due or another process asks.

        Atomic across processes, so that several sidecars of one workspace ask once.
        """
        with self._database.writing() as rows:
            record = TRACKED.get(rows, self._forge, name) or TrackedRecord(key=name)
            if record.until > now or not is_due(record):
                return None
            TRACKED.set(rows, replace(record, until=until), self._forge, name)
        return record

    def update(self, name: str, change: Callable[[TrackedRecord], TrackedRecord]) -> TrackedRecord:
        """Replace the record `name` by what `change` returns, and end its reservation; atomic across processes."""
        with self._database.writing() as rows:
            before = TRACKED.get(rows, self._forge, name) or TrackedRecord(key=name)
            after = replace(change(before), until=0)
            TRACKED.set(rows, after, self._forge, name)
        return after

    def drop(self, names: Iterable[str]) -> int:
        """Drop the records `names`; return how many there were."""
        with self._database.writing() as rows:
            return rows.delete_many(TRACKED.key(self._forge, name) for name in names)

    def drop_others(self, before: int) -> int:
        """Drop records of other forges that were last checked before `before` (epoch ms), and damaged records."""
        own = TRACKED.key(self._forge, "")
        with self._database.writing() as rows:
            recent = {
                TRACKED.prefix + name
                for name, record in TRACKED.unordered(rows).items()
                if (record.checked_at or 0) >= before
            }
            stored = rows.keys(TRACKED.prefix)
            return rows.delete_many(key for key in stored if not key.startswith(own) and key not in recent)

    def forge(self, host: str) -> ForgeRecord:
        return self._database.read(lambda rows: FORGES.get(rows, host) or ForgeRecord())

    def update_forge(self, host: str, change: Callable[[ForgeRecord], ForgeRecord]) -> ForgeRecord:
        """Replace a forge's record by what `change` returns; write nothing if they are equal."""
        with self._database.writing() as rows:
            before = FORGES.get(rows, host) or ForgeRecord()
            after = change(before)
            if after != before:
                FORGES.set(rows, after, host)
        return after
