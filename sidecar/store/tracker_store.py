"""What forges said of the things that memories name. Derived: deleted, it is asked for again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

from sidecar.store import keys
from sidecar.store.codec import Codec, encode
from sidecar.store.database import Database
from sidecar.store.opening import open_database
from sidecar.store.records import ForgeRecord, TrackedRecord
from sidecar.store.schema import TRACKERS

_tracked = Codec(TrackedRecord)
_forges = Codec(ForgeRecord)

T = TypeVar("T", bound=msgspec.Struct)


class TrackerStore:
    """The folder `trackers` of a workspace's store. May be used from any thread and by any number of processes.

    `forge` is the address of the API that is asked: what another one said of a thing of the same name is not seen.
    Every method can raise `StoreUnavailable`. A damaged row counts as absent.
    """

    schema_version = TRACKERS.version

    def __init__(self, directory: Path, forge: str, database: Database) -> None:
        self.directory = directory
        self._here = keys.of_parts(keys.TRACKED, forge, "")
        self._database = database
        self.notice = database.notice

    @classmethod
    def open(cls, directory: Path, forge: str) -> TrackerStore:
        """Opens the store in `directory`, made if missing; `StoreUnavailable`."""
        return cls(directory, forge, open_database(directory, TRACKERS))

    def close(self) -> None:
        """Closes all files; idempotent."""
        self._database.close()

    def size(self) -> int:
        """Bytes on disk."""
        return self._database.size()

    def all(self) -> dict[str, TrackedRecord]:
        """Everything that is known, by name."""
        with self._database.reading() as rows:
            found = rows.prefixed(self._here)
        return {record.key: record for _, record in _tracked.readable(found)}

    def get(self, name: str) -> TrackedRecord | None:
        """What is known of one thing."""
        key = self._key(name)
        with self._database.reading() as rows:
            return _tracked.one(key, rows.get(key))

    def take(
        self, name: str, due: Callable[[TrackedRecord], bool], now: int, until: int
    ) -> TrackedRecord | None:
        """One thing, to be asked about by this process until then; None when it is not due, or another asks.

        Atomic over processes: several sidecars of one workspace ask once.
        """
        key = self._key(name)
        with self._database.writing() as rows:
            kept = _tracked.one(key, rows.get(key)) or TrackedRecord(key=name)
            if kept.until > now or not due(kept):
                return None
            rows.set(key, encode(msgspec.structs.replace(kept, until=until)))
        return kept

    def update(self, name: str, change: Callable[[TrackedRecord], TrackedRecord]) -> TrackedRecord:
        """Replace what is known of a thing by `change` of it, and give it free; atomic over processes."""
        key = self._key(name)
        with self._database.writing() as rows:
            before = _tracked.one(key, rows.get(key)) or TrackedRecord(key=name)
            after = msgspec.structs.replace(change(before), until=0)
            rows.set(key, encode(after))
        return after

    def drop(self, names: Iterable[str]) -> int:
        """Forget these things; how many there were."""
        with self._database.writing() as rows:
            return rows.delete_many(self._key(name) for name in names)

    def drop_others(self, before: int) -> int:
        """Forget what other forges said, and rows that name none, last asked about before then (epoch ms)."""
        with self._database.writing() as rows:
            old = [
                key
                for key, value in rows.prefixed(keys.TRACKED)
                if not key.startswith(self._here)
                and ((kept := _tracked.one(key, value)) is None or (kept.checked_at or 0) < before)
            ]
            return rows.delete_many(old)

    def _key(self, name: str) -> str:
        return keys.of_parts(self._here, name)

    def forge(self, host: str) -> ForgeRecord:
        """How a forge is to be treated."""
        key = keys.of_parts(keys.FORGE, host)
        with self._database.reading() as rows:
            return _forges.one(key, rows.get(key)) or ForgeRecord()

    def update_forge(self, host: str, change: Callable[[ForgeRecord], ForgeRecord]) -> ForgeRecord:
        """Replace that by `change` of it; nothing is written when that changes nothing."""
        key = keys.of_parts(keys.FORGE, host)
        with self._database.writing() as rows:
            before = _forges.one(key, rows.get(key)) or ForgeRecord()
            after = change(before)
            if after != before:
                rows.set(key, encode(after))
        return after
