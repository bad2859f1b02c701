"""Events whose shape differs from Claude Code's: Cursor's, and those for Codex's `notify` program.

They are recognised by their fields, so that no flag is needed; agents that differ only in a few names are handled in
`dialects`.

Cursor (its documentation, "Hooks"): `conversation_id`, `workspace_roots`, names in camelCase, a field or two for each
event. It reports each tool use by `postToolUse`; earlier versions used `afterShellExecution` and `afterFileEdit`. Wire
one of the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

_CURSOR: Final = {
    "sessionStart": "SessionStart",
    "sessionEnd": "SessionEnd",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "afterShellExecution": "PostToolUse",
    "afterFileEdit": "PostToolUse",
    "afterAgentResponse": "Said",
    "preCompact": "PreCompact",
    "stop": "Stop",
    "subagentStop": "SubagentStop",
}
_GEMINI: Final = frozenset(("BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "PreCompress"))


def recognised(found: dict[str, Any]) -> dict[str, Any]:
    """Return the event with Claude Code's fields, and `agent` if its shape identifies it."""
    if found.get("type") == "agent-turn-complete" and "hook_event_name" not in found:
        return _notified(found)
    name = str(found.get("hook_event_name"))
    if "cursor_version" in found or ("conversation_id" in found and "session_id" not in found):
        return _of_cursor(found)
    if "conversation_id" in found and name in _CURSOR:
        return _of_cursor(found)
    if "turn_id" in found:
        return {**found, "agent": "codex"}
    if name in _GEMINI:
        return {**found, "agent": "gemini"}
    return {key: value for key, value in found.items() if key != "agent"}


def _of_cursor(found: dict[str, Any]) -> dict[str, Any]:
    name = str(found.get("hook_event_name"))
    roots = found.get("workspace_roots")
    root = next((each for each in roots if isinstance(each, str)), None) if isinstance(roots, list) else None
    event: dict[str, Any] = {
        "agent": "cursor",
        "hook_event_name": _CURSOR.get(name, f"cursor:{name}"),
        "session_id": found.get("conversation_id") or found.get("session_id"),
        "cwd": root or found.get("cwd"),
        **{key: found[key] for key in ("prompt", "tool_name", "tool_input", "tool_use_id") if key in found},
    }
    if name == "afterShellExecution":
        event |= {"tool_name": "Shell", "tool_input": {"command": found.get("command")}}
        event["tool_response"] = {"stdout": found.get("output")}
    elif name == "afterFileEdit":
        event |= {"tool_name": "Edit", "tool_input": {"file_path": found.get("file_path")}}
    elif name == "afterAgentResponse":
        event["last_assistant_message"] = found.get("text")
    elif name == "postToolUse":
        event |= _result(_decoded(found.get("tool_output")))
    elif name == "postToolUseFailure":
        event["error"] = found.get("error_message")
        if found.get("failure_type") == "permission_denied" or found.get("is_interrupt") is True:
            event["hook_event_name"] = "cursor:refused"
    return event


def _result(output: object) -> dict[str, Any]:
    """Return how a tool ended: Cursor puts a command's exit status inside its answer."""
    status = output.get("exitCode") if isinstance(output, Mapping) else None
    if isinstance(output, Mapping) and isinstance(status, int) and status:
        said = f"{output.get('stdout') or ''}\n{output.get('stderr') or ''}".strip()
        return {"hook_event_name": "PostToolUseFailure", "error": f"Exit code {status}\n{said}"}
    return {"tool_response": output}


def _notified(found: dict[str, Any]) -> dict[str, Any]:
    asked = found.get("input-messages")
    texts = [each for each in asked if isinstance(each, str)] if isinstance(asked, list) else []
    return {
        "hook_event_name": "Turn",
        "agent": "codex",
        "session_id": found.get("thread-id"),
        "cwd": found.get("cwd"),
        "prompt": "\n\n".join(texts),
        "last_assistant_message": found.get("last-assistant-message"),
    }


def _decoded(text: object) -> object:
    if not isinstance(text, str):
        return text
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {"stdout": text}
