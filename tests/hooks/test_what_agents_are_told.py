"""What hooks put in front of an agent: at its start, before it reads or changes a file, before a compaction."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

import pytest

from sidecar.hooks.front import CLAUDE, respond
from sidecar.hooks.run import HookProgress
from sidecar.text.tokens import estimate
from tests.conftest import Spawn
from tests.hooks.conftest import Hook, command

CODE = '''"""Retries calls."""


def retry_twice(call):
    """Call once more when the first answer is false."""
    return call() or call()
''' + "".join(f"\n\ndef part_{n}(value):\n    return value * {n}\n" for n in range(60))

FACT = "`retry_twice` calls the given function once more when its first answer is false, so a write may happen twice."


RunSidecar = Callable[..., str]


class ToolUse(TypedDict):
    tool_name: str
    tool_input: dict[str, str]


class SubAgent(TypedDict):
    agent_id: str
    agent_type: str


class CursorSession(TypedDict):
    conversation_id: str
    workspace_roots: list[str]
    cursor_version: str


@pytest.fixture
def sidecar(folder: Path, environ: dict[str, str]) -> RunSidecar:
    return partial(command, folder, environ)


@pytest.fixture
def observe(folder: Path, spawn: Spawn, environ: dict[str, str]) -> Callable[[str, str], None]:
    """Return a function that records a note on a file through a server on the same store."""

    def say(path: str, text: str) -> None:
        client = spawn(cwd=folder, env=environ, ignore=("window/logMessage",))
        client.initialize(folder)
        found = client.call("file/observe", {"sessionId": "s", "text": text, "paths": [path]})
        assert [facet["text"] for facet in found["facets"]] == [text]
        client.kill()

    return say


def test_a_session_begins_with_memories_and_what_to_know_besides(hook: Hook, sidecar: RunSidecar) -> None:
    sidecar("record", "Run the linter before you commit.", "--category", "directive")
    sidecar("record", "The release is blocked by the broken mirror.", "--category", "blocker")
    hook("SessionStart", session="s1", source="startup")
    first = hook("SessionStart", session="s2", source="startup")
    assert first.count("Run the linter") == 1
    assert first.count("broken mirror") == 1
    assert "claude-code, session s1" in first
    assert "session s2" not in first
    assert estimate(first) <= 3_000
    assert hook("SessionStart", session="s2", source="compact") == first, "the same bytes while nothing changed"


def test_file_notes_are_given_once_and_never_block(
    hook: Hook, folder: Path, sidecar: RunSidecar, observe: Callable[[str, str], None]
) -> None:
    (folder / "retry.py").write_text(CODE)
    read: ToolUse = {"tool_name": "Read", "tool_input": {"file_path": str(folder / "retry.py")}}
    edit: ToolUse = {"tool_name": "Edit", "tool_input": {"file_path": str(folder / "retry.py"), "old_string": "a"}}
    assert hook("PreToolUse", **read) == "", "nothing is known yet"
    observe("retry.py", FACT)
    told = hook("PreToolUse", session="s2", **read)
    assert FACT in told
    assert hook("PreToolUse", session="s2", **read) == "", "once a session and file"

    sidecar("record", "Never call `retry_twice` of retry.py around a payment.", "--category", "directive")
    sidecar("record", "`part_7` of retry.py was wrong once: it must multiply.", "--type", "feedback")
    told = hook("PreToolUse", session="s2", **edit)
    assert told.index("around a payment") < told.index("must multiply")
    assert told.count("</memory-notes>") == 1
    assert estimate(told) <= 700
    assert hook("PreToolUse", session="s2", **edit) == ""

    (folder / "retry.py").write_text(CODE.replace("call() or call()", "call()"))
    told = hook("PreToolUse", session="s3", **edit)
    assert FACT not in told, "learned of another content"
    assert "older version" in told
    raw = json.loads(hook.raw("PreToolUse", session="s4", **edit))
    assert set(raw["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}, "no word on permission"


def test_a_sub_agent_is_told_which_files_its_parent_has_in_hand(hook: Hook, folder: Path) -> None:
    (folder / "retry.py").write_text(CODE)
    (folder / "other.py").write_text('"""Writes letters."""\n')
    hook("SessionStart", source="startup")
    about: SubAgent = {"agent_id": "a1", "agent_type": "Explore"}
    assert hook("SubagentStart", **about) == ""  # nothing was read yet
    for name in ("retry.py", "other.py"):
        given = {"file_path": str(folder / name)}
        hook("PostToolUse", tool_name="Read", tool_input=given, tool_use_id=name, tool_response="")
    told = hook("SubagentStart", **about)
    assert told.index("other.py — Writes letters") < told.index("retry.py — Retries calls")
    hook("Stop")  # learned from by now
    assert hook("SubagentStart", **about) == told
    assert hook("SubagentStart", session="another", **about) == ""
    env = {"MEMORY_SIDECAR_MEMORY_INJECT_ABOUT_FILES": "false"}
    assert hook("SubagentStart", env=env, **about) == ""


def test_a_sub_agent_is_told_what_fits_its_task_and_its_type(hook: Hook, sidecar: RunSidecar, tmp_path: Path) -> None:
    for text in (
        "Database migrations are written by hand in SQL, never generated.",
        "The colour of the logo is dark green.",
    ):
        sidecar("record", text)
    sidecar("record", "Findings are listed by severity, worst first.", "--agent", "reviewer", "--category", "directive")
    hook("SessionStart", source="startup")
    hook("UserPromptSubmit", prompt="Change the colour of the logo in the header.")
    assert "dark green" in hook("SubagentStart", agent_id="a1", agent_type="Explore"), "by what the user asked last"

    transcript = tmp_path / "parent.jsonl"
    asked = {"subagent_type": "reviewer", "description": "Review", "prompt": "Review the database migrations."}
    done = {**asked, "prompt": "Review the logo and its colour."}
    blocks: list[dict[str, Any]] = [
        {"type": "tool_use", "id": "1", "name": "Task", "input": done},
        {"type": "tool_result", "tool_use_id": "1", "content": "It is fine."},
        {"type": "tool_use", "id": "2", "name": "Task", "input": asked},
        {"type": "tool_use", "id": "3", "name": "Bash", "input": {"command": "true"}},
    ]
    lines = [json.dumps({"type": "assistant", "message": {"content": [block]}}) for block in blocks]
    transcript.write_text("\n".join(["garbage", '{"message": {"content": "text"}}', *lines]) + "\n")
    about: dict[str, Any] = {"agent_id": "a2", "transcript_path": str(transcript)}
    told = hook("SubagentStart", agent_type="reviewer", **about)
    assert "written by hand" in told
    assert "worst first" in told
    assert "dark green" not in told
    other = hook("SubagentStart", agent_type="Explore", **about)
    assert "worst first" not in other, "another type's"


def test_files_elsewhere_and_small_or_new_ones_cost_no_store(
    folder: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "elsewhere.py").write_text(CODE)
    (folder / "link.py").symlink_to(tmp_path / "elsewhere.py")

    def told(given: object) -> bytes:
        event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(folder), "tool_name": "Read"}
        return respond(json.dumps({**event, "tool_input": given}).encode(), environ, CLAUDE, HookProgress())

    for path in (folder / "a.py", tmp_path / "elsewhere.py", folder / "link.py", folder, folder / "new.py"):
        assert told({"file_path": str(path)}) == b""
    for given in ({}, {"file_path": 7}, {"file_path": "a\0b"}, {"file_path": "x" * 5_000}, None):
        assert told(given) == b""
    assert not list(Path(environ["XDG_DATA_HOME"]).glob("memory-sidecar/workspaces"))


def test_notes_can_be_switched_off(hook: Hook, folder: Path, sidecar: RunSidecar) -> None:
    (folder / "retry.py").write_text(CODE)
    sidecar("record", "Never call `retry_twice` of retry.py around a payment.", "--category", "directive")
    edit: ToolUse = {"tool_name": "Edit", "tool_input": {"file_path": "retry.py"}}
    off = {"MEMORY_SIDECAR_MEMORY_INJECT_ABOUT_FILES": "false"}
    assert hook("PreToolUse", env=off, **edit) == ""
    assert "payment" in hook("PreToolUse", **edit)


def test_agents_that_take_nothing_before_a_tool_are_told_after_it(
    hook: Hook, folder: Path, sidecar: RunSidecar
) -> None:
    (folder / "retry.py").write_text(CODE)
    sidecar("record", "Never call `retry_twice` of retry.py around a payment.", "--category", "directive")
    read: ToolUse = {"tool_name": "read_file", "tool_input": {"file_path": "retry.py"}}
    assert hook.raw("BeforeTool", "--agent", "gemini", **read) == ""
    answer = {"llmContent": "x", "returnDisplay": "x"}
    told = json.loads(hook.raw("AfterTool", "--agent", "gemini", **read, tool_response=answer))
    assert told["hookSpecificOutput"]["hookEventName"] == "AfterTool"
    assert "payment" in told["hookSpecificOutput"]["additionalContext"]
    cursor: CursorSession = {"conversation_id": "c1", "workspace_roots": [str(folder)], "cursor_version": "2.4.1"}
    start = json.loads(hook.raw("sessionStart", **cursor))
    assert set(start) == {"additional_context"}
    told = json.loads(hook.raw("postToolUse", **cursor, **read, tool_output="{}"))
    assert "payment" in told["additional_context"]
    assert hook.raw("beforeSubmitPrompt", **cursor, prompt="What of payments?") == ""
    assert hook.raw("beforeReadFile", **cursor, file_path="retry.py", content="x") == ""


def test_a_summary_is_asked_for_candidates_and_they_wait(hook: Hook, sidecar: RunSidecar, tmp_path: Path) -> None:
    hook("UserPromptSubmit", prompt="Please always use pnpm rather than npm in this project.")
    asked = hook.raw("PreCompact", trigger="auto", custom_instructions="")
    assert "## Memory Candidates" in asked
    assert "pnpm" in sidecar("list", "--json"), "what was learned is stored before"
    assert hook.raw("PreCompact", "--agent", "codex", trigger="auto") == ""
    transcript = tmp_path / "transcript.jsonl"
    candidate = "- **Port** (project, project): The server listens on port 8321."
    summary = f"We did things.\n\n## Memory Candidates\n\n{candidate}\n"
    entry = {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": summary}}
    transcript.write_text(json.dumps(entry) + "\n")
    hook("SessionStart", source="compact", transcript_path=str(transcript))
    assert "port 8321" in sidecar("review", "--json")
