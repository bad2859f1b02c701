"""The entry of the MCP front: `serve` runs one connection on stdin and stdout and returns the exit code.

The connection ends when the client closes stdin or dies, or on a signal. Then pending requests are answered, lessons
are stored, and the engine is closed.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.engine.host import EngineHost
from sidecar.mcp.connection import McpConnection
from sidecar.mcp.lines import LineDecoder
from sidecar.mcp.sampling import ClientModel
from sidecar.mcp.served_folders import Load, ServedFolders
from sidecar.runtime.ending import Ending, end_process
from sidecar.runtime.lanes import Lanes
from sidecar.runtime.priority import serve_attentively
from sidecar.settings import LoadedSettings
from sidecar.system.processes import ENDING_SIGNALS
from sidecar.wire.descriptors import claim_stdio
from sidecar.wire.reader import Reader
from sidecar.wire.writer import Writer

if TYPE_CHECKING:
    from sidecar.engine.engine import Engine
    from sidecar.models.chat_models import ChatPort

Start = Callable[[LoadedSettings, Callable[[], "ChatPort | None"]], "Engine"]
"""Starts an engine with these settings; the second argument returns the model that the client offers by now."""

SIGNAL_POLL_SECONDS = 0.5
# Pending requests are answered for this long after the client hangs up; one may wait nearly as long for a busy store.
LAST_ANSWERS_SECONDS = 70.0
CLOSE_ENGINE_SECONDS = 3.0


def serve(default: Path, load: Load, start: Start) -> int:
    """Serve one client on stdin and stdout until it hangs up; return the exit code. Main thread only.

    `default` is served if the client names no roots. `load` returns the settings of a folder; for None, those of no
    folder.
    """
    ending = Ending()
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: ending.reach(128 + number, f"signal {number}"))
    serve_attentively()
    source, sink = claim_stdio()
    code, clean = run(source, sink, default, load, start, ending)
    return end_process(code, clean=clean)


def run(source: int, sink: int, default: Path, load: Load, start: Start, ending: Ending) -> tuple[int, bool]:
    """Serve one client on two descriptors and close them; return the exit code and whether all threads have ended."""
    writer = Writer(sink, lambda: ending.reach(0, "the client does not read any more"))
    lanes, host, model = Lanes(), EngineHost(), ClientModel(writer.write)
    connection = McpConnection(ServedFolders(host, default, load), model, lanes, writer.write, writer.wait_for_room)

    def create() -> Engine:
        return start(load(None), connection.client_model)

    def is_held() -> bool:
        writer.give_up_if_hung()
        return writer.is_full or lanes.crowded()

    reader = Reader(
        source, connection.receive, lambda: ending.reach(0, "the client closed stdin"), LineDecoder(), is_held=is_held
    )
    threading.Thread(target=host.start, args=(create,), name="mcp-engine", daemon=True).start()
    writer.start()
    reader.start()
    try:
        code = _end_of(ending)
        until = time.monotonic() + LAST_ANSWERS_SECONDS
        while connection.is_busy() and not writer.gone and time.monotonic() < until:
            time.sleep(0.005)
    finally:
        connection.abandon()
        reader.stop()
        lanes.drain(("write",), 0.2)
        closed = host.start_closing()
        closed.wait(CLOSE_ENGINE_SECONDS)
        ended = lanes.stop(0.1)
        flushed = writer.close()
    return code, ended and flushed and closed.is_set()


def _end_of(ending: Ending) -> int:
    """Wait until a signal, the client or the parent's end ends the process; return the exit code."""
    parent = os.getppid()
    while not ending.wait(SIGNAL_POLL_SECONDS):
        if os.getppid() != parent:
            ending.reach(0, "the client's process is gone")
    return ending.code or 0
