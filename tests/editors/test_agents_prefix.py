"""What users of such tools complain of, looked for in what real agents send to their model.

A prompt that changes from turn to turn, so that the model's prompt cache does not hold; calls of the model that nobody
asked for; what another project is about; memories of nothing. Two turns of one session in two processes of the agent;
between them somebody else records a memory.
"""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.client.installed import npm
from tests.client.prompt_prefix import begins_alike, blocks
from tests.client.scripted_model import ScriptedModel
from tests.editors import test_agents_claude_code as claude_code
from tests.editors import test_agents_opencode as opencode
from tests.editors.conftest import AgentProject, StartModel


def prepare(project: AgentProject) -> None:
    project.sidecar("record", "Always answer in British English.", "--name", "English", "--type", "user")
    project.sidecar("record", "Letters are sent on Mondays.", "--name", "Mondays")
    other = project.folder.with_name("other")
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    elsewhere = ("--workspace", str(other))
    project.sidecar("record", "Letters are sealed with wax.", "--name", "Wax", *elsewhere)
    project.sidecar("record", "Letters are signed.", "--name", "Mine", "--scope", "personal", *elsewhere)


def nothing_else(project: AgentProject, model: ScriptedModel) -> None:
    said = model.said()
    assert "wax" not in said, "that is another project"
    assert "are signed" not in said, "personal, and of another project"
    found = json.loads(project.sidecar("list", "--json"))["items"]
    assert sorted(memory["name"] for memory in found) == ["English", "Mondays", "Stamps"], "nothing was to be learned"


def between(project: AgentProject) -> None:
    project.sidecar("record", "Never send letters without a stamp.", "--name", "Stamps", "--type", "feedback")


@pytest.mark.timeout(2_400)
def test_opencode_keeps_the_prefix_of_its_prompts(project: AgentProject, model: StartModel) -> None:
    binary = npm("opencode-ai", opencode.VERSION, "opencode")
    prepare(project)
    letters = str(project.folder / "letters.py")
    read = {"tool": "^read$", "args": {"filePath": letters}}
    shell = {"tool": "^bash$", "args": {"command": "true", "description": "nothing"}}
    given = model([read, shell, read, shell])
    opencode.run(binary, project, given, "What is in letters.py?")
    between(project)
    opencode.run(binary, project, given, "And when are they sent?", "--continue")
    turns = given.turns
    begins_alike(turns)
    shown = [blocks(request["messages"]) for request in turns]
    assert all(len(each) == 1 for each in shown)
    assert len({each[0] for each in shown}) == 1, "the same bytes in every request of the session"
    assert "British English" in shown[0][0]
    assert len(turns) == 6, "what the script has, and the end of each turn: nobody else asks the model"
    nothing_else(project, given)


@pytest.mark.timeout(2_400)
def test_claude_code_keeps_the_prefix_of_its_prompts(project: AgentProject, model: StartModel) -> None:
    binary = npm("@anthropic-ai/claude-code", claude_code.VERSION, "claude")
    prepare(project)
    letters = str(project.folder / "letters.py")
    read = {"tool": "^Read$", "args": {"file_path": letters}}
    given = model([read, read, read])
    plugin = ("--plugin-dir", str(claude_code.PLUGIN))
    claude_code.run(binary, project, given, "What is in letters.py?", *plugin)
    between(project)
    claude_code.run(binary, project, given, "And when are they sent?", "--continue", *plugin)
    turns = given.turns
    begins_alike(turns)
    first = blocks(turns[0]["messages"], turns[0].get("system"))
    assert "British English" in first[0]
    for request in turns:
        assert blocks(request["messages"], request.get("system"))[: len(first)] == first
    last = blocks(turns[-1]["messages"], turns[-1].get("system"))
    assert sum("British English" in block for block in last) == 1, "told once in a session"
    assert "without a stamp" in json.dumps(last), "what is new comes with the next prompt"
    assert len(turns) == 5, "what the script has, and the end of each turn: nobody else asks the model"
    nothing_else(project, given)
