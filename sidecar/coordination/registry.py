"""Start, list and end sessions, and record their heartbeats. Times are epoch milliseconds."""

from __future__ import annotations

from typing import Literal

import msgspec

from sidecar.runtime.errors import SessionNotActive
from sidecar.runtime.process_names import SILENT_MS, is_running
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import SessionRecord
from sidecar.text.secrets import redact

SessionState = Literal["active", "expired", "ended"]


def state_of(record: SessionRecord, now: int) -> SessionState:
    """Return whether a started session is active, has expired (silent, or its process is gone) or has ended.

    A heartbeat more than 30 minutes in the future comes from a wrong clock, and is ignored.
    """
    if record.ended_at is not None:
        return "ended"
    lost = _is_silent(record, now) or (record.process is not None and is_running(record.process) is False)
    return "expired" if lost else "active"


def _is_silent(record: SessionRecord, now: int) -> bool:
    beat = record.heartbeat_at if record.heartbeat_at is not None else record.seen_at
    return abs(now - beat) > SILENT_MS


def start(
    store: MemoryStore,
    id: str,
    now: int,
    *,
    agent: str | None = None,
    working_on: str | None = None,
    process: str | None = None,
) -> SessionRecord:
    """Start or resume a session. An argument of None keeps the session's value, except `process`.

    Claims that were lost stay lost.
    """
    with store.coordination() as transaction:
        before = transaction.session(id)
        if before is not None and (before.ended_at is not None or _is_silent(before, now)):
            transaction.free(id)
        session = before or SessionRecord(id=id, started_at=now, seen_at=now)
        changed = msgspec.structs.replace(
            with_heartbeat(session, now),
            agent=_clean(agent) if agent is not None else session.agent,
            working_on=_clean(working_on) if working_on is not None else session.working_on,
            process=process,
            ended_at=None,
        )
        transaction.put_session(changed)
    return changed


def heartbeat(
    store: MemoryStore, id: str, now: int, working_on: str | None = None, process: str | None = None
) -> SessionRecord:
    """Record that an active session is alive; any process may report it. Raises SessionNotActive."""

    def change(before: SessionRecord | None) -> SessionRecord:
        session = require_active(before, id, now)
        return msgspec.structs.replace(
            with_heartbeat(session, now),
            working_on=_clean(working_on) if working_on is not None else session.working_on,
            process=process,
        )

    return store.update_session(id, change)


def check_open(store: MemoryStore, id: str) -> SessionRecord:
    """Return a session that was started and not ended, even if it has expired. Raises SessionNotActive."""
    return _require_open(store.session(id), id)


def end(store: MemoryStore, id: str, now: int, summary: str | None = None) -> SessionRecord:
    """End an active or expired session, and free its claims. Raises SessionNotActive."""
    with store.coordination() as transaction:
        session = _require_open(transaction.session(id), id)
        changed = msgspec.structs.replace(
            session,
            seen_at=max(now, session.seen_at),
            ended_at=now,
            summary=_clean(summary) if summary is not None else session.summary,
        )
        transaction.put_session(changed)
        transaction.free(id)
    return changed


def list_sessions(store: MemoryStore, now: int, *, all: bool = False) -> list[SessionRecord]:
    """Return the started sessions, latest heartbeat first; unless `all`, only active ones."""
    started = [session for session in store.sessions() if session.heartbeat_at is not None]
    listed = [session for session in started if all or state_of(session, now) == "active"]
    return sorted(listed, key=lambda session: (-(session.heartbeat_at or 0), session.id))


def with_heartbeat(record: SessionRecord, now: int) -> SessionRecord:
    """Return the session with a heartbeat at `now`, or its later one: the clocks of processes differ a little."""
    before = record.heartbeat_at or 0
    beat = max(now, before) if before - now <= SILENT_MS else now
    return msgspec.structs.replace(record, heartbeat_at=beat, seen_at=max(now, record.seen_at))


def _require_open(record: SessionRecord | None, id: str) -> SessionRecord:
    if record is None or record.heartbeat_at is None:
        raise SessionNotActive(
            f"No session {id!r} was started here.", reason="unknown", hint="Send session/start first."
        )
    if record.ended_at is not None:
        raise SessionNotActive(
            f"The session {id!r} has ended.", reason="ended", hint="Send session/start to resume it."
        )
    return record


def require_active(record: SessionRecord | None, id: str, now: int) -> SessionRecord:
    """Return the session that sends a request. Raises SessionNotActive if it has ended or was silent too long."""
    session = _require_open(record, id)
    if _is_silent(session, now):
        raise SessionNotActive(
            f"The session {id!r} has expired: it sent no heartbeat for {SILENT_MS // 60_000} minutes.",
            reason="expired",
            hint="Send session/start to resume it.",
        )
    return session


def _clean(text: str) -> str | None:
    return redact(text.strip())[0] or None
