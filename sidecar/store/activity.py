"""What was shown to whom: access counts of memories and the state of sessions.

Losing the last moments of it to a power cut is harmless, so its commits don't wait for the disk; a process that
dies loses nothing.
"""

from __future__ import annotations

import bisect
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from sidecar.store import keys
from sidecar.store.codec import Codec, encode
from sidecar.store.coordination import Coordination
from sidecar.store.database import Database, Rows, Value, after
from sidecar.store.opening import open_database
from sidecar.store.records import (
    AccessRecord,
    ClaimRecord,
    MaintenanceRecord,
    SessionRecord,
    TranscriptRecord,
)
from sidecar.store.schema import ACTIVITY

TIMES_KEPT = 64

_accesses = Codec(AccessRecord)
_maintenances = Codec(MaintenanceRecord)
_transcripts = Codec(TranscriptRecord)


class Use(NamedTuple):
    """How many sessions were shown a memory, and when the last of them was, in epoch milliseconds."""

    times: int = 0
    last: int | None = None


class Activity:
    """The folder `activity` of a memory store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.notice = database.notice

    @classmethod
    def open(cls, directory: Path) -> Activity:
        """Opens it, made if missing; `StoreUnavailable`."""
        return cls(open_database(directory, ACTIVITY))

    def close(self) -> None:
        """Closes all files; idempotent."""
        self._database.close()

    def size(self) -> int:
        """Bytes on disk."""
        return self._database.size()

    def accesses(self, ids: Iterable[str], at: int | None = None) -> dict[str, int]:
        """Accesses of each memory up to and including time `at` (all, when None).

        Exact for the last 64; a time before those gives the number before them.
        """
        wanted = {keys.of_parts(keys.ACCESS, id): id for id in ids}
        with self._database.reading() as rows:
            found = rows.many(wanted)
        return {
            id: 0 if (value := found.get(key)) is None else _count(_access(key, value), at)
            for key, id in wanted.items()
        }

    def uses(self, ids: Iterable[str]) -> dict[str, Use]:
        """How often and when last each of these memories was shown; those never shown are left out."""
        wanted = {keys.of_parts(keys.ACCESS, id): id for id in ids}
        with self._database.reading() as rows:
            found = rows.many(wanted)
        records = ((wanted[key], _access(key, value)) for key, value in found.items())
        return {id: Use(_count(record, None), record.times[-1]) for id, record in records if record.times}

    def records(self, ids: Iterable[str]) -> dict[str, AccessRecord]:
        """What was noted of each of these memories; those never shown are left out."""
        wanted = {keys.of_parts(keys.ACCESS, id): id for id in ids}
        with self._database.reading() as rows:
            found = rows.many(wanted)
        return {wanted[key]: _access(key, value) for key, value in found.items()}

    def set_missing(self, given: Mapping[str, AccessRecord]) -> None:
        """Notes these accesses of memories of which none were noted; what was noted stays."""
        if not given:
            return
        with self._database.writing() as rows:
            for id, record in given.items():
                key = keys.of_parts(keys.ACCESS, id)
                if rows.get(key) is None:
                    rows.set(key, encode(record))
            _count_state(rows)

    def every_use(self) -> dict[str, Use]:
        """`uses` of every memory ever shown."""
        with self._database.reading() as rows:
            found = rows.prefixed(keys.ACCESS)
        records = ((key.removeprefix(keys.ACCESS), _access(key, value)) for key, value in found)
        return {id: Use(_count(record, None), record.times[-1]) for id, record in records if record.times}

    def move_accesses(self, source: str, target: str) -> None:
        """Adds what was noted of memory `source` to memory `target`; nothing is left, so again adds nothing."""
        from_key, to_key = keys.of_parts(keys.ACCESS, source), keys.of_parts(keys.ACCESS, target)
        with self._database.writing() as rows:
            value = rows.get(from_key)
            if value is None or source == target:
                return
            given, kept = _access(from_key, value), _access(to_key, rows.get(to_key))
            rows.set(to_key, encode(_together(kept, given)))
            rows.delete(from_key)
            _count_state(rows)

    def take_accesses(self, id: str) -> AccessRecord | None:
        """What was noted of a memory, which is forgotten here."""
        key = keys.of_parts(keys.ACCESS, id)
        with self._database.writing() as rows:
            value = rows.get(key)
            if value is None:
                return None
            rows.delete(key)
            _count_state(rows)
        return _access(key, value)

    def add_accesses(self, id: str, given: AccessRecord) -> None:
        """Adds to a memory what `take_accesses` of another store gave."""
        key = keys.of_parts(keys.ACCESS, id)
        with self._database.writing() as rows:
            rows.set(key, encode(_together(_access(key, rows.get(key)), given)))
            _count_state(rows)

    def used(self, at: int | None = None) -> dict[str, int]:
        """`accesses` of every memory that has any at time `at`; costs time by those ever shown, not by all."""
        with self._database.reading() as rows:
            found = rows.prefixed(keys.ACCESS)
        counts = ((key.removeprefix(keys.ACCESS), _count(_access(key, value), at)) for key, value in found)
        return {id: count for id, count in counts if count}

    def record_access(self, ids: Iterable[str], at: int) -> None:
        """Counts one access of each of these memories at time `at`; the last 64 times are kept."""
        wanted = [keys.of_parts(keys.ACCESS, id) for id in dict.fromkeys(ids)]
        if not wanted:
            return
        with self._database.writing() as rows:
            found = rows.many(wanted)
            for key in wanted:
                rows.set(key, encode(_with_time(_access(key, found.get(key)), at)))
            _count_state(rows)

    def state(self) -> tuple[object, object]:
        """Something that differs whenever the accesses do; costs one row. Read it before you read accesses."""
        with self._database.reading() as rows:
            return self._database.file(), rows.get(keys.ACCESSES)

    def session(self, id: str) -> SessionRecord | None:
        """What is known of a session."""
        with self._database.reading() as rows:
            return Coordination(rows).session(id)

    def sessions(self) -> list[SessionRecord]:
        """Every session still known, in no order."""
        with self._database.reading() as rows:
            return Coordination(rows).sessions()

    def claims(self) -> list[ClaimRecord]:
        """Every claim, by item."""
        with self._database.reading() as rows:
            return Coordination(rows).claims()

    @contextlib.contextmanager
    def coordination(self) -> Iterator[Coordination]:
        """One change of sessions and claims, whole or not at all; atomic over processes."""
        with self._database.writing() as rows:
            yield Coordination(rows)

    def sessions_since(self, at: int) -> int:
        """How many sessions began at time `at` or later, of those still known."""
        return sum(session.started_at >= at for session in self.sessions())

    def transcripts(self) -> list[TranscriptRecord]:
        """What was learned from of each transcript."""
        with self._database.reading() as rows:
            found = rows.range(keys.TRANSCRIPT, after(keys.TRANSCRIPT))
            return [record for _, record in _transcripts.readable(found)]

    def note_transcript(self, record: TranscriptRecord) -> None:
        """Stores what was learned from of a transcript."""
        with self._database.writing() as rows:
            rows.set(keys.of_parts(keys.TRANSCRIPT, record.id), encode(record))

    def maintenance(self) -> MaintenanceRecord:
        """When the store was last maintained, and what was proposed then."""
        with self._database.reading() as rows:
            return _maintenance(rows.get(keys.MAINTENANCE))

    def update_maintenance(
        self, change: Callable[[MaintenanceRecord], MaintenanceRecord]
    ) -> MaintenanceRecord:
        """Stores `change` of what is known of maintenance; atomic over processes."""
        with self._database.writing() as rows:
            changed = change(_maintenance(rows.get(keys.MAINTENANCE)))
            rows.set(keys.MAINTENANCE, encode(changed))
        return changed

    def update_session(
        self, id: str, change: Callable[[SessionRecord | None], SessionRecord]
    ) -> SessionRecord:
        """Stores `change` of the session (None: new). Beyond 1,000 the longest-idle sessions are dropped."""
        with self.coordination() as together:
            changed = change(together.session(id))
            together.put_session(changed)
        return changed


def _access(key: str, value: Value | None) -> AccessRecord:
    return _accesses.one(key, value) or AccessRecord()


def _maintenance(value: Value | None) -> MaintenanceRecord:
    return _maintenances.one(keys.MAINTENANCE, value) or MaintenanceRecord()


def _count_state(rows: Rows) -> None:
    noted = rows.get(keys.ACCESSES)
    # Starts at the time, so that a number lost with a damaged row is not given to another state.
    rows.set(keys.ACCESSES, noted + 1 if type(noted) is int else time.time_ns() // 1_000_000)


def _count(record: AccessRecord, at: int | None) -> int:
    return record.earlier + (len(record.times) if at is None else bisect.bisect_right(record.times, at))


def _with_time(record: AccessRecord, at: int) -> AccessRecord:
    return _together(record, AccessRecord(times=(at,)))


def _together(record: AccessRecord, other: AccessRecord) -> AccessRecord:
    times = sorted((*record.times, *other.times))
    folded = max(0, len(times) - TIMES_KEPT)
    earlier = record.earlier + other.earlier + folded
    return msgspec.structs.replace(record, earlier=earlier, times=tuple(times[folded:]))
