"""`serve`: the server itself, on stdin and stdout."""

from __future__ import annotations

import click


@click.command(
    "serve",
    help="Serve an agent or an editor over stdio (LSP 3.17 and the sidecar's own methods).\n\n"
    "Settings come from the user's and the workspace's TOML file, the environment and the client.",
    short_help="Serve an agent or an editor over stdio.",
)
@click.option("--stdio", is_flag=True, help="Accepted; there is no other way.")
@click.option("--log-stderr", is_flag=True, help="Write the log to stderr as well.")
def serve_command(stdio: bool, log_stderr: bool) -> int:
    """Run until the client says exit, closes stdin or dies; `entry` mostly does so without coming here."""
    from sidecar.lsp.process import run

    return run(log_stderr=log_stderr)
