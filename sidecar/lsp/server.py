"""The entry of the LSP front: `serve` runs one connection on stdin and stdout and returns the exit code.

pygls and lsprotocol are imported when something needs them (`inbox.py`).
"""

from __future__ import annotations

import gc
import logging
import time
from functools import partial
from typing import NamedTuple

from sidecar.engine.host import EngineHost
from sidecar.lsp import process_end
from sidecar.lsp.client_folders import ClientLogHandler, ServerOptions
from sidecar.lsp.connection import WATCHED, EndOfInput, LspConnection
from sidecar.lsp.inbox import Inbox
from sidecar.lsp.limits import (
    CLOSE_ENGINE_SECONDS,
    FLUSH_OUTPUT_SECONDS,
    JOIN_WORKERS_SECONDS,
    STORE_LESSONS_SECONDS,
    WRITE_EVENTS_SECONDS,
)
from sidecar.runtime.ending import Ending, end_process
from sidecar.runtime.priority import serve_attentively
from sidecar.wire.descriptors import claim_stdio
from sidecar.wire.messages import Notification
from sidecar.wire.reader import Reader
from sidecar.wire.writer import Writer

log = logging.getLogger(__name__)


class Ended(NamedTuple):
    """The exit code; `clean` is False if a thread would not end and the interpreter must not wait for it."""

    code: int
    clean: bool


def serve(options: ServerOptions) -> int:
    """Serve one client on stdin and stdout until it sends `exit`, hangs up or dies; return the exit code.

    Main thread only.
    """
    process_end.end_quietly_on_signals()
    code, clean = run(*claim_stdio(), options, own_process=True)
    return end_process(code, clean=clean)


def run(source: int, sink: int, options: ServerOptions, *, own_process: bool = False) -> Ended:
    """Serve one client on two descriptors and close them at the end.

    With `own_process`, the process serves nothing else, so signals end it; main thread only.
    """
    return StdioServer(source, sink, options, own_process).serve()


class StdioServer:
    """The parts that serve one client, from its first byte to the end."""

    def __init__(self, source: int, sink: int, options: ServerOptions, own_process: bool) -> None:
        self._own_process = own_process
        self._signalled: list[int] = []
        self._ending = ending = Ending()
        self._writer = writer = Writer(sink, partial(ending.reach, 1, "the client does not read any more"))
        self._host = EngineHost()
        self._connection = connection = LspConnection(writer.write, writer.wait_for_room, ending, self._host, options)
        self._parent = process_end.ParentWatch(ending)
        self._inbox = inbox = Inbox(connection, self._parent)
        ending.add_wake(inbox.wakeup.wake)
        self._reader = Reader(source, inbox.receive, partial(inbox.receive, [EndOfInput()]), is_held=self._is_held)

    def _is_held(self) -> bool:
        self._writer.give_up_if_hung()
        return self._writer.is_full or self._connection.lanes.crowded()

    def serve(self) -> Ended:
        handler = ClientLogHandler(self._connection.notify)
        logging.getLogger("sidecar").addHandler(handler)
        if self._own_process:
            serve_attentively()
            process_end.note_signals(self._signalled)
            self._inbox.wakeup.heed_signals()
        code = 1
        try:
            self._writer.start()
            self._reader.start()  # from now on a signal may find that something was answered
            code = self._serve_until_over()
        finally:
            self._parent.stop()
            logging.getLogger("sidecar").removeHandler(handler)
            clean = self._end()
            self._reader.stop()
            self._inbox.wakeup.close()
        return Ended(code, clean)

    def _is_over(self) -> bool:
        if self._signalled:
            self._ending.reach(128 + self._signalled[0], f"signal {self._signalled[0]}")
        return self._ending.reached

    def _serve_until_over(self) -> int:
        """Serve until there is a reason to end, importing only what is needed; return the exit code."""
        self._inbox.wait(self._is_over)
        return self._serve_with_pygls() if self._ending.code is None else self._ending.code

    def _serve_with_pygls(self) -> int:
        """Serve LSP's own methods too, until there is a reason to end; return the exit code."""
        # lsprotocol creates a thousand classes; collecting garbage meanwhile finds nothing and takes a tenth longer.
        if self._own_process:
            gc.disable()
        import asyncio

        from sidecar.lsp.features import register_features
        from sidecar.lsp.language_server import SidecarServer
        from sidecar.lsp.receiving import receive

        server = SidecarServer(self._connection)
        register_features(server)
        if self._own_process:
            gc.freeze()
            gc.enable()
        return asyncio.run(receive(server, self._inbox, self._ending, self._parent, self._own_process))

    def _end(self) -> bool:
        """Stop everything; return True if every thread has ended.

        This takes a second at most, and longer only to write down events and to store lessons.
        """
        connection, host = self._connection, self._host
        self._inbox.close()
        connection.leaving.hurry(0)
        for pending in connection.requests.all():
            pending.cancel()
        self._reader.finish(WRITE_EVENTS_SECONDS)
        for message in self._inbox.take_all():
            if isinstance(message, Notification) and message.method != WATCHED:
                connection.route(message)
        host.if_started(lambda engine: engine.stop_learning())
        connection.handle_waiting_notifications()
        host.start_storing_lessons().wait(STORE_LESSONS_SECONDS)
        closed = host.start_closing()
        closed.wait(CLOSE_ENGINE_SECONDS)
        ended = connection.lanes.stop(JOIN_WORKERS_SECONDS)
        started = time.monotonic()
        flushed = self._writer.close(FLUSH_OUTPUT_SECONDS)
        if not closed.is_set():
            log.warning("The engine did not close in time.")
        if not flushed:
            log.info("The client did not read its last messages within %.1f s.", time.monotonic() - started)
        return ended and flushed and closed.is_set()
