"""How often work on files rests to let requests go first, and when it stops."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

# The rest after each file in the background, so that no request waits long.
REST_SECONDS: Final = 0.002


class Pace:
    """Never rests. A subclass may, or may raise to end the work."""

    def rest(self) -> None:
        """Rest. The work calls this after each file, holding no lock."""

    def give_way(self) -> None:
        """Let others go first. The work calls this about every millisecond, perhaps while it holds a lock."""


STEADY: Final = Pace()


class DeadlineExceeded(Exception):
    """A request has used up its time for this work."""


class Deadline(Pace):
    """A pace that raises `DeadlineExceeded` at the first rest after `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def rest(self) -> None:
        if time.monotonic() > self._end:
            raise DeadlineExceeded


class WaitingRequests:
    """How many requests wait for the index. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.count = 0

    def __enter__(self) -> None:
        with self._lock:
            self.count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.count -= 1


class Background(Pace):
    """Rests often, but not while a request waits. `check` lets requests go first."""

    def __init__(self, requests: WaitingRequests, check: Callable[[], None]) -> None:
        self._requests = requests
        self._check = check

    def rest(self) -> None:
        self._check()
        if not self._requests.count:
            time.sleep(REST_SECONDS)

    def give_way(self) -> None:
        if not self._requests.count:  # a waiting request may need a lock that this thread holds
            self._check()
