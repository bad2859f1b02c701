"""`serve`, `mcp` and `hook`, which agents and editors start, and how `tour` and `doctor` start this very version.

`entry` runs the plain command lines of these commands itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

import sidecar
from sidecar.cli.folder import find_workspace

_json_option = click.option(
    "--json", "as_json", is_flag=True, expose_value=False, help="Has no effect: this command always speaks JSON."
)
_log_stderr = click.option("--log-stderr", is_flag=True, help="Write the log to stderr as well.")
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("serve", short_help="Serve an agent or an editor over stdio (LSP).")
@click.option("--stdio", is_flag=True, help="Has no effect: stdio is the only transport.")
@click.option(
    "--workspace",
    metavar="DIR",
    type=_FOLDER,
    help="The folder to run in. Default: here. The client names the folders to serve.",
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
@click.option(
    "--workspace", metavar="DIR", type=_FOLDER, help="The folder to serve if the agent names none. Default: here."
)
@_json_option
@_log_stderr
def mcp_command(workspace: Path | None, log_stderr: bool) -> int:
    """Serve an agent over stdio (MCP).

    Serves the folders that the agent names as roots, else the folder in which it was started.
    """
    from sidecar.mcp.process import run

    return run(find_workspace(workspace), log_stderr=log_stderr)


@click.command(
    "hook",
    short_help="Answer one event of an agent's hook (JSON on stdin).",
    # Accept wrong options, because some agents take an error's exit code as an order to block the tool.
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.option(
    "--agent",
    metavar="NAME",
    default="claude-code",
    is_flag=False,
    flag_value="claude-code",  # a missing name must not be an error either
    help="The agent that sends the event. Default: claude-code.",
)
@click.option(
    "--workspace",
    metavar="DIR",
    help="The agent's folder. Default: from the event or the agent's environment, else here.",
)
@_json_option
@click.argument("event", required=False)
def hook_command(agent: str, workspace: str | None, event: str | None) -> int:
    """Answer one event of an agent's hook (JSON on stdin).

    Prints the text for the agent, in the hook protocol of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI or
    Cursor. EVENT replaces stdin. Always exits with 0; errors go to the log.
    """
    from sidecar.hooks.process import run

    return run(agent, event, workspace)


def server_command() -> list[str]:
    """Return the command line of the server. `-P` keeps Python from importing packages of the current folder."""
    return [sys.executable, "-P", "-m", "sidecar", "serve", "--stdio"]


def server_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for `server_command`; this package's folder is on the path unless it is installed."""
    root = Path(sidecar.__file__).absolute().parent.parent
    if root.name in ("site-packages", "dist-packages"):
        return dict(environ)
    return {**environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(root), environ.get("PYTHONPATH"))))}
