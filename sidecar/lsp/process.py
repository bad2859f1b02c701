"""The LSP server as a process: settings, the log, and one connection on stdin and stdout."""

from __future__ import annotations

import os
from functools import partial

from sidecar.engine.host import start_engine
from sidecar.lsp.client_folders import ServerOptions
from sidecar.lsp.server import serve
from sidecar.runtime import log
from sidecar.settings import load


def run(*, log_stderr: bool = False) -> int:
    """Serve until the client sends `exit`, closes stdin or dies; return LSP's exit code. Main thread only."""
    loaded = load(None, os.environ)
    problem = log.configure(loaded.settings, stderr=log_stderr)
    if problem is not None:
        loaded.problems.append(problem)
    return serve(ServerOptions(partial(start_engine, keeps_journals=True), load, os.environ, problems=loaded.problems))
