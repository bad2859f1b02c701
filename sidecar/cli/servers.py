"""`serve`, `mcp` and `hook`: what agents and editors start, mostly through `entry` without coming here."""

from __future__ import annotations

import os
from pathlib import Path

import click

from sidecar.cli.folder import find_workspace

_json_option = click.option(
    "--json", "as_json", is_flag=True, expose_value=False, help="Accepted for uniformity; it always speaks JSON."
)
_log_stderr = click.option("--log-stderr", is_flag=True, help="Write the log to stderr as well.")
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("serve", short_help="Serve an agent or an editor over stdio (LSP).")
@click.option("--stdio", is_flag=True, help="Accepted for compatibility; stdio is the only transport.")
@click.option(
    "--workspace",
    metavar="DIR",
    type=_FOLDER,
    help="The folder to run in; the folders served are those that the client names. Default: here.",
)
@_json_option
@_log_stderr
def serve_command(stdio: bool, workspace: Path | None, log_stderr: bool) -> int:
    """Serve an agent or an editor over stdio (LSP).

    Speaks LSP 3.17 and the sidecar's own methods. Settings come from the user's and the workspace's TOML file, the
    environment and the client.
    """
    from sidecar.lsp.process import run

    if workspace is not None:
        os.chdir(workspace)
    return run(log_stderr=log_stderr)


@click.command("mcp", short_help="Serve an agent over stdio (MCP).")
@click.option("--workspace", metavar="DIR", type=_FOLDER, help="Served when the agent names no roots. Default: here.")
@_json_option
@_log_stderr
def mcp_command(workspace: Path | None, log_stderr: bool) -> int:
    """Serve an agent over stdio (MCP).

    Serves the folders that the agent names as roots, else the one it was started in.
    """
    from sidecar.mcp.process import run

    return run(find_workspace(workspace), log_stderr=log_stderr)


@click.command(
    "hook",
    short_help="Answer one event of an agent's hook (JSON on stdin).",
    # Some agents take the exit code of a wrong option as an order to block the tool.
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.option(
    "--agent",
    metavar="NAME",
    default="claude-code",
    is_flag=False,
    flag_value="claude-code",  # a missing name must not fail either
    help="Which agent asks. Default: claude-code.",
)
@click.option(
    "--workspace",
    metavar="DIR",
    help="The folder worked in. Default: from the event or the agent's environment, else here.",
)
@_json_option
@click.argument("event", required=False)
def hook_command(agent: str, workspace: str | None, event: str | None) -> int:
    """Answer one event of an agent's hook (JSON on stdin).

    Prints the text for the agent.

    Speaks the hook protocols of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI and Cursor. EVENT takes the
    place of stdin. Always exits with 0; errors go to the log.
    """
    from sidecar.hooks.process import run

    return run(agent, event, workspace)
