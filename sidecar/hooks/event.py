"""Read one event of an agent from the JSON on stdin."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from sidecar.hooks.shapes import with_claude_fields

PROJECT: Final = "CLAUDE_PROJECT_DIR"
"""The variable in which Claude Code, and agents that copy it, name the project's folder."""


class HookEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event with the fields that are used, under Claude Code's names.

    Only other agents send `prompt_response` and `tool_result`. `dialects` sets `sent_name`, the event's original name,
    and `tells_status`, whether a result without an exit status means success. `shapes` sets `agent` if the fields of
    the event identify the agent.
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
    agent_type: str | None = None
    prompt_response: Any = None
    tool_result: Any = None
    sent_name: str = ""
    tells_status: bool = True
    agent: str | None = None


def read_event(data: bytes) -> HookEvent | None:
    """Return the event in `data`, or None if `data` is not an agent's event."""
    try:
        event = msgspec.convert(with_claude_fields(msgspec.json.decode(data, type=dict[str, Any])), HookEvent)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return event if 0 < len(event.session_id) <= 200 else None


def folder_of(event: HookEvent, environ: Mapping[str, str]) -> Path | None:
    """Return the workspace: the agent's project folder, else the repository around its working folder.

    If the agent names no folder, its working folder is the hook's.
    """
    working_folder = environ.get(PROJECT) or event.cwd or os.getcwd()
    if not working_folder or ("\0" not in working_folder and not Path(working_folder).is_dir()):
        return None
    folder = Path(working_folder).resolve()
    if environ.get(PROJECT):
        return folder
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), folder)
