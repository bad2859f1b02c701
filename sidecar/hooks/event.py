"""Read an agent's event from the JSON on stdin, translate it to Claude Code's, and word our answer for the agent.

The agents differ in the names of events, the field of a tool's result, and the place of a command's exit status: it is
in the result's text or, for Codex, only in the transcript. An unknown agent is treated like Claude Code. Observed in
Codex 0.169, Gemini CLI 0.61, Qwen Code 0.24 and GitHub Copilot CLI 1.0.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from sidecar.transcripts.lines import status_at_end, without_head

# The variable in which Claude Code, and agents that copy it, name the project's folder.
PROJECT_VARIABLE: Final = "CLAUDE_PROJECT_DIR"
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
_NAMES = {
    "BeforeAgent": "UserPromptSubmit",
    "AfterTool": "PostToolUse",
    "AfterAgent": "Stop",
    "PreCompress": "PreCompact",
}
_WITHOUT_STATUS = frozenset({"codex"})
_FAILED = frozenset({"failure", "denied", "rejected"})


class HookEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event: those of its fields that are used, under Claude Code's names."""

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
    prompt_response: Any = None  # not from Claude Code
    tool_result: Any = None  # not from Claude Code
    sent_name: str = ""  # the event's original name
    tells_status: bool = True  # whether a result without an exit status means success
    agent: str | None = None  # set if the event's fields identify the agent


def read_event(data: bytes) -> HookEvent | None:
    """Return the event in `data`; None if that is not an agent's event."""
    try:
        event = msgspec.convert(with_claude_fields(msgspec.json.decode(data, type=dict[str, Any])), HookEvent)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return event if 0 < len(event.session_id) <= 200 else None


def folder_of(event: HookEvent, environ: Mapping[str, str]) -> Path | None:
    """Return the workspace: the agent's project folder, else the repository around its working folder.

    An agent that names no folder has the hook's working folder.
    """
    working_folder = environ.get(PROJECT_VARIABLE) or event.cwd or os.getcwd()
    if not working_folder or ("\0" not in working_folder and not Path(working_folder).is_dir()):
        return None
    folder = Path(working_folder).resolve()
    if environ.get(PROJECT_VARIABLE):
        return folder
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), folder)


def with_claude_fields(event_fields: dict[str, Any]) -> dict[str, Any]:
    """Return the event with Claude Code's fields. If the fields identify the agent, `agent` is set."""
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


def as_claude_event(event: HookEvent, agent: str) -> HookEvent:
    """Return the event as Claude Code would send it. `sent_name` keeps its original name for the answer."""
    name = _NAMES.get(event.hook_event_name, event.hook_event_name)
    changes: dict[str, Any] = {"hook_event_name": name, "sent_name": event.hook_event_name}
    if event.last_assistant_message is None and isinstance(event.prompt_response, str):
        changes["last_assistant_message"] = event.prompt_response
    if name in ("PostToolUse", "PostToolUseFailure"):
        changes |= _result(event, name)
        changes["tells_status"] = agent not in _WITHOUT_STATUS
        if isinstance(event.tool_input, Mapping) and event.cwd and agent != "claude-code":
            changes["tool_input"] = {"cwd": event.cwd, **event.tool_input}
    return replace(event, **changes)


def takes_before_tools(agent: str) -> bool:
    """Return whether the agent accepts context before it uses a tool. Other agents accept it afterwards."""
    return agent not in ("gemini", "qwen", "cursor")


def context_answer(event: HookEvent, agent: str, text: str) -> dict[str, Any]:
    if agent == "cursor":
        return {"additional_context": text}
    if agent == "copilot":  # it reads no other field, for any event
        return {"additionalContext": text}
    return {"hookSpecificOutput": {"hookEventName": event.sent_name, "additionalContext": text}}


def continuation_answer(agent: str, text: str) -> dict[str, Any]:
    """Return the answer that makes an agent follow the text before it ends its turn."""
    return {"followup_message": text} if agent == "cursor" else {"decision": "block", "reason": text}


def _result(event: HookEvent, name: str) -> dict[str, Any]:
    text, failed = _tool_output(event)
    if text is None:
        return {}
    status = status_at_end(text) or 0
    if status == 0 and not failed and name == "PostToolUse":
        return {"tool_response": text}
    output = without_head(text)
    error = f"Exit code {status}\n{output}" if status else output
    return {"hook_event_name": "PostToolUseFailure", "error": error}


def _tool_output(event: HookEvent) -> tuple[str | None, bool]:
    """Return a tool's output, and whether the tool failed; None for an event in Claude Code's form."""
    response = event.tool_response
    if isinstance(response, Mapping) and "llmContent" in response:
        content = response["llmContent"]
        return (content if isinstance(content, str) else ""), bool(response.get("error"))
    if isinstance(event.tool_result, Mapping):
        content = event.tool_result.get("text_result_for_llm")
        return (content if isinstance(content, str) else ""), event.tool_result.get("result_type") in _FAILED
    if event.hook_event_name == "PostToolUseFailure" and isinstance(event.error, str):
        return (None if status_at_end(event.error) is None else event.error), True
    return None, False
