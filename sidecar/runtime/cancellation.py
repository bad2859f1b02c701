"""The context of a request, by which long work notices a cancellation; and the requests under way."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from types import TracebackType

from sidecar.runtime.errors import Cancelled


class Context:
    """The context of one request: any thread may cancel it, and the working thread calls `check` at safe points.

    `by_person` marks a request that a person made in an editor, so what it records counts as the user's words.
    `replaying` marks an event from which another process has learned, so that it only restores its session's state.
    """

    __slots__ = ("_event", "by_person", "cancelled", "progress", "replaying")

    def __init__(
        self,
        progress: Callable[[int, int, str], None] | None = None,
        *,
        by_person: bool = False,
        replaying: bool = False,
    ) -> None:
        self.by_person = by_person
        self.replaying = replaying
        self.cancelled = False
        self._event: threading.Event | None = None  # made by `wait`, since few calls wait
        self.progress = progress  # called with (done, total, message)

    def cancel(self) -> None:
        """Ask the work to stop. Idempotent; never blocks."""
        self.cancelled = True
        if self._event is not None:
            self._event.set()

    def wait(self, seconds: float) -> None:
        """Wait for `cancel`, at most `seconds`."""
        self._event = self._event or threading.Event()
        if not self.cancelled:
            self._event.wait(seconds)

    def step(self, done: int, total: int, message: str) -> None:
        """Report progress. Raises `Cancelled` when the caller cancelled the request."""
        self.check()
        if self.progress is not None:
            self.progress(done, total, message)

    def check(self) -> None:
        if self.cancelled:
            raise Cancelled


class RunningRequests:
    """Counts the requests that are running, so that stores are closed only after them.

    Each request does its work inside `with running_requests:`; whoever closes a store first calls `wait_for_earlier`.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._numbers = itertools.count()
        self._running: dict[int, int] = {}  # the outermost request's number, by thread
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
        """Wait until every request that other threads are running now has ended; return False after `seconds`."""
        me = threading.get_ident()
        with self._changed:
            latest = next(self._numbers)
            return self._changed.wait_for(
                lambda: not any(n < latest for thread, n in self._running.items() if thread != me), seconds
            )
