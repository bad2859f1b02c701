"""The context of one request or operation: whether whoever asked has taken it back."""

from __future__ import annotations

import threading

from sidecar.errors import Cancelled


class Call:
    """Handed to long work, which asks it now and then whether to go on. Safe on any thread."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()

    @property
    def cancelled(self) -> bool:
        """Whether it was taken back."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Take it back; the work stops at its next `check`."""
        self._cancelled.set()

    def check(self) -> None:
        """Raise `Cancelled` when it was taken back."""
        if self._cancelled.is_set():
            raise Cancelled
