"""The documented events of Cursor, and when an event identifies its agent."""

from __future__ import annotations

import json

import pytest

from sidecar.hooks.event import HookEvent, as_claude_event, context_answer, read_event, takes_before_tools
from tests.client.json_value import Json

CURSOR = {
    "conversation_id": "c1",
    "generation_id": "g1",
    "model": "claude-sonnet-4",
    "cursor_version": "2.4.1",
    "workspace_roots": ["/w"],
    "user_email": None,
    "transcript_path": None,
}


def cursor(name: str, **fields: object) -> HookEvent:
    event = read_event(json.dumps({**CURSOR, "hook_event_name": name, **fields}).encode())
    assert event is not None
    assert (event.agent, event.session_id, event.cwd) == ("cursor", "c1", "/w")
    return as_claude_event(event, "cursor")


@pytest.mark.parametrize(
    ("name", "fields", "wanted", "found"),
    [
        ("sessionStart", {"session_id": "c1", "is_background_agent": False}, "SessionStart", {}),
        ("beforeSubmitPrompt", {"prompt": "Fix it", "attachments": []}, "UserPromptSubmit", {"prompt": "Fix it"}),
        (
            "postToolUse",
            {"tool_name": "Read", "tool_input": {"file_path": "a.py"}, "tool_output": "{}", "tool_use_id": "t"},
            "PostToolUse",
            {"tool_name": "Read", "tool_use_id": "t"},
        ),
        (
            "postToolUse",
            {
                "tool_name": "Shell",
                "tool_input": {"command": "npm test", "working_directory": "/w"},
                "tool_output": '{"exitCode":1,"stdout":"1 failed","stderr":"E boom"}',
            },
            "PostToolUse",
            {"tool_response": {"exitCode": 1, "stdout": "1 failed", "stderr": "E boom"}},
        ),
        (
            "postToolUse",
            {"tool_name": "Shell", "tool_input": {}, "tool_output": '{"exitCode":0,"stdout":"ok"}'},
            "PostToolUse",
            {"tool_response": {"exitCode": 0, "stdout": "ok"}},
        ),
        ("postToolUse", {"tool_name": "Shell", "tool_output": "{torn"}, "PostToolUse", {}),
        (
            "postToolUseFailure",
            {"tool_name": "Shell", "tool_input": {}, "error_message": "timed out", "failure_type": "timeout"},
            "PostToolUseFailure",
            {"error": "timed out"},
        ),
        ("postToolUseFailure", {"tool_name": "Shell", "failure_type": "permission_denied"}, "cursor:refused", {}),
        ("afterAgentResponse", {"text": "Done."}, "Said", {"last_assistant_message": "Done."}),
        ("preCompact", {"trigger": "auto", "context_usage_percent": 85}, "PreCompact", {}),
        ("stop", {"status": "completed", "loop_count": 0}, "Stop", {}),
        ("sessionEnd", {"session_id": "c1", "reason": "completed", "duration_ms": 45}, "SessionEnd", {}),
        ("beforeReadFile", {"file_path": "/w/a.py", "content": "secret"}, "cursor:beforeReadFile", {}),
        ("preToolUse", {"tool_name": "Read", "tool_input": {}}, "cursor:preToolUse", {}),
    ],
)
def test_cursor_events_become_ours(name: str, fields: dict[str, Json], wanted: str, found: dict[str, object]) -> None:
    event = cursor(name, **fields)
    assert event.hook_event_name == wanted
    assert {key: getattr(event, key) for key in found} == found
    assert context_answer(event, "cursor", "x") == {"additional_context": "x"}
    assert not takes_before_tools("cursor")


@pytest.mark.parametrize(
    ("fields", "agent"),
    [
        ({"hook_event_name": "Stop", "turn_id": "1"}, "codex"),
        ({"hook_event_name": "BeforeAgent", "timestamp": "2026-11-22T05:00:00Z"}, "gemini"),
        ({"hook_event_name": "SessionStart", "source": "startup"}, None),
        ({"hook_event_name": "Stop", "agent": "cursor"}, None),
    ],
)
def test_an_event_identifies_its_agent(fields: dict[str, object], agent: str | None) -> None:
    event = read_event(json.dumps({"session_id": "s", **fields}).encode())
    assert event is not None
    assert event.agent == agent


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"7",
        b'{"conversation_id": "c"}',
        b'{"conversation_id": 7, "hook_event_name": "stop"}',
        b'{"cursor_version": "2", "hook_event_name": "stop", "workspace_roots": "/w"}',
        b'{"type": "agent-turn-complete"}',
        b'{"type": "agent-turn-complete", "thread-id": 7, "input-messages": 7}',
        b'{"conversation_id": "c", "hook_event_name": "postToolUse", "tool_name": 7}',
        b'{"conversation_id": "c", "hook_event_name": []}',
        b'{"session_id": "s", "hook_event_name": [{}]}',
    ],
)
def test_unknown_shapes_are_no_event(data: bytes) -> None:
    assert read_event(data) is None or read_event(data).hook_event_name.startswith("cursor:")  # type: ignore[union-attr]
