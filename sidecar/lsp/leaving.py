"""The end of a client that never needed the whole server: `shutdown`, `exit` and the end of stdin, without pygls."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

from protocol.errors import ErrorCode
from sidecar.lsp.connection import LspConnection
from sidecar.lsp.inbox import EXIT, EndOfInput, Inbox
from sidecar.lsp.limits import ANSWERING_SECONDS, CHECK_SECONDS, LEAVE_SECONDS, SHUTDOWN_SECONDS
from sidecar.wire.framing import BadFrame
from sidecar.wire.inflight import Pending
from sidecar.wire.messages import Invalid, Notification, Request, error_response, response


def leave(connection: LspConnection, inbox: Inbox, is_over: Callable[[], bool]) -> int:
    """Answer remaining requests until the client has left or `is_over()` is true; return the exit code."""
    code = 1  # without `shutdown`
    while not is_over():
        for event in inbox.next(is_over):
            if isinstance(event, EndOfInput):
                # Requests before the end of stdin are still answered, for a client that is a shell pipeline.
                for _ in connection.winding_down(LEAVE_SECONDS, ANSWERING_SECONDS):
                    if is_over():
                        break
                    time.sleep(CHECK_SECONDS)
                return code
            if isinstance(event, Notification) and event.method == EXIT:
                return code
            if isinstance(event, Request) and code:  # the first is `shutdown`
                if _shut_down(connection, event, is_over):
                    code = 0
            elif isinstance(event, Request):
                connection.send(error_response(event.id, ErrorCode.INVALID_REQUEST, "The server was shut down."))
            elif isinstance(event, Invalid | BadFrame):
                connection.refuse(event)
    return code


def _shut_down(connection: LspConnection, request: Request, is_over: Callable[[], bool]) -> bool:
    """Let work in flight end, within a bound, and answer; later requests are refused."""
    pending = Pending(request.id, request.method)
    if not connection.accept(pending):
        return False
    for _ in itertools.chain(connection.winding_down(SHUTDOWN_SECONDS), connection.storing_pending()):
        if is_over():
            return True
        time.sleep(CHECK_SECONDS)
    connection.answer(pending, response(pending.id, b"null"))
    return True
