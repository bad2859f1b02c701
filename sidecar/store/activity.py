"""The access counts of memories, the state of sessions, and their claims: what each request may write.

Commits here do not wait for the disk. A power cut may lose the last moments, which is harmless; a killed process loses
nothing.
"""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from sidecar.store import keys
from sidecar.store.database import Database
from sidecar.store.records import AccessRecord, ClaimRecord, MaintenanceRecord, SessionRecord, TranscriptRecord
from sidecar.store.rows import Rows
from sidecar.store.tables import ACCESSES, CLAIMS, MAINTENANCE, SESSIONS, TRANSCRIPTS

MAX_TIMES = 64  # latest accesses of a memory whose times are kept
MAX_SESSIONS = 1_000  # sessions kept: those seen last


class Coordination:
    """The rows of sessions and claims; change them only inside a transaction."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def session(self, id: str) -> SessionRecord | None:
        return SESSIONS.get(self._rows, id)

    def put_session(self, record: SessionRecord) -> None:
        """Store a session. Beyond 1,000 sessions, drop those idle longest."""
        key = SESSIONS.key(record.id)
        fresh = self._rows.get(key) is None
        SESSIONS.set(self._rows, record, record.id, tag=record.seen_at)
        if fresh:
            idle = [other for other in self._rows.lowest(keys.SESSION, MAX_SESSIONS) if other != key]
            self._rows.delete_many(idle)

    def claim(self, item: str) -> ClaimRecord | None:
        """Return the claim on an item, whether or not its session is still active."""
        return CLAIMS.get(self._rows, item)

    def put_claim(self, record: ClaimRecord) -> None:
        CLAIMS.set(self._rows, record, record.item, tag=record.session_id)

    def drop_claims(self, *items: str) -> int:
        return CLAIMS.drop(self._rows, items)

    def free(self, session_id: str) -> int:
        claims = CLAIMS.all(self._rows)
        return self.drop_claims(*(claim.item for claim in claims if claim.session_id == session_id))

    def claimed_by(self) -> dict[str, int]:
        return {str(tag): number for tag, number in self._rows.tags(keys.CLAIM).items()}


class Use(NamedTuple):
    """How often a memory was shown."""

    times: int = 0  # sessions that were shown it
    last: int | None = None  # when the last one was, in epoch milliseconds


class ActivityStore:
    def __init__(self, database: Database) -> None:
        self._activity = database

    def uses(self, ids: Iterable[str]) -> dict[str, Use]:
        """Return how often and when each memory was last shown; a memory never shown is left out."""
        return self._activity.read(lambda rows: _uses_of(ACCESSES.many(rows, ids)))

    def all_uses(self) -> dict[str, Use]:
        return self._activity.read(lambda rows: _uses_of(ACCESSES.unordered(rows)))

    def access_counts(self, time: int | None = None) -> dict[str, int]:
        """Return how many sessions had been shown each memory, even a deleted one, by `time` (None: now).

        The last 64 accesses of a memory are counted exactly; for an earlier time, the number before them is returned.
        """
        with self._activity.reading() as rows:
            records = ACCESSES.unordered(rows)
        return {id: count for id, record in records.items() if (count := _count(record, time))}

    def set_accesses(self, accesses: Mapping[str, AccessRecord]) -> None:
        """Record the accesses of those memories that have none here yet."""
        if not accesses:
            return
        with self._activity.writing() as rows:
            for id, record in accesses.items():
                if rows.get(ACCESSES.key(id)) is None:
                    ACCESSES.set(rows, record, id)
            rows.renumber(keys.ACCESSES)

    def move_accesses(self, source: str, target: str) -> None:
        """Move the accesses of memory `source` to memory `target`; doing so twice adds nothing."""
        if source == target:
            return
        with self._activity.writing() as rows:
            moved = _pop_accesses(rows, source)
            if moved is not None:
                _add_accesses(rows, target, moved)
                rows.renumber(keys.ACCESSES)

    def hand_accesses(self, id: str, other: ActivityStore, other_id: str) -> None:
        """Move a memory's accesses to a memory of another store; a crash between the two commits loses them."""
        with self._activity.writing() as rows:
            moved = _pop_accesses(rows, id)
            if moved is None:
                return
            rows.renumber(keys.ACCESSES)
        with other._activity.writing() as rows:
            _add_accesses(rows, other_id, moved)
            rows.renumber(keys.ACCESSES)

    def record_access(self, ids: Iterable[str], time: int) -> None:
        """Record that a session was shown these memories at `time`."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return
        with self._activity.writing() as rows:
            records = ACCESSES.many(rows, wanted)
            for id in wanted:
                record = _combined(records.get(id, AccessRecord()), AccessRecord(times=(time,)))
                ACCESSES.set(rows, record, id)
            rows.renumber(keys.ACCESSES)

    def access(self, id: str) -> AccessRecord | None:
        return self._activity.read(lambda rows: ACCESSES.get(rows, id))

    def access_state(self) -> object:
        """Return a value that changes whenever any process records an access; cheap. Read it before the counts."""
        return self._activity.read(lambda rows: (self._activity.file(), rows.get(keys.ACCESSES)))

    def session(self, id: str) -> SessionRecord | None:
        return self._activity.read(lambda rows: SESSIONS.get(rows, id))

    def sessions(self) -> list[SessionRecord]:
        """Return every session that is still stored, in no particular order."""
        return self._activity.read(SESSIONS.all)

    def sessions_since(self, time: int) -> int:
        """Count the stored sessions that began at `time` or later."""
        return sum(session.started_at >= time for session in self.sessions())

    def update_session(self, id: str, change: Callable[[SessionRecord | None], SessionRecord]) -> SessionRecord:
        """Replace a session (None if it is new) by what `change` returns.

        Atomic across processes, so `change` must be quick.
        """
        with self.coordination() as rows:
            changed = change(rows.session(id))
            rows.put_session(changed)
        return changed

    def claims(self) -> list[ClaimRecord]:
        """Return every claim by item, whether or not its session is still active."""
        return self._activity.read(CLAIMS.all)

    @contextlib.contextmanager
    def coordination(self) -> Iterator[Coordination]:
        """Yield sessions and claims, to be changed as a whole or not at all.

        Atomic across processes, so keep the block short.
        """
        with self._activity.writing() as rows:
            yield Coordination(rows)

    def transcripts(self) -> list[TranscriptRecord]:
        return self._activity.read(TRANSCRIPTS.all)

    def note_transcript(self, record: TranscriptRecord) -> None:
        with self._activity.writing() as rows:
            TRANSCRIPTS.set(rows, record, record.id)

    def maintenance(self) -> MaintenanceRecord:
        """Return when any process last maintained the store, and what was proposed then."""
        return self._activity.read(lambda rows: MAINTENANCE.get(rows) or MaintenanceRecord())

    def update_maintenance(self, change: Callable[[MaintenanceRecord], MaintenanceRecord]) -> MaintenanceRecord:
        with self._activity.writing() as rows:
            changed = change(MAINTENANCE.get(rows) or MaintenanceRecord())
            MAINTENANCE.set(rows, changed)
        return changed


def _uses_of(records: Mapping[str, AccessRecord]) -> dict[str, Use]:
    return {id: Use(_count(record, None), record.times[-1]) for id, record in records.items() if record.times}


def _pop_accesses(rows: Rows, id: str) -> AccessRecord | None:
    key = ACCESSES.key(id)
    value = rows.get(key)
    if value is None:
        return None
    rows.delete(key)
    return ACCESSES.decode_row(key, value) or AccessRecord()


def _add_accesses(rows: Rows, id: str, added: AccessRecord) -> None:
    ACCESSES.set(rows, _combined(ACCESSES.get(rows, id) or AccessRecord(), added), id)


def _count(record: AccessRecord, at: int | None) -> int:
    return record.earlier + (len(record.times) if at is None else bisect.bisect_right(record.times, at))


def _combined(record: AccessRecord, other: AccessRecord) -> AccessRecord:
    times = sorted((*record.times, *other.times))
    folded = max(0, len(times) - MAX_TIMES)
    earlier = record.earlier + other.earlier + folded
    return msgspec.structs.replace(record, earlier=earlier, times=tuple(times[folded:]))
