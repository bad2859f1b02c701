"""The entry of the LSP front: `serve` runs one connection on stdin and stdout and returns the exit code.

pygls and lsprotocol are imported while the reader thread already collects what the client sends, and answers
`initialize`, for which they are not needed.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from protocol.methods import METHODS, Method
from sidecar.courtesy import serve_attentively
from sidecar.lsp import lifecycle
from sidecar.lsp.engine_port import (
    EngineFactory,
    LoadedLike,
    SettingsLoader,
    default_engine,
    default_settings,
)
from sidecar.lsp.greeting import Greeted, greet
from sidecar.lsp.limits import (
    CLOSE_SECONDS,
    DRAIN_SECONDS,
    FLUSH_SECONDS,
    JOIN_SECONDS,
    LEAVE_SECONDS,
    SETTLE_SECONDS,
)
from sidecar.wire.descriptors import claim_stdio
from sidecar.wire.messages import Request
from sidecar.wire.reader import Event, Reader
from sidecar.wire.writer import Writer

if TYPE_CHECKING:
    from sidecar.lsp.host import SidecarServer

logger = logging.getLogger(__name__)

INITIALIZE: Final = "initialize"


class Ended(NamedTuple):
    """`clean` is false when a thread would not end and the interpreter must not wait for it."""

    code: int
    clean: bool


def serve(
    loaded: LoadedLike | None = None,
    *,
    engine_factory: EngineFactory = default_engine,
    load_settings: SettingsLoader = default_settings,
    environ: Mapping[str, str] | None = None,
    methods: Mapping[str, Method] = METHODS,
) -> int:
    """Serve one client on stdin and stdout until it says `exit`, hangs up or dies; the exit code.

    `loaded`: what the command line already knows; its problems are shown to the client. Settings are loaded
    again once the client has named its folder and options. Main thread only.
    """
    lifecycle.end_quietly_on_signals()
    source, sink = claim_stdio()
    code, clean = run(
        source,
        sink,
        engine_factory=engine_factory,
        load_settings=load_settings,
        environ=os.environ if environ is None else environ,
        methods=methods,
        problems=() if loaded is None else loaded.problems,
        own_process=True,
    )
    if not clean:
        # A handler that hangs in C code cannot be stopped, and the interpreter may abort under it. Everything
        # that was acknowledged is on disk by now.
        logging.shutdown()
        os._exit(code)
    return code


def run(
    source: int,
    sink: int,
    *,
    engine_factory: EngineFactory,
    load_settings: SettingsLoader,
    environ: Mapping[str, str],
    methods: Mapping[str, Method] = METHODS,
    problems: Sequence[str] = (),
    own_process: bool = False,
) -> Ended:
    """Serve one client on two descriptors, which are closed at the end.

    `own_process`: the process serves nothing else, so signals end it; main thread only.
    """
    ending = lifecycle.Ending()
    writer = Writer(sink, lambda: ending.reach(1, "the client does not read any more"))
    mailbox = Mailbox(writer.write)
    reader = Reader(source, mailbox.put, lambda: mailbox.put([EndOfInput()]))
    reader.start()
    writer.start()
    # lsprotocol makes a thousand classes; collecting garbage meanwhile finds none and takes a tenth longer.
    if own_process:
        serve_attentively()
        gc.disable()
    server = _build(writer, ending, engine_factory, load_settings, environ, methods)
    if own_process:
        gc.freeze()
        gc.enable()
    server.session.problems = tuple(problems)
    try:
        code = asyncio.run(_main(server, mailbox, ending, own_process))
    finally:
        clean = _end(server, writer)
        reader.stop()
    return Ended(code, clean)


def _build(
    writer: Writer,
    ending: lifecycle.Ending,
    engine_factory: EngineFactory,
    load_settings: SettingsLoader,
    environ: Mapping[str, str],
    methods: Mapping[str, Method],
) -> SidecarServer:
    from sidecar.lsp.host import SidecarServer

    return SidecarServer(
        send=writer.write,
        exit=lambda code: ending.reach(code, "the client said exit or closed stdin"),
        engine_factory=engine_factory,
        load_settings=load_settings,
        environ=environ,
        methods=methods,
    )


class EndOfInput:
    """Stands in the mailbox for the end of stdin."""


Arrival: TypeAlias = Event | EndOfInput | Greeted


class Mailbox:
    """Brings events of the reader's thread to the event loop, and keeps them until there is one.

    A client whose first message is `initialize`, and comes before that, is greeted on the reader's thread.
    """

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._early: list[Arrival] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._arrived: asyncio.Queue[Sequence[Arrival]] | None = None

    def put(self, events: Sequence[Event | EndOfInput]) -> None:
        """Any thread. Dropped when the loop has ended."""
        with self._lock:
            if self._loop is None or self._arrived is None:
                self._early.extend(events if self._early else self._greeted(events))
            else:
                with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                    self._loop.call_soon_threadsafe(self._arrived.put_nowait, events)

    def _greeted(self, events: Sequence[Event | EndOfInput]) -> Sequence[Arrival]:
        first = events[0]
        greeting = greet(first) if isinstance(first, Request) and first.method == INITIALIZE else None
        if greeting is None:
            return events
        greeted, frame = greeting
        self._send(frame)
        return [greeted, *events[1:]]

    async def get(self) -> Sequence[Arrival]:
        """The next events, on the loop."""
        if self._arrived is None:
            with self._lock:
                self._loop = asyncio.get_running_loop()
                self._arrived = asyncio.Queue()
                self._arrived.put_nowait(self._early)
        return await self._arrived.get()


async def _main(server: SidecarServer, mailbox: Mailbox, ending: lifecycle.Ending, own_process: bool) -> int:
    from sidecar.lsp.client_log import ClientLogHandler

    if own_process:
        lifecycle.end_on_signals(asyncio.get_running_loop(), ending)
    handler = ClientLogHandler(server)
    logging.getLogger("sidecar").addHandler(handler)
    receiving = asyncio.create_task(_receive(server, mailbox, ending))
    receiving.add_done_callback(partial(_receiver_ended, ending=ending))
    try:
        return await ending.wait()
    finally:
        receiving.cancel()
        logging.getLogger("sidecar").removeHandler(handler)


def _receiver_ended(task: asyncio.Task[None], ending: lifecycle.Ending) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.error("Receiving failed with %s.", type(error).__name__, exc_info=error)
        ending.reach(1, "receiving failed")


async def _receive(server: SidecarServer, mailbox: Mailbox, ending: lifecycle.Ending) -> None:
    watch: asyncio.Task[None] | None = None
    sighting: lifecycle.Sighting | None = None
    while True:
        for event in await mailbox.get():
            if isinstance(event, EndOfInput):
                # What was asked before the end is still answered, for a client that is a shell pipeline.
                await server.wind_down(LEAVE_SECONDS)
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


def _end(server: SidecarServer, writer: Writer) -> bool:
    """Stop everything within a second. Whether every thread has ended."""
    for pending in server.inflight.all():
        pending.call.cancel()
    server.lanes.drain(("write",), DRAIN_SECONDS)
    settled = lifecycle.settled(server.session.settle)
    settled.wait(SETTLE_SECONDS)
    closer = threading.Thread(target=_close, args=(server,), name="sidecar-close", daemon=True)
    closer.start()
    closer.join(CLOSE_SECONDS)
    ended = server.lanes.stop(JOIN_SECONDS)
    started = time.monotonic()
    flushed = writer.close(FLUSH_SECONDS)
    if closer.is_alive():
        logger.warning("The engine did not close in time.")
    if not flushed:
        logger.info("The client did not read its last messages (%.1f s).", time.monotonic() - started)
    return ended and flushed and not closer.is_alive()


def _close(server: SidecarServer) -> None:
    try:
        server.session.close()
    except Exception:
        logger.exception("The engine did not close in good order.")
