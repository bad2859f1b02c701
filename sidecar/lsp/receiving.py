"""The event loop of one connection: each arrival goes to the server, and the client's end is noticed."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from sidecar.lsp import lifecycle
from sidecar.lsp.early_initialize import Greeted
from sidecar.lsp.language_server import SidecarServer
from sidecar.lsp.limits import ANSWERING_SECONDS, LEAVE_SECONDS
from sidecar.lsp.mailbox import EndOfInput, Mailbox

logger = logging.getLogger(__name__)


async def receive(server: SidecarServer, mailbox: Mailbox, ending: lifecycle.Ending, own_process: bool) -> int:
    """Hand what arrives to the server until there is a reason to end; the exit code."""
    if own_process:
        lifecycle.end_on_signals(asyncio.get_running_loop(), ending)
    receiving = asyncio.create_task(_receive(server, mailbox, ending))
    receiving.add_done_callback(partial(_receiver_ended, ending=ending))
    try:
        return await ending.wait()
    finally:
        receiving.cancel()


def _receiver_ended(task: asyncio.Task[None], ending: lifecycle.Ending) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("Receiving failed with %s.", type(error).__name__, exc_info=error)
        ending.reach(1, "receiving failed")


async def _receive(server: SidecarServer, mailbox: Mailbox, ending: lifecycle.Ending) -> None:
    watch: asyncio.Task[None] | None = None
    sighting: lifecycle.Sighting | None = None
    while True:
        for event in await mailbox.get(running=server.protocol.phase == "running"):
            if isinstance(event, EndOfInput):
                # What was asked before the end is still answered, for a client that is a shell pipeline.
                await server.wind_down(LEAVE_SECONDS, ANSWERING_SECONDS)
                server.protocol.leave()
                return
            try:
                if isinstance(event, Greeted):
                    sighting = event.client
                    server.protocol.take_in(event)
                else:
                    server.protocol.receive(event)
            except Exception:
                logger.exception("A message could not be handled.")
            if watch is None and server.process_id is not None:
                parent = lifecycle.ParentWatch(
                    sighting or lifecycle.Sighting.of(server.process_id),
                    lambda: ending.reach(1, "the client's process is gone"),
                )
                watch = asyncio.create_task(parent.run())
        await asyncio.sleep(0)
