"""The event loop of one connection: pass each message to the server and notice the client's end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from functools import partial

from sidecar.lsp import process_end
from sidecar.lsp.connection import EndOfInput
from sidecar.lsp.early_initialize import EarlyAnswer
from sidecar.lsp.inbox import Inbox
from sidecar.lsp.language_server import SidecarServer
from sidecar.runtime.ending import Ending

log = logging.getLogger(__name__)


async def receive(
    server: SidecarServer, inbox: Inbox, ending: Ending, parent: process_end.ParentWatch, own_process: bool
) -> int:
    """Pass messages to the server until there is a reason to end; return the exit code."""
    if own_process:
        process_end.end_on_signals(asyncio.get_running_loop(), ending)
    receiving = asyncio.create_task(_pass_messages(server, inbox, parent))
    receiving.add_done_callback(partial(_receiver_ended, ending=ending))
    try:
        return await _end_of(ending)
    finally:
        receiving.cancel()


async def _end_of(ending: Ending) -> int:
    loop, reached = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile: it has ended already
            loop.call_soon_threadsafe(reached.set)

    ending.add_wake(wake)
    await reached.wait()
    return ending.code if ending.code is not None else 1


def _receiver_ended(task: asyncio.Task[None], ending: Ending) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("Receiving the client's messages failed.", exc_info=error)
        ending.reach(1, "receiving failed")


async def _pass_messages(server: SidecarServer, inbox: Inbox, parent: process_end.ParentWatch) -> None:
    while True:
        for message in await inbox.fetch(running=server.connection.is_running):
            try:
                if isinstance(message, EarlyAnswer):
                    if server.connection.is_running:
                        server.protocol.resume(message)
                elif not server.connection.route(message) and not isinstance(message, EndOfInput):
                    server.protocol.receive(message)
            except Exception:
                log.exception("%s could not be handled.", getattr(message, "method", "A message"))
            if server.process_id is not None:
                parent.watch(process_end.ClientProcess.seen_now(server.process_id))
        await asyncio.sleep(0)
