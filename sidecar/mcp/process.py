"""Run the MCP front as a process: with settings, a log, and one connection on stdin and stdout."""

from __future__ import annotations

import os
from pathlib import Path

from sidecar.engine.host import start_engine
from sidecar.mcp.server import serve
from sidecar.models.quiet import QUIET_VARIABLE
from sidecar.runtime import log
from sidecar.settings import load


def run(folder: Path, *, log_stderr: bool = False) -> int:
    """Serve until the client closes stdin or dies (`folder`, if it names no roots); return the exit code."""
    if os.environ.get(QUIET_VARIABLE):  # we started this agent ourselves as a model, without tools
        return 0
    log.configure(load(None, os.environ).settings, stderr=log_stderr)
    return serve(
        folder,
        lambda path: load(path, os.environ),
        lambda loaded, client_model: start_engine(loaded, client_model=client_model),
    )
