"""The real Claude Code with our plugin folder, against a scripted model: two sessions, two processes."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from tests.client.installed import npm
from tests.client.scripted_model import ScriptedModel
from tests.editors.conftest import ROOT, AgentProject, StartModel, assert_nothing_is_lost

PLUGIN = ROOT / "editors" / "claude-code"
VERSION = "2.1.197"
TEST = "python3 -m unittest test_letters"
PASSING = f"{TEST} --buffer"
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}


@pytest.fixture(scope="module")
def claude() -> Path:
    return npm("@anthropic-ai/claude-code", VERSION, "claude")


def install(claude: Path, project: AgentProject) -> None:
    """Check the folder as Claude Code does, and install it from itself as a marketplace."""
    for command in (
        ("validate", str(PLUGIN)),
        ("marketplace", "add", str(PLUGIN)),
        ("install", "memory-sidecar@memory-sidecar"),
    ):
        project.run([str(claude), "plugin", *command], **QUIET)


def run(
    claude: Path, project: AgentProject, model: ScriptedModel, prompt: str, *more: str, tool_search: bool = False
) -> str:
    allowed = "mcp__plugin_memory-sidecar_memory-sidecar__file_summary Read Edit Bash(python3:*)"
    return project.run(
        [
            *(str(claude), "-p", prompt, "--allowedTools", allowed),
            *("--output-format", "stream-json", "--verbose", *more),
        ],
        ANTHROPIC_BASE_URL=model.url,
        ANTHROPIC_API_KEY="none",
        ENABLE_TOOL_SEARCH=str(tool_search).lower(),
        MCP_CONNECTION_NONBLOCKING="false",  # a model that answers at once asks before any server has started
        **QUIET,
    )


@pytest.mark.timeout(2_400)
def test_lesson_of_one_session_reaches_the_next(claude: Path, project: AgentProject, model: StartModel) -> None:
    install(claude, project)
    letters = str(project.folder / "letters.py")
    first = model(
        [
            {"tool": "^Read$", "args": {"file_path": letters}},
            {"tool": "^Bash$", "args": {"command": TEST, "description": "run the tests"}},
            {"tool": "^Edit$", "args": {"file_path": letters, "old_string": '"Der"', "new_string": '"Dear"'}},
            {"tool": "^Bash$", "args": {"command": PASSING, "description": "run the tests again"}},
        ]
    )
    run(claude, project, first, "Please always answer in British English. Now make the tests pass.")
    known = project.sidecar("list")
    assert "British English" in known, first.said()[-2000:]
    assert "unittest" in known

    second = model([{"tool": "file_summary$", "args": {"path": "letters.py"}}])
    out = run(claude, project, second, "What is in letters.py?")
    asked = json.dumps(second.turns[-1]["messages"])
    assert "British English" in asked, out[-3000:]
    assert PASSING in asked
    assert "greet13" in asked, "the briefing of the file"
    assert "fileTokens" in asked, "and what the file itself would have cost"


@pytest.mark.timeout(600)
def test_lesson_of_a_killed_session_is_not_lost(claude: Path, project: AgentProject, model: StartModel) -> None:
    install(claude, project)
    letters = str(project.folder / "letters.py")
    said = model(
        [
            {"tool": "^Read$", "args": {"file_path": letters}},
            {"tool": "^Bash$", "args": {"command": TEST, "description": "run the tests"}},
            {"tool": "^Edit$", "args": {"file_path": letters, "old_string": '"Der"', "new_string": '"Dear"'}},
            {"tool": "^Bash$", "args": {"command": PASSING, "description": "run the tests again"}},
            {"tool": "^Bash$", "args": {"command": "sleep 613", "description": "wait"}},
        ]
    )
    project.killed_at = "sleep 613"
    run(claude, project, said, "Please always answer in British English. Now make the tests pass.")
    assert_nothing_is_lost(project, said)


@pytest.mark.timeout(600)
def test_a_sub_agent_is_told_which_files_its_parent_has_in_hand(claude: Path, project: AgentProject) -> None:
    install(claude, project)
    letters = str(project.folder / "letters.py")
    task = {"description": "find callers", "prompt": "SUBTASK of greet", "subagent_type": "general-purpose"}
    script = [{"tool": "^Read$", "args": {"file_path": letters}}, {"tool": "^(Task|Agent)$", "args": task}]
    with closing(ScriptedModel(script, others={"SUBTASK": []})) as said:
        run(claude, project, said, "Who calls greet?")
    first = [json.dumps(turn["messages"]) for turn in said.turns]
    told = [each for each in first if "Files in hand" in each]
    assert told, first
    assert all("SUBTASK" in each and "letters.py \\u2014 Writes letters" in each for each in told)


@pytest.mark.timeout(2_400)
def test_tools_that_a_user_counts_on_are_loaded_before_they_are_searched_for(
    claude: Path, project: AgentProject, model: StartModel
) -> None:
    asked = model([{"tool": "^Read$", "args": {"file_path": str(project.folder / "letters.py")}}])
    run(claude, project, asked, "What is in letters.py?", "--plugin-dir", str(PLUGIN), tool_search=True)
    for request in asked.turns:
        ours = {str(tool["name"]).split("__")[-1] for tool in request["tools"] if "memory-sidecar" in tool["name"]}
        assert ours == {"recall", "remember", "update_memory", "file_summary"}
