"""Translate Cursor's events to Claude Code's fields, and identify other agents by their events' fields.

Cursor's documentation ("Hooks") describes `conversation_id`, `workspace_roots`, camelCase names and a few fields for
each event. `dialects` handles agents that differ only in a few names.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

_CURSOR: Final = {
    "sessionStart": "SessionStart",
    "sessionEnd": "SessionEnd",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "afterAgentResponse": "Said",
    "preCompact": "PreCompact",
    "stop": "Stop",
    "subagentStop": "SubagentStop",
}
_GEMINI: Final = frozenset(("BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "PreCompress"))


def with_claude_fields(event_fields: dict[str, Any]) -> dict[str, Any]:
    """Return the event with Claude Code's fields, and with `agent` if the fields identify the agent."""
    name = str(event_fields.get("hook_event_name"))
    if "cursor_version" in event_fields or ("conversation_id" in event_fields and "session_id" not in event_fields):
        return _from_cursor(event_fields)
    if "conversation_id" in event_fields and name in _CURSOR:
        return _from_cursor(event_fields)
    if "turn_id" in event_fields:
        return {**event_fields, "agent": "codex"}
    if name in _GEMINI:
        return {**event_fields, "agent": "gemini"}
    return {key: value for key, value in event_fields.items() if key != "agent"}


def _from_cursor(event_fields: dict[str, Any]) -> dict[str, Any]:
    name = str(event_fields.get("hook_event_name"))
    roots = event_fields.get("workspace_roots")
    root = next((item for item in roots if isinstance(item, str)), None) if isinstance(roots, list) else None
    event: dict[str, Any] = {
        "agent": "cursor",
        "hook_event_name": _CURSOR.get(name, f"cursor:{name}"),
        "session_id": event_fields.get("conversation_id") or event_fields.get("session_id"),
        "cwd": root or event_fields.get("cwd"),
        **{
            key: event_fields[key]
            for key in ("prompt", "tool_name", "tool_input", "tool_use_id")
            if key in event_fields
        },
    }
    if name == "afterAgentResponse":
        event["last_assistant_message"] = event_fields.get("text")
    elif name == "postToolUse":
        event["tool_response"] = _decode(event_fields.get("tool_output"))
    elif name == "postToolUseFailure":
        event["error"] = event_fields.get("error_message")
        if event_fields.get("failure_type") == "permission_denied" or event_fields.get("is_interrupt") is True:
            event["hook_event_name"] = "cursor:refused"
    return event


def _decode(text: object) -> object:
    if not isinstance(text, str):
        return text
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {"stdout": text}
