"""`initialized`: registrations, the client's settings, and reading ahead with a progress bar."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Generator
from typing import Any

from lsprotocol import types

from sidecar.lsp.features.client_changes import register_watchers
from sidecar.lsp.features.configuration import pull_configuration, register_for_changes
from sidecar.lsp.features.diagnostics import DiagnosticsPublisher
from sidecar.lsp.features.formatting import register_formatting
from sidecar.lsp.features.requests_to_client import wait_for_answer
from sidecar.lsp.features.store_changes import StoreFollower
from sidecar.lsp.language_server import SidecarServer
from sidecar.lsp.work_done import progress

log = logging.getLogger(__name__)

TOKEN_SECONDS = 5.0
PULL_SECONDS = 2.0


def register(server: SidecarServer, publisher: DiagnosticsPublisher) -> None:
    # A generator runs to its first `yield` at once; a coroutine would start after requests that came later, and the
    # client would miss changes between their answers and the first look.
    def initialized(_: types.InitializedParams) -> Generator[Any, Any, None]:
        StoreFollower(server, publisher).start()
        yield _set_up_client, (server,), None

    def cancelled(_: types.WorkDoneProgressCancelParams) -> None:
        server.lanes.submit("now", lambda: server.engine().cancel_warm_up())

    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)(cancelled)


async def _set_up_client(server: SidecarServer) -> None:
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

    def task() -> None:
        if token is None:
            server.engine().warm_up(None, cause, if_set=True)
            return
        try:
            with progress(server.connection.send, token, "Reading the workspace", cancellable=True) as report:
                server.engine().warm_up(report, cause, if_set=True)
        finally:
            server.work_done_progress.tokens.pop(token, None)

    if cause == "initialized":
        server.connection.warm_up(task)
    else:
        server.lanes.submit("background", task)


async def _token(server: SidecarServer) -> str | None:
    if not server.client.progress:
        return None
    token = str(uuid.uuid4())
    if (await wait_for_answer(server.work_done_progress.create_async(token), TOKEN_SECONDS))[0]:
        return token
    log.info("The client did not accept progress reports.")
    return None
