"""Translate other agents' events to Claude Code's, and our answers back.

The agents differ in the names of events, the field of a tool's result, and the place of a command's exit status, which
is the result's text or, for Codex, only the transcript. An unknown agent is treated like Claude Code. Observed in Codex
0.169, Gemini CLI 0.61, Qwen Code 0.24 and GitHub Copilot CLI 1.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from sidecar.hooks.event import HookEvent
from sidecar.transcripts.lines import status_at_end, without_head

_NAMES = {
    "BeforeAgent": "UserPromptSubmit",
    "AfterTool": "PostToolUse",
    "AfterAgent": "Stop",
    "PreCompress": "PreCompact",
}
_WITHOUT_STATUS = frozenset({"codex"})
_FAILED = frozenset({"failure", "denied", "rejected"})


def as_claude_event(event: HookEvent, agent: str) -> HookEvent:
    """Return the event as Claude Code would send it; `sent_name` keeps its original name for the answer."""
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
    """Return whether the agent accepts context before it uses a tool; other agents accept it afterwards."""
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
    """Return a tool's output and whether the tool failed; None for an event in Claude Code's form."""
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
