"""The context of one request, handed down to the engine so that long work can notice a cancellation."""

from __future__ import annotations

import threading

from sidecar.errors import Cancelled


class Call:
    """One request's context. Any thread may cancel; the thread that works asks `check` at safe points."""

    __slots__ = ("cancelled",)

    def __init__(self) -> None:
        self.cancelled = threading.Event()

    def cancel(self) -> None:
        """Ask the work to stop. Idempotent; never blocks."""
        self.cancelled.set()

    def check(self) -> None:
        """Raise `Cancelled` when the caller took the request back."""
        if self.cancelled.is_set():
            raise Cancelled
