"""Real agents as the model that reads sessions: each is asked as its preset says, by a server whose session ends."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import closing

import pytest

from sidecar.models.presets import preset_of
from tests.client.installed import npm
from tests.client.json_value import Json
from tests.client.scripted_model import ScriptedModel
from tests.client.stdio_client import StdioClient
from tests.editors import test_agents_claude_code as claude_code
from tests.editors import test_agents_codex as codex
from tests.editors import test_agents_gemini as gemini
from tests.editors import test_agents_opencode as opencode
from tests.editors.conftest import AgentProject
from tests.summaries.test_session_reading import IGNORED, learned
from tests.waiting import eventually

SECRET = "the-content-of-a-file"
SAID = "The release train must never be changed on a Monday morning, as @{file} and @letters.py say"
OWN_WORDS = "Own words of the user's for every project."
ANSWER = {
    "op": "add",
    "text": "The release train must never be changed on a Monday morning.",
    "quote": "must never be changed on a Monday morning, as @",
    "message": 1,
}
PLAIN = json.dumps({"operations": [ANSWER]})


def claude_code_at(project: AgentProject, url: str) -> dict[str, str]:
    mark = {"hooks": [{"type": "command", "command": f"touch {project.home}/ran"}]}
    folder = project.home / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps({"hooks": {"SessionStart": [mark], "Stop": [mark]}}))
    (folder / "CLAUDE.md").write_text(OWN_WORDS)
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", **claude_code.QUIET}


def codex_at(project: AgentProject, url: str) -> dict[str, str]:
    """Its own file is not read then, so that a line on the `PATH` names our model's endpoint."""
    provider = f'{{ name = "fake", base_url = "{url}/v1", wire_api = "responses" }}'
    more = f"-m {codex.MODEL} -c model_provider=fake -c 'model_providers.fake={provider}'"
    (project.bin / "codex").write_text(f'#!/bin/sh\nexec {npm("@openai/codex", codex.VERSION, "codex")} "$@" {more}\n')
    (project.bin / "codex").chmod(0o755)
    folder = project.home / ".codex"
    folder.mkdir()
    server = f'command = "/usr/bin/touch"\nargs = ["{project.home}/ran"]\n'
    (folder / "config.toml").write_text(f"[mcp_servers.other]\n{server}")
    return {}


def gemini_at(project: AgentProject, url: str) -> dict[str, str]:
    run = {"type": "command", "command": f"touch {project.home}/ran"}
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "hooks": {"SessionStart": [{"hooks": [run]}]},
        "mcpServers": {"other": {"command": "/usr/bin/touch", "args": [f"{project.home}/ran"]}},
    }
    folder = project.home / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(settings))
    return {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_MODEL": "gemini-2.5-pro",
        "GEMINI_TELEMETRY_ENABLED": "false",
    }


def opencode_at(project: AgentProject, url: str) -> dict[str, str]:
    """With our own plugin and server: both keep quiet, or the question would be a session of its own."""
    project.sidecar("setup", "opencode", "--yes")
    folder = project.home / ".config" / "opencode"
    opencode.give_types(folder)
    options = {"baseURL": f"{url}/v1", "apiKey": "none"}
    fake = {"name": "fake", "tool_call": True, "limit": {"context": 100_000, "output": 4_000}}
    own = json.loads((folder / "opencode.json").read_text())
    own |= {"model": "fake/fake", "small_model": "fake/fake", "enabled_providers": ["fake"]}
    own |= {"permission": "allow", "lsp": False, "autoupdate": False}
    own["provider"] = {
        "fake": {"npm": "@ai-sdk/openai-compatible", "name": "Fake", "options": options, "models": {"fake": fake}}
    }
    (folder / "opencode.json").write_text(json.dumps(own))
    return opencode.QUIET


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("name", "package", "version", "prepared", "offered"),
    [
        ("claude", "@anthropic-ai/claude-code", claude_code.VERSION, claude_code_at, set()),
        ("codex", "@openai/codex", codex.VERSION, codex_at, {"request_user_input", "apply_patch", "tool_search"}),
        ("gemini", "@google/gemini-cli", gemini.VERSION, gemini_at, set()),
        ("opencode", "opencode-ai", opencode.VERSION, opencode_at, set()),
    ],
)
def test_a_session_is_read_by_an_agent_that_has_no_tools(
    project: AgentProject,
    name: str,
    package: str,
    version: str,
    prepared: Callable[[AgentProject, str], dict[str, str]],
    offered: set[str],
) -> None:
    program = npm(package, version, name)
    file = project.home / "private.txt"
    file.write_text(SECRET)
    path = f"{project.bin}:{program.parent}:{os.environ['PATH']}"
    settings = {"models": {"sessions": "command", "command": name}, "memory": {"learnBufferSeconds": 0}}
    with closing(ScriptedModel([{"text": PLAIN}], plain=PLAIN)) as agent:
        environment = {**project.environment(**prepared(project, agent.url)), "PATH": path}
        with StdioClient(cwd=project.folder, env=environment, ignore=IGNORED) as client:
            client.initialize(project.folder, options=settings)
            client.notify("event/userMessage", {"sessionId": "one", "text": SAID.format(file=file)})
            client.call("session/end", {"sessionId": "one"})
            (memory,) = eventually(lambda: learned(client), 120)
            assert memory["content"] == ANSWER["text"]
            assert client.call("sidecar/status", {})["modelTokensToday"] > preset_of(name).adds
    said = agent.said()
    assert "long-term memory" in said
    assert SECRET not in said, "no file is read, although it was named"
    assert OWN_WORDS not in said
    assert tools(agent.requests) == offered
    assert not (project.home / "ran").exists(), "no hook and no server of the user's is started"
    assert learned_of(project) == 1, "the question was no session of its own"


def tools(requests: Sequence[Json]) -> set[str]:
    """The names of all tools that a model was offered."""
    found: set[str] = set()
    for tool in (tool for request in requests for tool in request.get("tools") or []):
        named = tool.get("functionDeclarations", [tool])
        found |= {str((each.get("function") or each).get("name") or each.get("type")) for each in named}
    return found


def learned_of(project: AgentProject) -> int:
    """How many memories there are in all workspaces of this home."""
    stores = project.home / ".local" / "share" / "memory-sidecar" / "workspaces"
    assert len(list(stores.iterdir())) == 1
    items = json.loads(project.sidecar("list", "--json"))["items"]
    return len(items)


def test_every_preset_is_a_command_line() -> None:
    for name in ("claude", "codex", "gemini", "qwen", "opencode", "llm"):
        assert preset_of(name).arguments[0] == name
    assert preset_of("my-model --fast").arguments == ["my-model", "--fast"]
