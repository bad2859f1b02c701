"""The MCP front as a process: settings, the log, and one connection on stdin and stdout."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidecar.engine.engine import Engine
    from sidecar.settings import Loaded


def run(folder: Path, *, log_stderr: bool = False) -> int:
    """Serve until the client closes stdin or dies; return the exit code. `folder` is served if the client names no
    roots.
    """
    from sidecar.models.quiet import QUIET

    if os.environ.get(QUIET):  # an agent that we are asking ourselves gets no tools, and nothing is learned from it
        return 0
    from sidecar.mcp.server import serve
    from sidecar.runtime import log
    from sidecar.settings import load

    log.configure(load(None, os.environ).settings, stderr=log_stderr)
    return serve(folder, lambda each: load(each, os.environ), _start)


def _start(loaded: Loaded) -> Engine:
    from sidecar.engine.decoder_warmup import work_out
    from sidecar.engine.engine import Engine
    from sidecar.runtime.processes import own

    work_out()
    return Engine(loaded.settings, settings_problems=loaded.problems, process=own())
