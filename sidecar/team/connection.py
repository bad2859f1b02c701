"""Keep one connection for the queries of requests and workers, and reopen it when it breaks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sidecar.runtime.errors import StoreUnavailable
from sidecar.team import server
from sidecar.team.exchange import SharedWorkspace, find_workspace


class DatabaseConnection:
    """A connection that threads use in turn. Methods raise `StoreUnavailable`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._connection: server.Connection | None = None

    @contextmanager
    def workspace(self, key: str) -> Iterator[tuple[server.Connection, SharedWorkspace | None]]:
        """Yield the connection and the workspace of this key, None if the workspace is not shared."""
        with self._lock:
            if self._connection is not None and self._is_broken(self._connection):
                self._connection.close()
                self._connection = None
            if self._connection is None:
                self._connection = server.connect(self._url)
            yield self._connection, find_workspace(self._connection, self._url, key)

    def ask(self, connection: server.Connection, statement: str, *values: object) -> list[tuple[Any, ...]]:
        return server.query(connection, self._url, statement, *values)

    def close(self) -> None:
        """Close the connection, or leave it to the end of the process if another thread is using it. Idempotent."""
        if self._lock.acquire(blocking=False):
            try:
                if self._connection is not None:
                    self._connection.close()
                    self._connection = None
            finally:
                self._lock.release()

    def _is_broken(self, connection: server.Connection) -> bool:
        try:
            self.ask(connection, "SELECT 1")
        except StoreUnavailable:
            return True
        return False
