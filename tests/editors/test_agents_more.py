"""Other real agents, set up by `memory-sidecar setup`, against a scripted model: two sessions, two processes.

Qwen Code, GitHub Copilot CLI and Continue's `cn`. They cost half a minute of installation and of running, so they are
run where `SIDECAR_TEST_AGENTS` is `all`, not on every landing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

import pytest

from tests.client.installed import npm
from tests.client.scripted_model import ScriptedModel
from tests.editors.conftest import AgentProject, StartModel

TEST = "python3 -m unittest test_letters"
PASSING = f"{TEST} --buffer"
PROMPT = "Please always answer in British English. Now make the tests pass."
MONDAYS = {"content": "Letters are sent on Mondays.", "name": "Mondays"}
ASK = {"prompt": "what is in letters.py", "files": ["letters.py"]}


pytestmark = [
    pytest.mark.timeout(2_400),
    pytest.mark.skipif(
        os.environ.get("SIDECAR_TEST_AGENTS") != "all", reason="set SIDECAR_TEST_AGENTS=all to run these agents"
    ),
]


def was_taught(project: AgentProject, *, by_hooks: bool = True) -> None:
    known = project.sidecar("list")
    assert "Mondays" in known
    if by_hooks:
        assert "British English" in known
        assert "unittest" in known, "the error and its fix"


def was_given(model: ScriptedModel, *, by_hooks: bool = True) -> None:
    first, last = (json.dumps(request["messages"]) for request in (model.turns[0], model.turns[-1]))
    if by_hooks:
        assert "British English" in first, "by the hook, before the model has asked for anything"
        assert PASSING in first
    assert "Letters are sent on Mondays" in last
    assert "greet13" in last, "the briefing of the file"


def test_qwen_code_is_set_up_and_uses_memories(project: AgentProject, model: StartModel) -> None:
    qwen = npm("@qwen-code/qwen-code", "0.24.4", "qwen")
    settings = project.home / ".qwen" / "settings.json"
    settings.parent.mkdir()
    own = {
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    settings.write_text(json.dumps(own))
    project.sidecar("setup", "qwen", "--yes")

    def run(given: ScriptedModel, prompt: str) -> None:
        project.run(
            [str(qwen), "--yolo", "-o", "stream-json", "-p", prompt],
            OPENAI_API_KEY="none",
            OPENAI_BASE_URL=f"{given.url}/v1",
            OPENAI_MODEL="fake",
        )

    letters = str(project.folder / "letters.py")
    shell = {"command": TEST, "description": "run the tests", "is_background": False}

    def ours(tool: str, args: Mapping[str, object]) -> list[dict[str, object]]:
        # Qwen Code shows an MCP server's tools only to a search, and calls them through another tool.
        name = f"mcp__memory-sidecar__{tool}"
        return [
            {"tool": "^tool_search$", "args": {"query": f"select:{name}"}},
            {"tool": "^tool_call$", "args": {"name": name, "arguments": args}},
        ]

    first = model(
        [
            {"tool": "^run_shell_command$", "args": shell},
            {"tool": "^read_file$", "args": {"file_path": letters}},
            {"tool": "^edit$", "args": {"file_path": letters, "old_string": '"Der"', "new_string": '"Dear"'}},
            {"tool": "^run_shell_command$", "args": {**shell, "command": PASSING}},
            *ours("remember", MONDAYS),
        ]
    )
    run(first, PROMPT)
    was_taught(project)
    second = model(ours("context", ASK))
    run(second, "What is in letters.py?")
    was_given(second)
    project.sidecar("setup", "qwen", "--undo", "--yes")
    kept = json.loads(settings.read_text())
    assert {key: kept[key] for key in own} == own
    assert "memory-sidecar" not in settings.read_text()


def test_copilot_is_set_up_and_uses_memories(project: AgentProject, model: StartModel) -> None:
    copilot = npm("@github/copilot", "1.0.102", "copilot")
    project.sidecar("setup", "copilot", "--yes")

    def run(given: ScriptedModel, prompt: str) -> None:
        project.run(
            [str(copilot), "-p", prompt, "--allow-all", "--no-auto-update", "--output-format", "json"],
            COPILOT_PROVIDER_BASE_URL=f"{given.url}/v1",
            COPILOT_MODEL="fake",
            COPILOT_OFFLINE="true",
        )

    letters = str(project.folder / "letters.py")
    fix = {"path": letters, "old_str": '"Der"', "new_str": '"Dear"'}
    first = model(
        [
            {"tool": "^bash$", "args": {"command": TEST, "description": "run the tests"}},
            {"tool": "^view$", "args": {"path": letters}},
            {"tool": "^edit$", "args": fix},
            {"tool": "^bash$", "args": {"command": PASSING, "description": "again"}},
            {"tool": "^memory-sidecar-remember$", "args": MONDAYS},
        ]
    )
    run(first, PROMPT)
    was_taught(project)
    second = model([{"tool": "^memory-sidecar-context$", "args": ASK}])
    run(second, "What is in letters.py?")
    was_given(second)
    project.sidecar("setup", "copilot", "--undo", "--yes")
    left = list((project.home / ".copilot").glob("*.json"))
    assert all("memory-sidecar" not in path.read_text() for path in left)


def test_continue_is_set_up_and_uses_memories(project: AgentProject, model: StartModel) -> None:
    cn = npm("@continuedev/cli", "1.5.47", "cn")
    config = project.home / ".continue" / "config.yaml"
    config.parent.mkdir()

    def run(given: ScriptedModel, prompt: str) -> None:
        text = config.read_text().splitlines()
        at = next(at for at, line in enumerate(text) if "apiBase" in line)
        text[at] = f"    apiBase: {given.url}/v1"
        config.write_text("\n".join(text) + "\n")
        project.run([str(cn), "-p", "--auto", prompt], CONTINUE_TELEMETRY_ENABLED="0")

    own = (
        "name: mine # mine\nversion: 0.0.1\nschema: v1\nmodels:\n  - name: fake\n    provider: openai\n"
        "    model: fake\n    apiBase: none\n    apiKey: none\n    roles: [chat]\n    capabilities: [tool_use]\n"
    )
    config.write_text(own)
    project.sidecar("setup", "continue", "--yes", "--instructions")
    run(first := model([{"tool": "^remember$", "args": MONDAYS}]), PROMPT)
    assert "tool `context`" in first.said(), "the paragraph of instructions"
    was_taught(project, by_hooks=False)
    run(second := model([{"tool": "^context$", "args": ASK}]), "What is in letters.py?")
    was_given(second, by_hooks=False)
    project.sidecar("setup", "continue", "--undo", "--yes")
    assert "memory-sidecar" not in config.read_text()
    assert "# mine" in config.read_text()
