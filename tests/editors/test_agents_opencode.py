"""The real opencode with our plugin, against a scripted model: what one session teaches, the next one is given."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.client.installed import npm, npm_dependency
from tests.client.scripted_model import ScriptedModel
from tests.editors.conftest import ROOT, AgentProject, StartModel, assert_nothing_is_lost

PLUGIN = ROOT / "editors" / "opencode" / "memory-sidecar.ts"
VERSION = "1.18.33"
TEST = "python3 -m unittest test_letters"
PASSING = f"{TEST} --buffer"
QUIET = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}


@pytest.fixture(scope="module")
def opencode() -> Path:
    return npm("opencode-ai", VERSION, "opencode")


def give_types(place: Path) -> None:
    """Put the package of types there that opencode installs anew in each folder with plugins: 30 s of processor."""
    kept = npm_dependency("@opencode-ai/plugin", VERSION)
    place.mkdir(parents=True, exist_ok=True)
    if not (place / "node_modules").exists():
        for name in ("package.json", "package-lock.json"):
            shutil.copy(kept / name, place)
        (place / "node_modules").symlink_to(kept / "node_modules")


def configure(project: AgentProject, model: ScriptedModel) -> dict[str, object]:
    """The plugin in the project, and the configuration of an agent that talks to this model."""
    plugins = project.folder / ".opencode" / "plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    shutil.copy(PLUGIN, plugins)
    for place in (plugins.parent, project.home / ".config" / "opencode"):
        give_types(place)
    options = {"baseURL": f"{model.url}/v1", "apiKey": "none"}
    fake = {"name": "fake", "tool_call": True, "limit": {"context": 100_000, "output": 4_000}}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "Fake", "options": options, "models": {"fake": fake}}
    server = {
        "type": "local",
        "command": [str(project.bin / "memory-sidecar"), "mcp"],
        "enabled": True,
        "timeout": 30_000,
    }
    return {
        "autoupdate": False,
        "share": "disabled",
        "model": "fake/fake",
        "small_model": "fake/fake",
        "enabled_providers": ["fake"],
        "permission": "allow",
        "lsp": False,
        "provider": {"fake": provider},
        "mcp": {"memory-sidecar": server},
    }


def run(opencode: Path, project: AgentProject, model: ScriptedModel, prompt: str, *more: str) -> str:
    (project.folder / "opencode.json").write_text(json.dumps(configure(project, model)))
    return project.run([str(opencode), "run", "--format", "json", "--auto", *more, prompt], **QUIET)


@pytest.mark.timeout(2_400)
def test_lesson_of_one_session_reaches_the_next(opencode: Path, project: AgentProject, model: StartModel) -> None:
    letters = str(project.folder / "letters.py")
    first = model(
        [
            {"tool": "^read$", "args": {"filePath": letters}},
            {"tool": "^bash$", "args": {"command": TEST, "description": "run the tests"}},
            {"tool": "^edit$", "args": {"filePath": letters, "oldString": '"Der"', "newString": '"Dear"'}},
            {"tool": "^bash$", "args": {"command": PASSING, "description": "run the tests again"}},
        ]
    )
    run(opencode, project, first, "Please always answer in British English. Now make the tests pass.")
    known = project.sidecar("list")
    assert "British English" in known
    assert "unittest" in known

    second = model(
        [
            {"tool": "file_summary$", "args": {"path": "letters.py"}},
            {"tool": "^read_summary$", "args": {"path": "letters.py"}},
        ]
    )
    run(opencode, project, second, "What is in letters.py?")
    given = second.said()
    system = json.dumps([part for part in second.turns[-1]["messages"] if part["role"] == "system"])
    assert "British English" in system
    assert PASSING in system
    assert "greet13" in given, "the briefing of the file"
    answers = [part["content"] for part in second.turns[-1]["messages"] if part["role"] == "tool"]
    assert answers
    assert all("lines, about" in str(answer) for answer in answers), answers


@pytest.mark.timeout(600)
def test_lesson_of_a_killed_session_is_not_lost(opencode: Path, project: AgentProject, model: StartModel) -> None:
    letters = str(project.folder / "letters.py")
    said = model(
        [
            {"tool": "^bash$", "args": {"command": TEST, "description": "run the tests"}},
            {"tool": "^read$", "args": {"filePath": letters}},
            {"tool": "^edit$", "args": {"filePath": letters, "oldString": '"Der"', "newString": '"Dear"'}},
            {"tool": "^bash$", "args": {"command": PASSING, "description": "run the tests"}},
            {"tool": "^bash$", "args": {"command": "sleep 613", "description": "wait"}},
        ]
    )
    project.killed_at = "sleep 613"
    run(opencode, project, said, "Please always answer in British English. Now make the tests pass.")
    assert_nothing_is_lost(project, said)
