"""Events as the real programs sent them, translated to Claude Code's. Shapes of November 2026, shortened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.engine.journal_line import JournalLine, in_order, tool_line
from sidecar.engine.session_journal import Journal, journal_path
from sidecar.hooks.event import HookEvent, as_claude_event, context_answer, read_event
from sidecar.hooks.transcript import Spoken, assistant_turn, exit_statuses
from tests.client.json_value import Json

OUTPUT = "F\nFAIL: test_greet\n\nFAILED (failures=1)"
FENCED = f"<untrusted_context>\nOutput: {OUTPUT}\nExit Code: 1\nProcess Group PGID: 29382\n</untrusted_context>"
QWEN = (
    f"Command: python3 -m unittest\nDirectory: (root)\nOutput: {OUTPUT}\nError: (none)\nExit Code: 1\n"
    "Signal: (none)\nProcess Group PGID: (none)"
)
COPILOT = f"{OUTPUT}\n<shellId: 0 completed with exit code 1>"
COMMAND = {"command": "python3 -m unittest", "description": "t"}


def said(agent: str, name: str, **fields: object) -> HookEvent:
    event = read_event(
        json.dumps({"hook_event_name": name, "session_id": "s", "cwd": "/w", "model": "m", **fields}).encode()
    )
    assert event is not None
    return as_claude_event(event, agent)


def line_of(event: HookEvent) -> JournalLine | None:
    failed = event.hook_event_name == "PostToolUseFailure"
    return tool_line(
        event.tool_name or "",
        event.tool_input,
        event.error if failed else event.tool_response,
        event.tool_use_id,
        failed=failed,
        tells_status=event.tells_status,
    )


@pytest.mark.parametrize(
    ("agent", "name", "wanted"),
    [
        ("gemini", "BeforeAgent", "UserPromptSubmit"),
        ("gemini", "AfterAgent", "Stop"),
        ("gemini", "PreCompress", "PreCompact"),
        ("codex", "SessionStart", "SessionStart"),
        ("claude-code", "Stop", "Stop"),
    ],
)
def test_events_and_answers_have_each_agents_names(agent: str, name: str, wanted: str) -> None:
    event = said(agent, name, prompt_response="Done.")
    assert event.hook_event_name == wanted
    assert event.last_assistant_message == "Done."
    assert context_answer(event, agent, "x") == {
        "hookSpecificOutput": {"hookEventName": name, "additionalContext": "x"}
    }
    assert context_answer(event, "copilot", "x") == {"additionalContext": "x"}


@pytest.mark.parametrize(
    ("agent", "name", "fields"),
    [
        (
            "gemini",
            "AfterTool",
            {"tool_name": "run_shell_command", "tool_response": {"llmContent": FENCED, "returnDisplay": OUTPUT}},
        ),
        ("qwen", "PostToolUseFailure", {"tool_name": "run_shell_command", "error": QWEN, "is_interrupt": False}),
        (
            "copilot",
            "PostToolUse",
            {"tool_name": "Bash", "tool_result": {"result_type": "success", "text_result_for_llm": COPILOT}},
        ),
        ("claude-code", "PostToolUseFailure", {"tool_name": "Bash", "error": f"Exit code 1\n{OUTPUT}"}),
    ],
)
def test_a_failed_command_becomes_a_failure_with_its_status(agent: str, name: str, fields: dict[str, Json]) -> None:
    event = said(agent, name, tool_input=COMMAND, **fields)
    line = line_of(event)
    assert line is not None
    assert line.exit == 1
    assert line.given["command"] == COMMAND["command"]
    assert line.output is not None
    assert line.output.startswith(f"Exit code 1\n{OUTPUT}")


@pytest.mark.parametrize(
    ("agent", "name", "fields"),
    [
        (
            "gemini",
            "AfterTool",
            {
                "tool_name": "run_shell_command",
                "tool_response": {"llmContent": "<untrusted_context>\nOutput: .\nOK\n</untrusted_context>"},
            },
        ),
        (
            "qwen",
            "PostToolUse",
            {"tool_name": "run_shell_command", "tool_response": {"llmContent": QWEN.replace("Code: 1", "Code: 0")}},
        ),
        (
            "copilot",
            "PostToolUse",
            {
                "tool_name": "Bash",
                "tool_result": {"result_type": "success", "text_result_for_llm": COPILOT.replace("code 1", "code 0")},
            },
        ),
    ],
)
def test_a_successful_command_has_its_output_as_response(agent: str, name: str, fields: dict[str, object]) -> None:
    line = line_of(said(agent, name, tool_input=COMMAND, **fields))
    assert line is not None
    assert line.exit == 0
    assert line.output is None


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ({"exit_code": 2}, 2),
        ({"exitCode": 2}, 2),
        ({"metadata": {"exit": 2}}, 2),
        ({"metadata": {"exitCode": "2"}}, 2),
        ({"isError": True}, 1),
        ({"exit_code": None}, 0),
        ({"exit_code": 0}, 0),
    ],
)
def test_a_status_inside_the_response_counts(told: dict[str, object], status: int) -> None:
    line = line_of(said("claude-code", "PostToolUse", tool_name="Bash", tool_input=COMMAND, tool_response=told))
    assert line is not None
    assert line.exit == status


@pytest.mark.parametrize(
    ("agent", "name", "fields"),
    [
        (
            "gemini",
            "AfterTool",
            {
                "tool_name": "replace",
                "tool_input": {"file_path": "/w/a.py", "old_string": "x"},
                "tool_response": {"llmContent": "Successfully modified", "returnDisplay": {"fileDiff": "..."}},
            },
        ),
        (
            "codex",
            "PostToolUse",
            {
                "tool_name": "apply_patch",
                "tool_input": {"command": "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch\n"},
                "tool_response": "Exit code: 0\nOutput:\nSuccess.",
            },
        ),
        (
            "copilot",
            "PostToolUse",
            {
                "tool_name": "Edit",
                "tool_input": {"path": "/w/a.py", "command": "str_replace"},
                "tool_result": {"result_type": "success", "text_result_for_llm": "updated"},
            },
        ),
    ],
)
def test_an_edit_is_read_from_each_dialect(agent: str, name: str, fields: dict[str, object]) -> None:
    line = line_of(said(agent, name, **fields))
    assert line is not None
    assert line.tool == "Edit"
    assert [path.removeprefix("/w/") for path in line.given["paths"]] == ["a.py"]
    assert line.given["cwd"] == "/w"
    assert not line.refused


@pytest.mark.parametrize(
    "name", ["mcp__memory_sidecar__remember", "mcp_memory-sidecar_remember", "memory-sidecar-remember"]
)
def test_our_own_tools_teach_nothing(name: str) -> None:
    event = said("codex", "PostToolUse", tool_name=name, tool_input={"content": "x"}, tool_response={})
    assert line_of(event) is None


@pytest.fixture
def rollout(tmp_path: Path) -> Path:
    path = tmp_path / "rollout.jsonl"
    outputs = {"c1": "Chunk ID: 1\nWall time: 0.2 seconds\nProcess exited with code 1\nOutput:\nF\n", "c2": "no"}
    items = [
        {"type": "response_item", "payload": {"call_id": call, **payload}}
        for call, output in outputs.items()
        for payload in (
            {"type": "function_call", "name": "exec_command", "arguments": "{}"},
            {"type": "function_call_output", "output": output},
        )
    ]
    path.write_text("".join(json.dumps(item) + "\n" for item in [{"type": "session_meta"}, *items]))
    return path


def test_codex_tells_the_status_only_in_its_transcript(tmp_path: Path, rollout: Path) -> None:
    assert exit_statuses(str(rollout), "codex") == {"c1": 1}
    journal = Journal(journal_path(tmp_path, tmp_path, "s"), "s")
    for call in ("c1", "c2", "c3"):
        event = said(
            "codex", "PostToolUse", tool_name="Bash", tool_input=COMMAND, tool_response=OUTPUT, tool_use_id=call
        )
        line = line_of(event)
        assert line is not None
        assert line.exit is None, "unknown is not success"
        journal.write(line)
    journal.write(JournalLine("status", call="c1", exit=1))
    journal.write(JournalLine("status", call="c2", exit=0))
    fresh = journal.read()[1]
    assert [(line.exit, line.open, line.output) for line in fresh] == [
        (1, False, OUTPUT),
        (0, False, None),
        (None, True, OUTPUT),
    ]


def test_the_last_message_of_copilot_is_read(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    rows = [("assistant.message", "Old."), ("user.message", "Next?"), ("assistant.message", "New.")]
    path.write_text("".join(json.dumps({"type": kind, "data": {"content": text}}) + "\n" for kind, text in rows))
    assert assistant_turn(str(path), "copilot") == [Spoken("New.", ())]


def test_messages_of_claude_are_split_at_its_calls(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"

    def part(kind: str, **fields: object) -> dict[str, object]:
        return {"type": "assistant", "message": {"content": [{"type": kind, **fields}]}}

    results = [
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": call}]}} for call in ("a", "b")
    ]
    rows = [
        part("text", text="Of an earlier turn."),
        {"type": "user", "message": {"content": "Why?"}},
        part("text", text="First."),
        part("thinking", thinking="hm"),
        part("text", text="Second."),
        part("tool_use", id="a", name="Read"),
        part("tool_use", id="b", name="Read"),
        *results,
        part("text", text="  "),
        part("text", text="Third."),
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert assistant_turn(str(path), "claude-code") == [Spoken("First.\nSecond.", ()), Spoken("Third.", ("a", "b"))]
    path.write_text(json.dumps(part("text", text="x" * 30_000)) + "\n")
    assert [len(one.text) for one in assistant_turn(str(path), "claude-code")] == [20_000]


def test_messages_stand_where_they_were_said() -> None:
    lines = [
        JournalLine("user"),
        JournalLine("tool", call="a"),
        JournalLine("tool", call="b"),
        JournalLine("assistant", text="no more known", call="gone"),
        JournalLine("assistant", text="after a", call="a"),
        JournalLine("assistant", text="after a, too", call="a"),
        JournalLine("assistant", text="at the end"),
    ]
    ordered = in_order(lines)
    assert [line.text or line.call for line in ordered] == [
        None,
        "a",
        "after a",
        "after a, too",
        "b",
        "no more known",
        "at the end",
    ]


def test_an_empty_prompt_opens_no_store(hook: Callable[..., str], environ: dict[str, str]) -> None:
    assert hook("UserPromptSubmit", prompt="") == ""
    assert not list(Path(environ["XDG_DATA_HOME"]).rglob("*.db"))
