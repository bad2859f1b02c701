"""Work-done progress of a request whose parameters carry a token for it (LSP 3.17, `workDoneToken`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from sidecar.runtime.cancellation import Call
from sidecar.wire.messages import notification

REPORT_SECONDS = 0.1
"""A client redraws at most this often; reports in between are dropped."""


@contextmanager
def work_done_progress(send: Callable[[bytes], None], params: msgspec.Struct, call: Call, title: str) -> Iterator[None]:
    """Report the call's progress until the block ends, if the client asked for it."""
    token = getattr(params, "work_done_token", None)
    if token is None:
        yield
        return
    last = 0.0

    def tell(value: dict[str, object]) -> None:
        send(notification("$/progress", {"token": token, "value": value}))

    def report(done: int, total: int, message: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= REPORT_SECONDS:
            last = now
            percentage = {"percentage": min(100, 100 * done // total)} if total > 0 else {}
            tell({"kind": "report", "message": message, **percentage})

    tell({"kind": "begin", "title": title, "percentage": 0})
    call.progress = report
    try:
        yield
    finally:
        call.progress = None
        tell({"kind": "end"})
