"""The entry of the LSP front: `serve` runs one connection on stdin and stdout and returns the exit code.

pygls and lsprotocol are imported when something needs them (`mailbox`).
"""

from __future__ import annotations

import gc
import logging
import os
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from protocol.methods import METHODS, Method
from sidecar.lsp import lifecycle
from sidecar.lsp.client_log import ClientLogHandler
from sidecar.lsp.leaving import leave
from sidecar.lsp.limits import CLOSE_SECONDS, DRAIN_SECONDS, FLUSH_SECONDS, JOIN_SECONDS, NOTE_SECONDS, SETTLE_SECONDS
from sidecar.lsp.mailbox import EndOfInput, Mailbox
from sidecar.lsp.service import Service
from sidecar.lsp.session import EngineFactory, SettingsLoader
from sidecar.runtime.ending import Ending, end_process
from sidecar.runtime.priority import serve_attentively
from sidecar.wire.descriptors import claim_stdio
from sidecar.wire.messages import Notification
from sidecar.wire.reader import Reader
from sidecar.wire.writer import Writer

logger = logging.getLogger(__name__)


class Ended(NamedTuple):
    """`clean` is False if a thread would not end and the interpreter must not wait for it."""

    code: int
    clean: bool


def serve(
    *,
    engine_factory: EngineFactory,
    load_settings: SettingsLoader,
    methods: Mapping[str, Method] = METHODS,
    problems: Sequence[str] = (),
) -> int:
    """Serve one client on stdin and stdout until it sends `exit`, hangs up or dies; return the exit code.

    `problems` of the settings are shown to the client. Settings are loaded again once the client has named its folder
    and options. Main thread only.
    """
    lifecycle.end_quietly_on_signals()
    source, sink = claim_stdio()
    code, clean = run(
        source,
        sink,
        engine_factory=engine_factory,
        load_settings=load_settings,
        environ=os.environ,
        methods=methods,
        problems=problems,
        own_process=True,
    )
    return end_process(code, clean=clean)


def run(
    source: int,
    sink: int,
    *,
    engine_factory: EngineFactory,
    load_settings: SettingsLoader,
    environ: Mapping[str, str],
    methods: Mapping[str, Method],
    problems: Sequence[str] = (),
    own_process: bool = False,
) -> Ended:
    """Serve one client on two descriptors and close them at the end.

    `own_process`: the process serves nothing else, so signals end it; main thread only.
    """
    ending = Ending()
    writer = Writer(sink, lambda: ending.reach(1, "the client does not read any more"))
    service = Service(
        writer.write,
        writer.wait_for_room,
        engine_factory=engine_factory,
        load_settings=load_settings,
        environ=environ,
        methods=methods,
    )
    service.session.problems = tuple(problems)
    parent = lifecycle.ParentWatch(lambda: ending.reach(1, "the client's process is gone"))
    mailbox = Mailbox(service, parent)
    ending.then(mailbox.wakeup.wake)
    reader = Reader(
        source,
        mailbox.put,
        lambda: mailbox.put([EndOfInput()]),
        enough=lambda: writer.full() or service.lanes.crowded(),
    )
    handler = ClientLogHandler(service)
    logging.getLogger("sidecar").addHandler(handler)
    signalled: list[int] = []
    if own_process:
        serve_attentively()
        lifecycle.note_signals(signalled)
        mailbox.wakeup.heed_signals()
    code = 1
    try:
        writer.start()
        reader.start()  # from now on a signal may find that something was answered
        code = _serve(service, mailbox, ending, parent, signalled, own_process)
    finally:
        parent.stop()
        logging.getLogger("sidecar").removeHandler(handler)
        clean = _end(service, writer, mailbox, reader)
        reader.stop()
        mailbox.wakeup.close()
    return Ended(code, clean)


def _serve(
    service: Service,
    mailbox: Mailbox,
    ending: Ending,
    parent: lifecycle.ParentWatch,
    signalled: list[int],
    own_process: bool,
) -> int:
    """Serve until there is a reason to end, with as much of the server as the client needs; return the exit code."""

    def over() -> bool:
        if signalled:
            ending.reach(128 + signalled[0], f"signal {signalled[0]}")
        return ending.reached

    mailbox.wait(over)
    code = 1
    if mailbox.leaving:
        code = leave(service, mailbox, over)
    if ending.reached or mailbox.leaving:
        return code if ending.code is None else ending.code
    return _serve_all(service, mailbox, ending, parent, own_process)


def _serve_all(
    service: Service, mailbox: Mailbox, ending: Ending, parent: lifecycle.ParentWatch, own_process: bool
) -> int:
    """Serve LSP's own methods too, until there is a reason to end; return the exit code."""
    # lsprotocol makes a thousand classes; collecting garbage meanwhile finds nothing and takes a tenth longer.
    if own_process:
        gc.disable()
    import asyncio

    from sidecar.lsp.language_server import SidecarServer
    from sidecar.lsp.receiving import receive

    server = SidecarServer(service, exit=lambda code: ending.reach(code, "the client said exit or closed stdin"))
    if own_process:
        gc.freeze()
        gc.enable()
    return asyncio.run(receive(server, mailbox, ending, parent, own_process))


def _end(service: Service, writer: Writer, mailbox: Mailbox, reader: Reader) -> bool:
    """Stop everything within a second, apart from noting events; return True if every thread has ended."""
    mailbox.close()
    for pending in service.inflight.all():
        pending.call.cancel()
    reader.finish(NOTE_SECONDS)
    for event in mailbox.undelivered():
        if isinstance(event, Notification):
            service.notification(event)
    host = service.session.host
    host.if_started(lambda engine: engine.note_only())
    service.lanes.drain(("write",), NOTE_SECONDS if service.dispatcher.has_unserved_notices else DRAIN_SECONDS)
    service.dispatcher.serve_notices()
    host.settled().wait(SETTLE_SECONDS)
    closed = host.closed()
    closed.wait(CLOSE_SECONDS)
    ended = service.lanes.stop(JOIN_SECONDS)
    started = time.monotonic()
    flushed = writer.close(FLUSH_SECONDS)
    if not closed.is_set():
        logger.warning("The engine did not close in time.")
    if not flushed:
        logger.info("The client did not read its last messages (%.1f s).", time.monotonic() - started)
    return ended and flushed and closed.is_set()
