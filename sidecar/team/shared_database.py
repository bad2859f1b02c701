"""Find a shared workspace in the database, and keep a connection for the queries of requests and workers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sidecar.runtime.errors import StoreUnavailable
from sidecar.team import schema
from sidecar.team.postgresql import TeamDatabase, connect


class SharedWorkspace(NamedTuple):
    """The present state of a workspace in the database. `epoch` changes with the database, or after a failover."""

    id: int
    seq: int
    channel: str
    epoch: str
    me: str


def find_workspace(database: TeamDatabase, key: str) -> SharedWorkspace | None:
    """Return the workspace of this key; None unless this role is a member of it. Raises `StoreUnavailable`."""
    rows = database.query(
        "SELECT w.id, w.seq, w.channel, (SELECT id FROM memory_sidecar.identity) || ':' ||"
        " (SELECT timeline_id FROM pg_control_checkpoint()), session_user, v.version, v.checksum"
        " FROM memory_sidecar.workspaces w"
        f" LEFT JOIN LATERAL (SELECT version, checksum {schema.LATEST_VERSION}) v ON true"
        " WHERE w.key = %s AND w.id = ANY (memory_sidecar.my_workspaces())",
        key,
    )
    if not rows:
        return None
    schema.compare(database.url, *rows[0][5:])  # the schema may have changed since the connection was made
    return SharedWorkspace(*rows[0][:5])


def not_joined_error() -> StoreUnavailable:
    return StoreUnavailable(
        "This workspace is not shared, or this role is not a member of it.",
        reason="notJoined",
        hint="Run memory-sidecar team join, or have its admin run memory-sidecar team member ROLE.",
    )


class SharedDatabase:
    """A database that threads use one after another. Methods raise `StoreUnavailable`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._database: TeamDatabase | None = None

    @contextmanager
    def workspace(self, key: str) -> Iterator[tuple[TeamDatabase, SharedWorkspace | None]]:
        """Yield the database and the workspace of this key, which is None if it is not shared."""
        with self._lock:
            try:
                if self._database is not None:
                    self._database.query("SELECT 1")
            except StoreUnavailable:
                self._disconnect()
            if self._database is None:
                self._database = connect(self._url)
            yield self._database, find_workspace(self._database, key)

    def close(self) -> None:
        """Close the connection. If another thread is using it, leave it to the end of the process. Idempotent."""
        if self._lock.acquire(blocking=False):
            try:
                self._disconnect()
            finally:
                self._lock.release()

    def _disconnect(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None
