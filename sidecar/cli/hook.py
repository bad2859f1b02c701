"""`hook`: what an agent runs at each of its events, with JSON on stdin."""

from __future__ import annotations

import click

from sidecar.cli.options import json_anyway_option


@click.command(
    "hook",
    help="Take one event of an agent as JSON on stdin and print what the agent is to be told.\n\n"
    "Speaks the hook protocols of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI and Cursor. Codex gives its "
    "notify program the event as an argument: EVENT. Always exits with 0; what went wrong is in the log.",
    short_help="Take one event of an agent (JSON on stdin).",
    # To some agents the exit code of a wrong option says that the tool is to be blocked.
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@click.option(
    "--agent",
    metavar="NAME",
    default="claude-code",
    is_flag=False,
    flag_value="claude-code",  # a name that was forgotten is no reason to fail either
    help="Which agent asks. Default: claude-code.",
)
@click.option(
    "--workspace",
    metavar="DIR",
    help="The folder that is worked in. Default: what the event or the agent's environment says, else here.",
)
@json_anyway_option
@click.argument("event", required=False)
def hook_command(agent: str, workspace: str | None, event: str | None) -> int:
    """Answer one event; `entry` mostly does so without coming here."""
    from sidecar.hooks.process import run

    return run(agent, event, workspace)
