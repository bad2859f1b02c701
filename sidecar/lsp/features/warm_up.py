"""`initialized`: registrations, the client's settings, and reading ahead with a progress bar."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from sidecar.lsp.features.configuration import pull_configuration, register_for_changes
from sidecar.lsp.features.formatting import register_formatting
from sidecar.lsp.features.watched_files import register_watchers

if TYPE_CHECKING:
    from sidecar.lsp.language_server import SidecarServer

logger = logging.getLogger(__name__)

TOKEN_SECONDS = 5.0
PULL_SECONDS = 2.0
# A client redraws at most this often; reports in between are dropped.
REPORT_SECONDS = 0.1


def register(server: SidecarServer) -> None:
    # A generator runs to its first `yield` at once; a coroutine would start after requests that came later, and the
    # client would not be told of changes between their answers and the first look.
    def initialized(_: types.InitializedParams) -> Generator[Any, Any, None]:
        server.follower.begin()
        yield _introduce, (server,), None

    def cancelled(_: types.WorkDoneProgressCancelParams) -> None:
        server.lanes.submit_now(lambda: server.session.engine().cancel_warm_up())

    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)(cancelled)


async def _introduce(server: SidecarServer) -> None:
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(register_watchers(server))
        tasks.create_task(register_for_changes(server))
        tasks.create_task(register_formatting(server))
        pulled = tasks.create_task(pull_configuration(server))
        # New settings reopen the workspaces, so they come first; but a client may be slow to answer.
        await asyncio.wait({pulled}, timeout=PULL_SECONDS)
        await warm_up(server, "initialized")


async def warm_up(server: SidecarServer, cause: str) -> None:
    """Read the workspaces' files in the background, after the folders were opened."""
    token = await _token(server)
    bar = None if token is None else ProgressBar(server, token)

    def job() -> None:
        if bar is None:
            server.session.engine().warm_up(None, cause, if_set=True)
            return
        bar.begin()
        try:
            server.session.engine().warm_up(bar.report, cause, if_set=True)
        finally:
            bar.end()

    if cause == "initialized":
        server.service.warm_up(job)
    else:
        server.lanes.submit("background", job)


async def _token(server: SidecarServer) -> str | None:
    if not server.session.client_progress:
        return None
    token = str(uuid.uuid4())
    try:
        await asyncio.wait_for(server.work_done_progress.create_async(token), TOKEN_SECONDS)
    except (JsonRpcException, TimeoutError):
        logger.info("The client made no progress token.")
        return None
    return token


class ProgressBar:
    """One progress bar of the client; any thread."""

    def __init__(self, server: SidecarServer, token: str) -> None:
        self._progress = server.work_done_progress
        self._token = token
        self._last = 0.0

    def begin(self) -> None:
        self._progress.begin(
            self._token, types.WorkDoneProgressBegin(title="Reading the workspace", cancellable=True, percentage=0)
        )

    def report(self, done: int, total: int, what: str) -> None:
        """Move it, at most every `REPORT_SECONDS`."""
        now = time.monotonic()
        if now - self._last < REPORT_SECONDS:
            return
        self._last = now
        percentage = min(100, 100 * done // total) if total > 0 else 0
        self._progress.report(
            self._token, types.WorkDoneProgressReport(message=what, percentage=percentage, cancellable=True)
        )

    def end(self) -> None:
        self._progress.end(self._token, types.WorkDoneProgressEnd())
        self._progress.tokens.pop(self._token, None)
