"""Requests under way: the context that lets long work notice a cancellation, and who still runs."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from types import TracebackType

from sidecar.runtime.errors import Cancelled


class Call:
    """One request's context. Any thread may cancel; the thread that works asks `check` at safe points.

    `by_person`: a person asked in an editor, so that what is recorded is theirs.
    """

    __slots__ = ("by_person", "cancelled", "progress")

    def __init__(self, progress: Callable[[int, int, str], None] | None = None, *, by_person: bool = False) -> None:
        self.by_person = by_person
        self.cancelled = threading.Event()
        self.progress = progress  # told of long work: (done, total, message)

    def cancel(self) -> None:
        """Ask the work to stop. Idempotent; never blocks."""
        self.cancelled.set()

    def step(self, done: int, total: int, message: str) -> None:
        """Tell how far the work is; raises `Cancelled` when the caller took the request back."""
        self.check()
        if self.progress is not None:
            self.progress(done, total, message)

    def check(self) -> None:
        """Raise `Cancelled` when the caller took the request back."""
        if self.cancelled.is_set():
            raise Cancelled


class RunningCalls:
    """Who is under way, so that what they use is closed only after them. Enter it around each call; any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._numbers = itertools.count()
        self._running: dict[int, int] = {}  # number of the call, by thread; the outermost counts
        self._depths: dict[int, int] = {}

    def __enter__(self) -> None:
        me = threading.get_ident()
        with self._changed:
            self._depths[me] = self._depths.get(me, 0) + 1
            self._running.setdefault(me, next(self._numbers))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        me = threading.get_ident()
        with self._changed:
            self._depths[me] -= 1
            if not self._depths[me]:
                del self._depths[me], self._running[me]
                self._changed.notify_all()

    def wait_for_earlier(self, seconds: float) -> bool:
        """Wait until every call of another thread that runs now has ended. Whether all have."""
        me = threading.get_ident()
        with self._changed:
            latest = next(self._numbers)
            return self._changed.wait_for(
                lambda: not any(n < latest for thread, n in self._running.items() if thread != me), seconds
            )
