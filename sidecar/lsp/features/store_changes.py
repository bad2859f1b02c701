"""Tell the client at once that memories changed, through this process or another.

Whenever the system reports a write to the stores' files, their last sequence numbers are read, and a client that wants
to know gets `memory/didChange`; without changes in it, anything may have changed. Such a client declares
`workspace.codeLens.refreshSupport`, `workspace.diagnostics.refreshSupport` or, if it is a plugin that draws for itself,
`experimental.memorySidecar.didChange`, or it shows MEMORY.md with diagnostics that we push. The same round reads what a
person or another process wrote into MEMORY.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Final

from sidecar.engine.editor.store_watch import StoreWatch
from sidecar.lsp.features.diagnostics import DiagnosticsPublisher
from sidecar.lsp.features.requests_to_client import wait_for_answer
from sidecar.lsp.language_server import SidecarServer
from sidecar.runtime.errors import SidecarError

log = logging.getLogger(__name__)

STORE_CHECK_SECONDS: Final = 0.4
"""Interval between two checks of the stores where the system does not report writes."""

WATCHED_STORE_CHECK_SECONDS: Final = 2.0
"""Interval where the system does report writes, because a network file system reports none of another machine."""

JOIN_CHANGES_SECONDS: Final = 0.05
"""Interval within which changes cause one refresh."""

REFRESH_ANSWER_SECONDS: Final = 10.0


class StoreFollower:
    """Follows changes from `start` on. Made on the event loop when the client is initialized."""

    def __init__(self, server: SidecarServer, publisher: DiagnosticsPublisher) -> None:
        self._server = server
        self._publisher = publisher
        self._watch = StoreWatch(self._changed)
        self._change = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._soon: asyncio.TimerHandle | None = None
        self._refreshing = False
        self._again = False
        self._checking = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())
        self._server.connection.change_sent.subscribe(self._refresh_soon)
        self._server.folders.folder_added.subscribe(self._workspace_opened)
        self._workspace_opened()

    def _workspace_opened(self) -> None:
        """Record the stores' state now, so that changes count from the client's first answer on."""
        if self._server.client.hears_of_others:
            self._server.lanes.submit("write", self._record_state)

    def _record_state(self) -> None:
        """Record the state in the write lane, after workspaces are opened and before every later request."""
        try:
            self._server.engine().foreign_changes.record_state()
        except SidecarError as error:
            log.debug("The stores were not compared: %s", error.message)

    def _refresh_soon(self) -> None:
        """Let the client draw memories and files again soon. Thread-safe."""
        if self._soon is None:  # else the refresh to come shows this change, too
            try:
                self._loop.call_soon_threadsafe(self._wait_for_more)
            except RuntimeError:
                log.debug("The loop is closed, so no change is shown.")

    def _wait_for_more(self) -> None:
        if self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(JOIN_CHANGES_SECONDS, self._refresh)

    def _refresh(self) -> None:
        self._soon = None
        self._publisher.check_all()
        client = self._server.client
        if not client.refreshes_lenses and not client.refreshes_diagnostics:
            return
        if self._refreshing:
            self._again = True
        else:
            self._refreshing = True
            self._server.protocol.run(self._request_refreshes, "refresh")

    async def _request_refreshes(self) -> None:
        """Request both refreshes at once; request no more before the client has answered."""
        client = self._server.client
        refreshes = []
        if client.refreshes_lenses:
            refreshes.append(self._server.workspace_code_lens_refresh_async(None))
        if client.refreshes_diagnostics:
            refreshes.append(self._server.workspace_diagnostic_refresh_async(None))
        try:
            if not (await wait_for_answer(asyncio.gather(*refreshes), REFRESH_ANSWER_SECONDS))[0]:
                log.info("The client did not refresh.")
        finally:
            self._refreshing = False
            if self._again:
                self._again = False
                self._wait_for_more()

    def _changed(self) -> None:
        """Have the stores checked soon; runs on the watch's thread."""
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._change.set)

    async def _run(self) -> None:
        while True:
            await self._wait()
            wanted = self._server.client.hears_of_others or self._publisher.concerned
            if wanted and not self._checking and self._server.connection.is_running:
                self._checking = True
                self._server.lanes.submit("now", self._check_stores)

    async def _wait(self) -> None:
        """Return when a store has changed, or when a check is due anyway; never while the stores are being checked."""
        # `asyncio.wait_for` of Python 3.11 loses a cancellation that comes with the event, and the process would stay.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(WATCHED_STORE_CHECK_SECONDS if self._watch.notified else STORE_CHECK_SECONDS):
                await self._change.wait()
        while self._checking:
            await asyncio.sleep(JOIN_CHANGES_SECONDS)
        self._change.clear()

    def _check_stores(self) -> None:
        """Compare the stores with their state at the last check; runs on a thread."""
        try:
            changes = self._server.engine().foreign_changes
            changes.take_in_edits()
            self._watch.watch(changes.store_folders())
            changes.report()
        except SidecarError as error:
            log.debug("The stores were not compared: %s", error.message)
        finally:
            self._checking = False
