"""Codex CLI's rollouts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from sidecar.learning.session_event import SessionEvent
from sidecar.transcripts.discovery import FoundSessions
from tests.transcripts.conftest import Write, said, tools

NAME = ".codex/sessions/2026/11/22/rollout-2026-11-22T23-21-19-01a2.jsonl"


def line(kind: str, payload: dict[str, object], second: int = 1) -> dict[str, object]:
    return {"timestamp": f"2026-11-22T23:21:{second:02}.000Z", "type": kind, "payload": payload}


def meta(folder: Path, id: str = "01a2", **more: object) -> dict[str, object]:
    about = {"id": id, "timestamp": "2026-11-22T23:21:00.000Z", "cwd": str(folder), "source": "cli"}
    return line("session_meta", about | more)


def message(role: str, *texts: str, **more: object) -> dict[str, object]:
    kind = "output_text" if role == "assistant" else "input_text"
    parts = [{"type": kind, "text": text} for text in texts]
    return line("response_item", {"type": "message", "role": role, "content": parts, **more})


PATCH = "*** Begin Patch\n*** End Patch"


def session(project: Path) -> list[dict[str, object]]:
    """Return a session with everything that Codex writes: its own messages, and calls that failed and succeeded."""
    call = {"type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": "make"})}
    patch = {"type": "custom_tool_call", "name": "apply_patch", "input": PATCH}
    kinds = {"content_item_kinds": ["environments.environment_context", "user.text"]}
    return [
        meta(project),
        message("developer", "<skills_instructions>…</skills_instructions>"),
        message("user", "# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"),
        message("user", "<environment_context>\n<cwd>/work</cwd>\n</environment_context>"),
        message("user", "anything", "Never push.", internal_chat_message_metadata_passthrough=kinds),
        line("event_msg", {"type": "user_message", "message": "Never push."}),
        line("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "x"}),
        line("response_item", {**call, "call_id": "c1"}),
        line("event_msg", {"type": "exec_command_end", "call_id": "c1", "exit_code": 1}),
        line(
            "response_item",
            {
                "type": "function_call_output",
                "call_id": "c1",
                "output": "Chunk ID: 3\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nF\n",
            },
        ),
        line("turn_context", {"cwd": str(project / "web"), "model": "x"}),
        line("response_item", {**call, "call_id": "c2"}),
        line(
            "response_item",
            {
                "type": "function_call_output",
                "call_id": "c2",
                "output": json.dumps({"output": "ok\n", "metadata": {"exit_code": 0}}),
            },
        ),
        line("response_item", {**patch, "call_id": "c3"}),
        line(
            "response_item",
            {
                "type": "custom_tool_call_output",
                "call_id": "c3",
                "output": "apply_patch verification failed: no such line",
            },
        ),
        message("assistant", "All done."),
        line("compacted", {"message": "We did this."}),
        message("user", "# Context from my IDE setup:\n## Open tabs:\n- a\n\n## My request for Codex:\nGo on."),
    ]


def test_words_of_a_codex_session_are_told_by_their_speaker(
    write: Write, project: Path, read: Callable[..., list[SessionEvent]]
) -> None:
    write(NAME, session(project))
    events = read()
    assert said(events) == ["Never push.", "Go on."]
    assert said(events, "agent") == ["All done."]
    assert said(events, "compaction") == ["We did this."]


def test_calls_of_a_codex_session_have_their_folder_and_outcome(
    write: Write, project: Path, read: Callable[..., list[SessionEvent]]
) -> None:
    write(NAME, session(project))
    events = read()
    assert tools(events) == [
        ("exec_command", {"cmd": "make"}, 1, False),
        ("exec_command", {"cwd": str(project / "web"), "cmd": "make"}, 0, False),
        ("apply_patch", PATCH, None, True),
    ]
    assert [event.output for event in events if event.id == "c1"] == ["F\n"]


def test_a_file_of_the_first_versions(write: Write, project: Path, read: Callable[..., list[SessionEvent]]) -> None:
    item = message("user", f"<environment_context>\nCurrent working directory: {project}\n</environment_context>")
    action = {"command": ["bash", "-lc", "make"], "working_directory": "/work"}
    write(
        NAME,
        [
            {"id": "01a2", "timestamp": "2025-06-01T10:00:00Z", "instructions": None},
            item["payload"],
            {"record_type": "state"},
            message("user", "Use tabs.")["payload"],
            {"type": "local_shell_call", "call_id": "c1", "action": action},
            {"type": "function_call_output", "call_id": "c1", "output": "x"},
        ],
    )
    events = read()
    assert said(events) == ["Use tabs."]
    assert tools(events)[0][1] == {"command": action["command"], "workdir": "/work"}
    assert {event.at for event in events} == {1_748_772_000_000}


def test_sub_agents_are_told_by_the_agent(write: Write, project: Path, found: Callable[..., FoundSessions]) -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "01a2", "depth": 1}}}
    write(NAME, [meta(project, source=spawned), message("user", "Explore.")])
    write(NAME.replace("01a2", "01a3"), [meta(project, thread_source="subagent"), message("user", "Explore.")])
    assert found().here == []
