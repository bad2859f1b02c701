"""Ending a server: the first reason decides the exit code, and no thread that hangs keeps the process."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)


class Ending:
    """The first reason to end, from any thread or a signal handler."""

    def __init__(self) -> None:
        self._reasons: list[tuple[int, str]] = []
        self._reached = threading.Event()
        self._wakes: list[Callable[[], None]] = []

    def reach(self, code: int, cause: str) -> None:
        """End with this code, unless an earlier reason decided."""
        reason = (code, cause)
        self._reasons.append(reason)  # atomic; a lock could be held by the thread that a signal interrupts
        if self._reasons[0] is reason:
            log.info("The server ends with %d: %s.", code, cause)
        self._reached.set()
        for wake in self._wakes:
            wake()

    @property
    def code(self) -> int | None:
        """Return the exit code of the first reason, if there is any."""
        return self._reasons[0][0] if self._reasons else None

    @property
    def reached(self) -> bool:
        return self._reached.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds`; return whether there is a reason to end."""
        return self._reached.wait(seconds)

    def add_wake(self, wake: Callable[[], None]) -> None:
        """Call `wake` on each reason to end, on the thread that gives it, and now if there is a reason already."""
        self._wakes.append(wake)
        if self.reached:
            wake()


def end_process(code: int, *, clean: bool) -> int:
    """Return the exit code, or end the process at once if a thread hangs in C code.

    The interpreter may abort while such a thread runs. Everything acknowledged is on disk by now.
    """
    if not clean:
        logging.shutdown()
        os._exit(code)
    return code
