"""The real Codex CLI, set up by `memory-sidecar setup codex`, against a scripted model: two sessions, two processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.client.installed import npm
from tests.client.json_value import Json
from tests.client.scripted_model import ScriptedModel
from tests.editors.conftest import AgentProject, StartModel, assert_nothing_is_lost

VERSION = "0.169.0"
MODEL = "gpt-5.5"  # a name that Codex knows decides which tools it offers; the model is ours
TEST = "python3 -m unittest test_letters"
PASSING = f"{TEST} --buffer"
PATCH = """*** Begin Patch
*** Update File: letters.py
@@
-GREETING = "Der"
+GREETING = "Dear"
*** End Patch
"""
# Codex does not show an MCP server's tools to the models it knows before they are searched for.
SEARCH = {"tool": "^tool_search$", "args": {"query": "remember memory context", "limit": 9}}


@pytest.fixture(scope="module")
def codex() -> Path:
    return npm("@openai/codex", VERSION, "codex")


def run(codex: Path, project: AgentProject, model: ScriptedModel, prompt: str) -> list[dict[str, Json]]:
    provider = f'{{ name = "fake", base_url = "{model.url}/v1", wire_api = "responses" }}'
    out = project.run(
        [
            *(str(codex), "exec", "--json", "--skip-git-repo-check", "-m", MODEL),
            *("-c", "model_provider=fake", "-c", f"model_providers.fake={provider}"),
            *("-c", "mcp_servers.memory-sidecar.required=true"),  # a script is faster than a server's start
            "--dangerously-bypass-approvals-and-sandbox",
            "--dangerously-bypass-hook-trust",  # a person trusts them in /hooks
            prompt,
        ]
    )
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


@pytest.mark.timeout(2_400)
def test_lesson_of_one_session_reaches_the_next(codex: Path, project: AgentProject, model: StartModel) -> None:
    assert "mcp_servers.memory-sidecar" in project.sidecar("setup", "codex", "--yes")
    first = model(
        [
            {"tool": "^exec_command$", "args": {"cmd": TEST}},
            {"tool": "^apply_patch$", "input": PATCH},
            {"tool": "^exec_command$", "args": {"cmd": PASSING}},
            SEARCH,
            {
                "tool": "memory_sidecar__remember$",
                "args": {"content": "Letters are sent on Mondays.", "name": "Mondays"},
            },
        ]
    )
    run(codex, project, first, "Please always answer in British English. Now make the tests pass.")
    known = project.sidecar("list")
    assert "Mondays" in known, first.said()[-3000:]
    assert "British English" in known
    assert "unittest" in known, "the error and its fix"

    second = model(
        [
            SEARCH,
            {"tool": "memory_sidecar__context$", "args": {"prompt": "what is in letters.py", "files": ["letters.py"]}},
        ]
    )
    run(codex, project, second, "What is in letters.py?")
    given = json.dumps(second.turns[0]["input"])
    assert "British English" in given, "by the hook, before the model has asked for anything"
    assert PASSING in given
    asked = json.dumps(second.turns[-1]["input"][-1])
    assert "Letters are sent on Mondays" in asked
    assert "greet13" in asked, "the briefing of the file"
    assert "set up already" in project.sidecar("setup", "codex", "--yes"), "Codex has kept what was written"
    project.sidecar("setup", "codex", "--undo", "--yes")
    assert "not set up" in project.sidecar("setup", "--all").split("Codex CLI")[1].splitlines()[0]


@pytest.mark.timeout(600)
def test_lesson_of_a_killed_session_is_not_lost(codex: Path, project: AgentProject, model: StartModel) -> None:
    project.sidecar("setup", "codex", "--yes")
    said = model(
        [
            {"tool": "^exec_command$", "args": {"cmd": TEST}},
            {"tool": "^apply_patch$", "input": PATCH},
            {"tool": "^exec_command$", "args": {"cmd": PASSING}},
            {"tool": "^exec_command$", "args": {"cmd": "sleep 613"}},
        ]
    )
    project.killed_at = "sleep 613"
    run(codex, project, said, "Please always answer in British English. Now make the tests pass.")
    assert_nothing_is_lost(project, said)
