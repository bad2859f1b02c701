"""`mcp`: the server for agents that speak the Model Context Protocol, on stdin and stdout."""

from __future__ import annotations

from pathlib import Path

import click

from sidecar.cli.options import json_anyway_option


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
@json_anyway_option
@click.option("--log-stderr", is_flag=True, help="Write the log to stderr as well.")
def mcp_command(workspace: Path | None, log_stderr: bool) -> int:
    """Run until the client closes stdin or dies; `entry` mostly does so without coming here."""
    from sidecar.cli.folder import find_workspace
    from sidecar.mcp.process import run

    return run(find_workspace(workspace), log_stderr=log_stderr)
