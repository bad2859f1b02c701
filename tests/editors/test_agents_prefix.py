"""What the sidecar adds to a session stays the same from turn to turn, so that the model's prompt cache holds.

Two turns of one session in two processes of the real agent; between them somebody else records a memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.client.installed import npm
from tests.client.prompt_prefix import begins_alike, blocks
from tests.client.scripted_model import ScriptedModel
from tests.editors import test_agents_claude_code as claude_code
from tests.editors import test_agents_opencode as opencode
from tests.editors.conftest import Project

Model = Callable[[Sequence[dict[str, Any]]], ScriptedModel]


def prepare(project: Project) -> None:
    project.sidecar("record", "Always answer in British English.", "--name", "English", "--type", "user")
    project.sidecar("record", "Letters are sent on Mondays.", "--name", "Mondays")


def between(project: Project) -> None:
    project.sidecar("record", "Never send letters without a stamp.", "--name", "Stamps", "--type", "feedback")


@pytest.mark.timeout(360)
def test_opencode(project: Project, model: Model) -> None:
    binary = npm("opencode-ai", opencode.VERSION, "opencode")
    prepare(project)
    letters = str(project.folder / "letters.py")
    read = {"tool": "^read$", "args": {"filePath": letters}}
    shell = {"tool": "^bash$", "args": {"command": "true", "description": "nothing"}}
    given = model([read, shell, read, shell])
    opencode.run(binary, project, given, "What is in letters.py?")
    between(project)
    opencode.run(binary, project, given, "And when are they sent?", "--continue")
    turns = [request for request in given.requests if request.get("tools")]
    assert len(turns) >= 4
    begins_alike(turns)
    shown = [blocks({"messages": request["messages"]}) for request in turns]
    assert all(len(each) == 1 for each in shown)
    assert len({each[0] for each in shown}) == 1, "the same bytes in every request of the session"
    assert "British English" in shown[0][0]


@pytest.mark.timeout(360)
def test_claude_code(project: Project, model: Model) -> None:
    binary = npm("@anthropic-ai/claude-code", claude_code.VERSION, "claude")
    prepare(project)
    letters = str(project.folder / "letters.py")
    read = {"tool": "^Read$", "args": {"file_path": letters}}
    given = model([read, read, read])
    plugin = ("--plugin-dir", str(claude_code.PLUGIN))
    claude_code.run(binary, project, given, "What is in letters.py?", *plugin)
    between(project)
    claude_code.run(binary, project, given, "And when are they sent?", "--continue", *plugin)
    turns = [request for request in given.requests if request.get("tools")]
    assert len(turns) >= 4
    begins_alike(turns)
    first = blocks(turns[0])
    assert "British English" in first[0]
    for request in turns:
        assert blocks(request)[: len(first)] == first
    last = blocks(turns[-1])
    assert sum("British English" in block for block in last) == 1, "told once in a session"
    assert "without a stamp" in json.dumps(last), "what is new comes with the next prompt"
    assert Path(letters).exists()
