"""`serve`: the server itself, on stdin and stdout."""

from __future__ import annotations

import os
from pathlib import Path

import click

from sidecar.cli.options import json_anyway_option


@click.command(
    "serve",
    help="Serve an agent or an editor over stdio (LSP 3.17 and the sidecar's own methods).\n\n"
    "Settings come from the user's and the workspace's TOML file, the environment and the client.",
    short_help="Serve an agent or an editor over stdio.",
)
@click.option("--stdio", is_flag=True, help="Accepted; there is no other way.")
@click.option(
    "--workspace",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder to run in; what is served are the folders that the client names. Default: here.",
)
@json_anyway_option
@click.option("--log-stderr", is_flag=True, help="Write the log to stderr as well.")
def serve_command(stdio: bool, workspace: Path | None, log_stderr: bool) -> int:
    """Run until the client says exit, closes stdin or dies; `entry` mostly does so without coming here."""
    from sidecar.lsp.process import run

    if workspace is not None:
        os.chdir(workspace)
    return run(log_stderr=log_stderr)
