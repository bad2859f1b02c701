"""How a client leaves: by `shutdown`, `exit` or the end of stdin."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from sidecar.lsp.limits import ANSWERING_SECONDS, CHECK_SECONDS, LEAVE_SECONDS, SHUTDOWN_SECONDS, STORE_LESSONS_SECONDS
from sidecar.wire.inflight import Pending
from sidecar.wire.messages import response

if TYPE_CHECKING:
    from sidecar.lsp.connection import LspConnection

SHUTDOWN: Final = "shutdown"


class Leaving:
    """Lets work in flight end within a limited time, on a thread; then calls `leave` with LSP's exit code."""

    def __init__(self, connection: LspConnection, leave: Callable[[int], None]) -> None:
        self._connection = connection
        self._leave = leave
        self._lock = threading.Lock()
        self._shutting_down = False  # `shutdown` is in flight
        self._exits = False
        self._wind_down_by = math.inf

    def shut_down(self, pending: Pending) -> None:
        """Answer `shutdown` once work in flight has ended and pending lessons are stored."""
        self._shutting_down = True
        self._connection.lanes.submit("now", partial(self._shut_down, pending))

    def exit(self) -> None:
        """Leave, once a `shutdown` in flight is answered."""
        with self._lock:
            self._exits = True
        if self._shutting_down:
            self.hurry(LEAVE_SECONDS)
        self._leave_if_due()

    def hang_up(self) -> None:
        """Leave after the end of stdin: earlier requests are still answered, for a client that is a shell pipeline."""
        self._connection.lanes.submit("now", self._hang_up)

    def hurry(self, seconds: float) -> None:
        """Limit a running or later wind-down to this many seconds."""
        self._wind_down_by = min(self._wind_down_by, time.monotonic() + seconds)

    def _shut_down(self, pending: Pending) -> None:
        self._wind_down(SHUTDOWN_SECONDS)
        self._connection.host.start_storing_pending().wait(STORE_LESSONS_SECONDS)
        self._connection.answer(pending, response(pending.id, b"null"))
        with self._lock:
            self._shutting_down = False
        self._leave_if_due()

    def _hang_up(self) -> None:
        self._wind_down(LEAVE_SECONDS, ANSWERING_SECONDS)
        self.exit()

    def _leave_if_due(self) -> None:
        with self._lock:
            due = self._exits and not self._shutting_down
        if due:
            self._leave(0 if self._connection.phase == "shutdown" else 1)

    def _wind_down(self, seconds: float, longest: float = 0.0) -> None:
        """Wait while reads and writes in flight end within `seconds`, then answer the rest with -32800.

        Each answer extends the time, up to `longest`.
        """
        connection = self._connection
        self.hurry(seconds)
        latest = time.monotonic() + longest
        for pending in connection.requests.all():
            method = connection.methods.get(pending.method)
            if method is not None and method.lane == "slow":
                connection.cancel(pending)
        unanswered = len(connection.requests.all())
        while not connection.lanes.drain(("write", "read"), CHECK_SECONDS) and time.monotonic() < self._wind_down_by:
            if (still := len(connection.requests.all())) < unanswered:
                unanswered = still
                self._wind_down_by = max(self._wind_down_by, min(latest, time.monotonic() + seconds))
        for pending in connection.requests.all():
            if pending.method != SHUTDOWN:
                connection.cancel(pending)
