"""`hook`: what an agent runs at each of its events, with JSON on stdin."""

from __future__ import annotations

import click


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
    "--agent", metavar="NAME", default="claude-code", help="Which agent asks. Default: claude-code."
)
@click.argument("event", required=False)
def hook_command(agent: str, event: str | None) -> int:
    """Answer one event."""
    import logging
    import os
    import sys

    from sidecar import log
    from sidecar.hooks.front import respond_in_time
    from sidecar.settings import load

    settings = load(None, os.environ).settings
    log.configure(settings)
    given = event if event is not None and event.startswith("{") else None
    data = sys.stdin.buffer.read() if given is None else given.encode("utf-8", "surrogateescape")
    answer, ended = respond_in_time(data, os.environ, settings.hooks.answer_seconds, agent)
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
    if not ended:
        logging.shutdown()
        os._exit(0)
    return 0
