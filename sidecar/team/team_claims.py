"""Share sessions and claims between machines; the database decides who holds a claim, by its own clock."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.checkout.repository_key import digest
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.records import SessionRecord
from sidecar.team.postgresql import TeamDatabase
from sidecar.team.shared_database import SharedDatabase, SharedWorkspace

log = logging.getLogger(__name__)

# The start of a session lists this many others, the latest.
MAX_OTHER_SESSIONS = 50

_SELECT_OTHER_SESSIONS = """
SELECT s.id, left(s.agent, 100), left(s.working_on, 300), s.role || ' on ' || split_part(s.machine, '/', 1),
    (extract(epoch FROM now() - s.started_at) * 1000)::bigint, (extract(epoch FROM now() - s.seen_at) * 1000)::bigint,
    coalesce((
        SELECT jsonb_agg(jsonb_build_array(c.item, (extract(epoch FROM now() - c.at) * 1000)::bigint) ORDER BY c.at)
        FROM memory_sidecar.claims c
        WHERE (c.workspace_id, c.machine, c.session_id) = (s.workspace_id, s.machine, s.id)), '[]')
FROM memory_sidecar.sessions s
WHERE s.workspace_id = %s AND s.machine <> %s AND s.seen_at > now() - interval '30 minutes'
ORDER BY s.seen_at DESC LIMIT %s
"""


class ClaimElsewhere(NamedTuple):
    """The session on another machine that holds an item. `age` is that of its claim, in milliseconds."""

    owner: str
    age: int
    agent: str | None
    working_on: str | None
    elsewhere: str


class SessionElsewhere(NamedTuple):
    """A session on another machine. Its times are ages in milliseconds, by the database's clock."""

    session_id: str
    agent: str | None
    working_on: str | None
    elsewhere: str
    started_ms: int
    seen_ms: int
    claims: list[tuple[str, int]]


class TeamClaims:
    """The sessions and claims of this machine and others. `key` names the workspace in the database. Thread-safe."""

    def __init__(self, database: SharedDatabase, machine: str, key: Callable[[], str | None]) -> None:
        self._database = database
        self._machine = machine
        self._key = key
        self._lock = threading.Lock()
        self._unsent: dict[str, SessionRecord] = {}
        self._released: list[tuple[str, str]] = []
        self._others: tuple[float, list[SessionElsewhere]] = 0.0, []  # when they were reported, and which

    def claim(self, session: SessionRecord, item: str) -> ClaimElsewhere | None:
        """Claim an item among all machines; return another session that has it. Raises `StoreUnavailable`.

        Do nothing in an unshared workspace.
        """
        key = self._key()
        if key is None:
            return None
        try:
            with self._database.workspace(key) as (database, workspace):
                if workspace is None:
                    return None
                self._report(database, workspace, [session], ())
                statement = "SELECT * FROM memory_sidecar.claim(%s, %s, %s, %s)"
                rows = database.query(statement, workspace.id, self._machine, session.id, item)
        except StoreUnavailable as error:
            raise StoreUnavailable(
                f"{error.message} Nothing was claimed, because another machine may hold the claim.",
                reason=error.data.reason,
                hint="Claim the item again when the database is back, or work without a claim.",
            ) from error
        holder, owner, role, agent, working_on, age = rows[0]
        if (holder, owner) == (self._machine, session.id):
            return None
        return ClaimElsewhere(owner, age, agent, working_on, f"{role} on {holder.partition('/')[0]}")

    def release(self, session_id: str, item: str) -> None:
        """Release an item among all machines, as soon as the database can be reached."""
        key = self._key()
        if key is None:
            return
        try:
            with self._database.workspace(key) as (database, workspace):
                if workspace is not None:
                    self._report(database, workspace, (), [(session_id, item)])
        except StoreUnavailable as error:
            log.info("A claim will be released later: %s", error.message)
            with self._lock:
                self._released.append((session_id, item))

    def keep_session(self, session: SessionRecord) -> None:
        """Keep a session for the next `sync`: it is at work, or has ended."""
        with self._lock:
            self._unsent[session.id] = session

    def sessions_elsewhere(self) -> list[SessionElsewhere]:
        """Return the sessions at work on other machines, as they were reported last."""
        reported_at, others = self._others
        passed = round((time.monotonic() - reported_at) * 1_000)
        return [peer._replace(seen_ms=peer.seen_ms + passed, started_ms=peer.started_ms + passed) for peer in others]

    def sync(self, database: TeamDatabase, workspace: SharedWorkspace) -> None:
        """Report this machine's sessions and releases; fetch the sessions on other machines."""
        with self._lock:
            sessions, self._unsent = list(self._unsent.values()), {}
            released, self._released = self._released, []
        try:
            self._report(database, workspace, sessions, released)
        except StoreUnavailable as error:
            if error.data.reason != "rights":  # with read-only rights, sessions go unreported
                with self._lock:
                    self._unsent = {**{session.id: session for session in sessions}, **self._unsent}
                    self._released += released
                raise
        rows = database.query(_SELECT_OTHER_SESSIONS, workspace.id, self._machine, MAX_OTHER_SESSIONS)
        self._others = time.monotonic(), [SessionElsewhere(*row) for row in rows]

    def _report(
        self,
        database: TeamDatabase,
        workspace: SharedWorkspace,
        sessions: Sequence[SessionRecord],
        released: Iterable[tuple[str, str]],
    ) -> None:
        ended = [(session.id, None) for session in sessions if session.ended_at is not None]
        for session in sessions:
            if session.ended_at is None:
                values = (workspace.id, self._machine, session.id, session.agent, session.working_on)
                database.query("SELECT memory_sidecar.beat(%s, %s, %s, %s, %s)", *values)
        for id, item in (*released, *ended):
            database.query("SELECT memory_sidecar.release(%s, %s, %s, %s)", workspace.id, self._machine, id, item)


def machine_of(store: Path) -> str:
    """Return this machine's identifier: its host name, and a digest of the path of its stores."""
    return f"{socket.gethostname()}/{digest(str(store), size=4)}"
