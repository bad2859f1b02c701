"""`mcp`: the server for agents that speak the Model Context Protocol, on stdin and stdout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sidecar.engine import Engine
    from sidecar.settings import Loaded


@click.command(
    "mcp",
    help="Serve an agent over stdio (Model Context Protocol).\n\n"
    "Serves the folders that the agent names as roots, else the one it was started in.",
    short_help="Serve an agent over stdio (Model Context Protocol).",
)
@click.option(
    "--workspace",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Served when the agent names no roots. Default: here.",
)
@click.option("--log-stderr", is_flag=True, help="Write the log to stderr as well.")
def mcp_command(workspace: Path | None, log_stderr: bool) -> int:
    """Run until the client closes stdin or dies."""
    import os

    from sidecar import log
    from sidecar.cli.session import find_workspace
    from sidecar.mcp.server import serve
    from sidecar.settings import load

    log.configure(load(None, os.environ).settings, stderr=log_stderr)
    return serve(find_workspace(workspace), lambda folder: load(folder, os.environ), _start)


def _start(loaded: Loaded) -> Engine:
    import sidecar.mcp.methods  # noqa: F401 - the arguments of the tools are structs, too
    from sidecar.engine import Engine
    from sidecar.structs import work_out

    work_out()  # no tool reads its arguments before the engine is there
    return Engine(loaded.settings, settings_problems=loaded.problems)
