"""The requests of one connection that are not answered yet; each is answered once."""

from __future__ import annotations

from collections.abc import Callable

from protocol.errors import ErrorCode
from sidecar.lsp.failures import duplicate_id_frame, failure_frame
from sidecar.runtime.errors import Cancelled
from sidecar.wire.inflight import InFlight, Pending
from sidecar.wire.messages import error_response


class OpenRequests(InFlight):
    """Requests in flight, with the ways to answer them by `send`. Thread-safe."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        super().__init__()
        self._send = send

    def accept(self, pending: Pending) -> bool:
        """Register a request; refuse it and return False if its id is in use."""
        if self.register(pending):
            return True
        self._send(duplicate_id_frame(pending.id))
        return False

    def answer(self, pending: Pending, frame: bytes) -> None:
        """Send the response unless the request was answered already, for example by a cancellation."""
        if self.settle(pending):
            self._send(frame)

    def fail(self, pending: Pending, error: BaseException) -> None:
        """Answer with the error that stands for the exception."""
        if self.settle(pending):
            self._send(failure_frame(pending.id, pending.method, error))

    def cancel(self, pending: Pending) -> None:
        """Answer a request with -32800 now and let its work stop when it can."""
        pending.call.cancel()
        if self.settle(pending):
            self._send(error_response(pending.id, ErrorCode.REQUEST_CANCELLED, Cancelled().message))
            if pending.on_cancel is not None:
                pending.on_cancel()
