"""The MCP front as a process: settings, the log, and one connection on stdin and stdout."""

from __future__ import annotations

import os
from pathlib import Path


def run(folder: Path, *, log_stderr: bool = False) -> int:
    """Serve until the client closes stdin or dies; return the exit code. A client without roots gets `folder`."""
    from sidecar.models.quiet import QUIET

    if os.environ.get(QUIET):  # an agent that we are asking ourselves gets no tools, and nothing is learned from it
        return 0
    from sidecar.engine.host import start_engine
    from sidecar.mcp.server import serve
    from sidecar.runtime import log
    from sidecar.settings import load

    log.configure(load(None, os.environ).settings, stderr=log_stderr)
    return serve(folder, lambda path: load(path, os.environ), start_engine)
