"""One event of an agent, from the JSON on stdin."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from sidecar.hooks.shapes import recognised

PROJECT: Final = "CLAUDE_PROJECT_DIR"
"""The variable in which Claude Code, and who follows it, names the project's folder."""


class HookEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that are used, as Claude Code names them. Others may be there and are ignored.

    `prompt_response` and `tool_result` are other agents'; `asked_as` and `tells_status` are set by `dialects`: the
    name that the event came under, and whether a result without an exit status means that there was no failure. `agent`
    is set by `shapes` where the event says surely whose it is.
    """

    hook_event_name: str
    session_id: str
    cwd: str | None = None
    transcript_path: str | None = None
    source: str | None = None
    prompt: str | None = None
    tool_name: str | None = None
    tool_input: Any = None
    tool_response: Any = None
    tool_use_id: str | None = None
    error: Any = None
    last_assistant_message: Any = None
    agent_transcript_path: str | None = None
    prompt_response: Any = None
    tool_result: Any = None
    asked_as: str = ""
    tells_status: bool = True
    agent: str | None = None


def read_event(data: bytes) -> HookEvent | None:
    """The event, or None for what is no event of an agent."""
    try:
        event = msgspec.convert(recognised(msgspec.json.decode(data, type=dict[str, Any])), HookEvent)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return event if 0 < len(event.session_id) <= 200 else None


def folder_of(event: HookEvent, environ: Mapping[str, str]) -> Path | None:
    """The workspace: the agent's project folder, else the repository around the folder that it works in.

    An agent that names no folder runs its hooks where it works.
    """
    given = environ.get(PROJECT) or event.cwd or os.getcwd()
    if not given or ("\0" not in given and not Path(given).is_dir()):
        return None
    folder = Path(given).resolve()
    if environ.get(PROJECT):
        return folder
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)
