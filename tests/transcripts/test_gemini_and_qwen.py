"""Gemini CLI's chats, and Qwen Code's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from sidecar.learning.session_event import SessionEvent
from sidecar.transcripts.discovery import FoundSessions
from tests.transcripts.conftest import Write, said, tools

CHAT = ".gemini/tmp/shop/chats/session-2026-11-22T23-21-032f778f.jsonl"
ABOUT = {"sessionId": "032f778f-8e6f", "projectHash": "0b69", "startTime": "2026-11-22T23:21:32.000Z"}


def message(id: str, kind: str, text: str, **more: object) -> dict[str, object]:
    content: object = [{"text": text}] if kind == "user" else text
    return {"id": id, "timestamp": "2026-11-22T23:21:33.000Z", "type": kind, "content": content, **more}


def call(id: str, status: str, output: str) -> dict[str, object]:
    response = {"functionResponse": {"id": id, "name": "run_shell_command", "response": {"output": output}}}
    return {"id": id, "name": "run_shell_command", "args": {"command": "make"}, "status": status, "result": [response]}


def test_a_gemini_chat_is_read_as_events(write: Write, project: Path, read: Callable[..., list[SessionEvent]]) -> None:
    write(".gemini/tmp/shop/.project_root", [str(project)])
    failed = "Command: make\nDirectory: (root)\nOutput: F\nExit Code: 2\nProcess Group PGID: 7"
    first = message("g1", "gemini", "")
    write(
        CHAT,
        [
            {**ABOUT, "kind": "main"},
            {"$set": {"messages": [message("s", "user", "<session_context>\nToday's date\n</session_context>")]}},
            message("u1", "user", "Use tabs. @a.py\n--- Content from referenced files ---\nnever"),
            {"$set": {"lastUpdated": "2026-11-22T23:21:32.533Z"}},
            message("u0", "user", "/stats"),
            message("h", "user", "<hook_context>&lt;memory-notes&gt;</hook_context>"),
            first,
            {**first, "toolCalls": [{**call("t1", "executing", ""), "result": None}]},
            {**first, "toolCalls": [call("t1", "success", failed)]},
            {**first, "toolCalls": [call("t1", "success", failed), call("t2", "success", "Output: ok")]},
            {"id": "f", "type": "user", "content": [{"functionResponse": {"id": "t1", "response": {}}}]},
            message("g2", "gemini", "All done."),
            {"$rewindTo": "u1"},
            message("u2", "user", "And never push.", displayContent=[{"text": "And NEVER push."}]),
        ],
    )
    events = read()
    assert said(events) == ["Use tabs. @a.py", "And NEVER push."]
    assert said(events, "agent") == ["All done."]
    assert tools(events) == [
        ("run_shell_command", {"command": "make"}, 2, False),
        ("run_shell_command", {"command": "make"}, 0, False),
    ]


def test_a_chat_of_old_is_known_by_its_project_s_digest(
    write: Write, project: Path, found: Callable[..., FoundSessions]
) -> None:
    digest = hashlib.sha256(str(project).encode()).hexdigest()
    rows = [message("u1", "user", "Use tabs.")]
    old = json.dumps({**ABOUT, "projectHash": digest, "messages": rows}, indent=2)
    write(f".gemini/tmp/{digest}/chats/session-2025-11-22T23-21-1.json", [old])
    write(f".qwen/tmp/{digest}/chats/session-2025-11-22T23-21-2.json", [old.replace("032f", "0330")])
    write(".gemini/tmp/other/chats/session-2025-11-22T23-21-3.json", [old.replace(digest, "00").replace("032f", "1")])
    looked = found()
    assert [each.agent for each in looked.here] == ["gemini", "qwen"]
    assert [said(each.events()) for each in looked.here] == [["Use tabs."]] * 2
    assert looked.elsewhere == {"": 1}


def record(kind: str, parts: Sequence[object], folder: Path, **more: object) -> dict[str, object]:
    about = {"uuid": "u1", "sessionId": "9f8e", "timestamp": "2026-05-20T00:00:03Z", "cwd": str(folder)}
    return {**about, "type": kind, "message": {"role": kind, "parts": parts}, **more}


def test_a_qwen_chat_is_read_as_events(write: Write, project: Path, read: Callable[..., list[SessionEvent]]) -> None:
    def text(given: str) -> list[dict[str, object]]:
        return [{"text": given}]

    use = {"functionCall": {"id": "c1", "name": "run_shell_command", "args": {"command": "make"}}}
    answer = {"functionResponse": {"id": "c1", "response": {"error": "Output: F\nExit Code: 2"}}}
    history = {"compressedHistory": [{"role": "user", "parts": text("<state_snapshot>x</state_snapshot>")}]}
    write(
        ".qwen/projects/-work-shop/chats/9f8e.jsonl",
        [
            record("user", text("Use tabs."), project, provenance="real_user"),
            record("user", text("<goal>go on</goal>"), project, provenance="goal_runtime", subtype="goal_runtime"),
            record("user", text("expanded"), project, systemPayload={"displayText": "Never push.", "hookContext": "x"}),
            record("user", text("cron"), project, subtype="cron"),
            record("user", text("Explore."), project, isSidechain=True),
            record("assistant", [{"text": "hm", "thought": True}, *text("I look."), use], project),
            record("tool_result", [answer], project, toolCallResult={"callId": "c1", "status": "error"}),
            record("system", [], project, subtype="chat_compression", systemPayload=history),
        ],
    )
    events = read()
    assert said(events) == ["Use tabs.", "Never push."]
    assert said(events, "agent") == ["I look."]
    assert tools(events) == [("run_shell_command", {"command": "make"}, 2, True)]
    assert said(events, "compaction") == ["<state_snapshot>x</state_snapshot>"]
