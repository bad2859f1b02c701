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
    "--agent",
    metavar="NAME",
    default="claude-code",
    is_flag=False,
    flag_value="claude-code",  # a name that was forgotten is no reason to fail either
    help="Which agent asks. Default: claude-code.",
)
@click.argument("event", required=False)
def hook_command(agent: str, event: str | None) -> int:
    """Answer one event."""
    import logging
    import os
    import sys

    try:
        return _answered(agent, event)
    except Exception:
        logging.getLogger(__name__).exception("A hook failed.")
        # What could not be written is tried once more when the interpreter ends, and would then fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _answered(agent: str, event: str | None) -> int:
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
