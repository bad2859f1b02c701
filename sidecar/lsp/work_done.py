"""Work-done progress (LSP 3.17) under a token from a request's parameters or under one of our own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from sidecar.runtime.cancellation import Context
from sidecar.wire.messages import notification

REPORT_SECONDS = 0.1
"""Minimum interval between two reports, since a client redraws for each; reports in between are dropped."""

Report = Callable[[int, int, str], None]
Send = Callable[[bytes], None]


@contextmanager
def progress(send: Send, token: str | int, title: str, *, cancellable: bool | None = None) -> Iterator[Report]:
    """Yield a function that reports (done, total, message) until the block ends, from any thread."""
    last = 0.0
    more = {} if cancellable is None else {"cancellable": cancellable}

    def tell(value: dict[str, object]) -> None:
        send(notification("$/progress", {"token": token, "value": value}))

    def report(done: int, total: int, message: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= REPORT_SECONDS:
            last = now
            percentage = {"percentage": min(100, 100 * done // total)} if total > 0 else {}
            tell({"kind": "report", "message": message, **percentage, **more})

    tell({"kind": "begin", "title": title, "percentage": 0, **more})
    try:
        yield report
    finally:
        tell({"kind": "end"})


@contextmanager
def work_done_progress(send: Send, params: msgspec.Struct, context: Context, title: str) -> Iterator[None]:
    """Report the call's progress until the block ends, if the client requested it."""
    token = getattr(params, "work_done_token", None)
    if token is None:
        yield
        return
    with progress(send, token, title) as report:
        context.progress = report
        try:
            yield
        finally:
            context.progress = None
