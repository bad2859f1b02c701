"""The end of a client that never needed the whole server: `shutdown`, `exit` and the end of stdin, without pygls."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

from sidecar.lsp.connection import EXIT, LspConnection
from sidecar.lsp.early_initialize import EarlyAnswer
from sidecar.lsp.inbox import EndOfInput, Inbox
from sidecar.lsp.limits import ANSWERING_SECONDS, CHECK_SECONDS, LEAVE_SECONDS, SHUTDOWN_SECONDS
from sidecar.wire.inflight import Pending
from sidecar.wire.messages import Notification, Request, response


def leave(connection: LspConnection, inbox: Inbox, is_over: Callable[[], bool]) -> int:
    """Answer remaining requests until the client has left or `is_over()` is true; return the exit code."""
    while not is_over():
        for event in inbox.next(is_over):
            if isinstance(event, EndOfInput):
                # Requests before the end of stdin are still answered, for a client that is a shell pipeline.
                for _ in connection.winding_down(LEAVE_SECONDS, ANSWERING_SECONDS):
                    if is_over():
                        break
                    time.sleep(CHECK_SECONDS)
                return connection.exit_code
            if isinstance(event, Notification) and event.method == EXIT:
                return connection.exit_code
            if isinstance(event, EarlyAnswer) or connection.serve(event):
                continue
            if isinstance(event, Request):  # `shutdown`
                _shut_down(connection, event, is_over)
    return connection.exit_code


def _shut_down(connection: LspConnection, request: Request, is_over: Callable[[], bool]) -> None:
    """Let work in flight end, within a bound, and answer; later requests are refused."""
    pending = Pending(request.id, request.method)
    if not connection.accept(pending):
        return
    connection.shut_down()
    for _ in itertools.chain(connection.winding_down(SHUTDOWN_SECONDS), connection.storing_pending()):
        if is_over():
            return
        time.sleep(CHECK_SECONDS)
    connection.answer(pending, response(pending.id, b"null"))
