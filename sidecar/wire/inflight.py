"""The requests of one connection that are not answered yet; each is answered once, by a result or an error."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from sidecar.runtime.cancellation import Context
from sidecar.wire.messages import Id


class Pending(Context):
    """One request in flight. `on_cancel` is called once if it is cancelled; no end waits for it if it `is_slow`."""

    __slots__ = ("id", "is_slow", "method", "on_cancel", "settled")

    def __init__(
        self,
        id: Id,
        method: str,
        *,
        by_person: bool = False,
        is_slow: bool = False,
        on_cancel: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(by_person=by_person)
        self.is_slow = is_slow
        self.id = id
        self.method = method
        self.settled = False
        self.on_cancel = on_cancel


class ErrorFrames(Protocol):
    """What a client's protocol sends in place of a result (`lsp/failures.py`, `mcp/failures.py`)."""

    def duplicate(self, id: Id, /) -> bytes: ...

    def failure(self, id: Id, method: str, error: BaseException, /) -> bytes: ...

    def cancelled(self, id: Id, /) -> bytes:
        """Return nothing if a cancelled request gets no answer."""


class InFlight:
    """The requests in flight by id, with the ways to answer them by `send`. Thread-safe."""

    def __init__(self, send: Callable[[bytes], None], frames: ErrorFrames) -> None:
        self._send = send
        self._frames = frames
        self._lock = threading.Lock()
        self._pending: dict[Id, Pending] = {}

    def accept(self, pending: Pending) -> bool:
        """Register a request; refuse it and return False if its id is in use."""
        with self._lock:
            accepted = self._pending.setdefault(pending.id, pending) is pending
        if not accepted:
            self._send(self._frames.duplicate(pending.id))
        return accepted

    def settle(self, pending: Pending) -> bool:
        """Return True, exactly once, if the caller may answer. The id is free again afterwards."""
        with self._lock:
            if pending.settled:
                return False
            pending.settled = True
            del self._pending[pending.id]
            return True

    def answer(self, pending: Pending, frame: bytes) -> None:
        """Send the response unless the request was answered already, for example by a cancellation."""
        if self.settle(pending):
            self._send(frame)

    def fail(self, pending: Pending, error: BaseException) -> None:
        """Answer with the error that stands for the exception."""
        if self.settle(pending):
            self._send(self._frames.failure(pending.id, pending.method, error))

    def cancel(self, pending: Pending) -> None:
        """Answer a request as cancelled now, and let its work stop when it can."""
        pending.cancel()
        if self.settle(pending):
            if frame := self._frames.cancelled(pending.id):
                self._send(frame)
            if pending.on_cancel is not None:
                pending.on_cancel()

    def get(self, id: Id) -> Pending | None:
        with self._lock:
            return self._pending.get(id)

    def all(self) -> list[Pending]:
        """Return every request in flight, oldest first."""
        with self._lock:
            return list(self._pending.values())
