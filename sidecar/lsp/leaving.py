"""How a client leaves: by `shutdown`, `exit` or the end of stdin."""

from __future__ import annotations

import math
import threading
import time
from functools import partial
from typing import Final

from sidecar.engine.host import EngineHost
from sidecar.lsp.limits import (
    ANSWERING_SECONDS,
    END_OF_INPUT_SECONDS,
    IN_FLIGHT_CHECK_SECONDS,
    SHUTDOWN_SECONDS,
    STORE_LESSONS_SECONDS,
)
from sidecar.runtime.ending import Ending
from sidecar.runtime.lanes import Lanes
from sidecar.wire.inflight import InFlight, Pending
from sidecar.wire.messages import response

SHUTDOWN: Final = "shutdown"


class Leaving:
    """Lets work in flight end within a limited time on its own thread; then the server ends with LSP's exit code."""

    def __init__(self, requests: InFlight, lanes: Lanes, host: EngineHost, ending: Ending) -> None:
        self._requests, self._lanes, self._host = requests, lanes, host
        self._ending = ending
        self._lock = threading.Lock()
        self._code = 1  # until the client asks for `shutdown`
        self._shutting_down = False  # `shutdown` is in flight
        self._exits = False
        self._wind_down_by = math.inf

    def shut_down(self, pending: Pending) -> None:
        """Answer `shutdown` once work in flight has ended and pending lessons are stored."""
        with self._lock:
            self._shutting_down, self._code = True, 0
        self._lanes.submit("now", partial(self._shut_down, pending))

    def exit(self) -> None:
        """Leave, once a `shutdown` in flight is answered."""
        with self._lock:
            self._exits = True
        if self._shutting_down:
            self.hurry(END_OF_INPUT_SECONDS)
        self._leave_if_due()

    def hang_up(self) -> None:
        """Leave after the end of stdin: earlier requests are still answered, for a client that is a shell pipeline."""
        self._lanes.submit("now", self._hang_up)

    def hurry(self, seconds: float) -> None:
        """Limit a running or later wind-down to this many seconds."""
        with self._lock:
            self._wind_down_by = min(self._wind_down_by, time.monotonic() + seconds)

    def _shut_down(self, pending: Pending) -> None:
        self._wind_down(SHUTDOWN_SECONDS)
        self._host.start_storing_lessons().wait(STORE_LESSONS_SECONDS)
        self._requests.answer(pending, response(pending.id, b"null"))
        with self._lock:
            self._shutting_down = False
        self._leave_if_due()

    def _hang_up(self) -> None:
        self._wind_down(END_OF_INPUT_SECONDS, ANSWERING_SECONDS)
        self.exit()

    def _leave_if_due(self) -> None:
        with self._lock:
            due = self._exits and not self._shutting_down
        if due:
            self._ending.reach(self._code, "the client said exit or closed stdin")

    def _wind_down(self, seconds: float, longest: float = 0.0) -> None:
        """Wait while reads and writes in flight end within `seconds`, then answer the rest with -32800.

        Each answer extends the time, up to `longest`.
        """
        self.hurry(seconds)
        latest = time.monotonic() + longest
        for pending in self._requests.all():
            if pending.is_slow:
                self._requests.cancel(pending)
        unanswered = len(self._requests.all())
        while (
            not self._lanes.drain(("write", "read"), IN_FLIGHT_CHECK_SECONDS) and time.monotonic() < self._wind_down_by
        ):
            if (still := len(self._requests.all())) < unanswered:
                unanswered = still
                with self._lock:
                    self._wind_down_by = max(self._wind_down_by, min(latest, time.monotonic() + seconds))
        for pending in self._requests.all():
            if pending.method != SHUTDOWN:
                self._requests.cancel(pending)
