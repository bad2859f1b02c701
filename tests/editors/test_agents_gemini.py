"""The real Gemini CLI, set up by `memory-sidecar setup`, against a scripted model: two sessions, two processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.client.installed import npm
from tests.client.scripted_model import ScriptedModel
from tests.editors.conftest import AgentProject, StartModel, assert_nothing_is_lost

VERSION = "0.61.0"
TEST = "python3 -m unittest test_letters"
PASSING = f"{TEST} --buffer"


@pytest.fixture(scope="module")
def gemini() -> Path:
    return npm("@google/gemini-cli", VERSION, "gemini")


def run(gemini: Path, project: AgentProject, model: ScriptedModel, prompt: str) -> str:
    return project.run(
        [str(gemini), "-m", "gemini-2.5-pro", "--yolo", "-o", "stream-json", "-p", prompt],
        GEMINI_API_KEY="none",
        GOOGLE_GEMINI_BASE_URL=model.url,
        GEMINI_TELEMETRY_ENABLED="false",
        GEMINI_CLI_TRUST_WORKSPACE="true",
    )


def set_up(project: AgentProject) -> tuple[Path, dict[str, object]]:
    """Settings of a person's own, and ours beside them: the file, and what was in it before."""
    settings = project.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    own = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    }
    settings.write_text(json.dumps(own))
    assert "mcpServers" in project.sidecar("setup", "gemini", "--yes")
    return settings, own


@pytest.mark.timeout(2_400)
def test_lesson_of_one_session_reaches_the_next(gemini: Path, project: AgentProject, model: StartModel) -> None:
    settings, own = set_up(project)
    letters = str(project.folder / "letters.py")
    fix = {"file_path": letters, "old_string": '"Der"', "new_string": '"Dear"', "instruction": "mend it"}
    mondays = {"content": "Letters are sent on Mondays.", "name": "Mondays"}
    first = model(
        [
            {"tool": "^run_shell_command$", "args": {"command": TEST, "description": "run the tests"}},
            {"tool": "^read_file$", "args": {"file_path": "letters.py"}},
            {"tool": "^replace$", "args": fix},
            {"tool": "^run_shell_command$", "args": {"command": PASSING, "description": "again"}},
            {"tool": "memory-sidecar_remember$", "args": mondays},
        ]
    )
    out = run(gemini, project, first, "Please always answer in British English. Now make the tests pass.")
    known = project.sidecar("list")
    assert "Mondays" in known, out[-3000:]
    assert "British English" in known
    assert "unittest" in known, "the error and its fix"

    second = model(
        [{"tool": "memory-sidecar_context$", "args": {"prompt": "what is in letters.py", "files": ["letters.py"]}}]
    )
    run(gemini, project, second, "What is in letters.py?")
    given = json.dumps(second.turns[0]["contents"])
    assert "British English" in given, "by the hook, before the model has asked for anything"
    assert PASSING in given
    assert "At the start of a task call `context`" in second.said(), "the server's own instructions"
    asked = json.dumps(second.turns[-1]["contents"][-1])
    assert "Letters are sent on Mondays" in asked
    assert "greet13" in asked, "the briefing of the file"
    project.sidecar("setup", "gemini", "--undo", "--yes")
    assert json.loads(settings.read_text()) == own


@pytest.mark.timeout(600)
def test_lesson_of_a_killed_session_is_not_lost(gemini: Path, project: AgentProject, model: StartModel) -> None:
    set_up(project)
    letters = str(project.folder / "letters.py")
    said = model(
        [
            {"tool": "^run_shell_command$", "args": {"command": TEST, "description": "run the tests"}},
            {"tool": "^read_file$", "args": {"file_path": "letters.py"}},
            {
                "tool": "^replace$",
                "args": {"file_path": letters, "old_string": '"Der"', "new_string": '"Dear"', "instruction": "mend it"},
            },
            {"tool": "^run_shell_command$", "args": {"command": PASSING, "description": "again"}},
            {"tool": "^run_shell_command$", "args": {"command": "sleep 613", "description": "wait"}},
        ]
    )
    project.killed_at = "sleep 613"
    run(gemini, project, said, "Please always answer in British English. Now make the tests pass.")
    assert_nothing_is_lost(project, said)
