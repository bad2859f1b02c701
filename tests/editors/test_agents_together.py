"""Two real agents at once on one project: claims, a sub-agent, a compaction, and one of them killed in the middle.

opencode with our plugin and our MCP server, each agent with a scripted model of its own. Nothing that was acknowledged
is lost, nothing is there twice, and no sidecar is left behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tests.client.installed import npm
from tests.client.prompt_prefix import blocks
from tests.client.scripted_model import ScriptedModel
from tests.editors import test_agents_opencode as opencode
from tests.editors.conftest import AgentProject

SECONDS = 300
SUMMARY = """Letters were looked at.

## Memory Candidates
- **Grey paper** (project, project): Letters are printed on grey paper.
"""


def until(what: str, found: Callable[[], object], seconds: float = SECONDS) -> object:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.1)
    raise AssertionError(f"{what} did not happen in {seconds:.0f} s")


def sidecars(project: AgentProject) -> list[psutil.Process]:
    """The sidecars that serve this project's home."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        command = process.info["cmdline"] or []
        if "sidecar" in command and ("serve" in command or "mcp" in command):
            with contextlib.suppress(psutil.Error):
                if process.environ().get("HOME") == str(project.home):
                    found.append(process)
    return found


@pytest.fixture
def start(project: AgentProject) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    binary = npm("opencode-ai", opencode.VERSION, "opencode")
    started: list[subprocess.Popen[bytes]] = []

    def begin(model: ScriptedModel, folder: Path, prompt: str) -> subprocess.Popen[bytes]:
        configuration = opencode.configure(project, model)
        (folder / "opencode.json").write_text(json.dumps(configuration))
        with (folder / "out.log").open("wb") as out:
            started.append(
                subprocess.Popen(
                    [str(binary), "run", "--format", "json", "--auto", prompt],
                    cwd=project.folder,
                    env=project.environment(**opencode.QUIET, OPENCODE_CONFIG=str(folder / "opencode.json")),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                )
            )
        return started[-1]

    yield begin
    for process in started:
        for each in tree(process):
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
        process.wait(SECONDS)


def tree(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    try:
        root = psutil.Process(process.pid)
        return [*root.children(recursive=True), root]
    except psutil.NoSuchProcess:
        return []


def results(model: ScriptedModel) -> list[str]:
    """What the tools have answered so far, in the longest conversation."""
    told = [
        [str(part["content"]) for part in request["messages"] if part["role"] == "tool"]
        for request in list(model.requests)
    ]
    return max(told, key=len, default=[])


@pytest.mark.timeout(2_400)
@pytest.mark.skipif(
    os.environ.get("SIDECAR_TEST_AGENTS") != "all", reason="set SIDECAR_TEST_AGENTS=all: it takes about a minute"
)
def test_two_agents_and_one_is_killed(
    project: AgentProject, start: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    letters = str(project.folder / "letters.py")
    claim = {"tool": "session$", "args": {"action": "claim", "item": "letters.py", "workingOn": "letters"}}
    task = {"description": "look", "prompt": "SUBTASK: say what greets.", "subagent_type": "general"}
    remember = {"name": "Stamps", "content": "A stamp for a letter costs 85 cents."}
    first = ScriptedModel(
        [
            claim,
            {"tool": "^read$", "args": {"filePath": letters}},
            {"tool": "remember$", "args": remember},
            {"tool": "^task$", "args": task},
            {"tool": "^bash$", "args": {"command": "sleep 600", "description": "wait"}},
        ],
        others={"SUBTASK": [{"tool": "file_summary$", "args": {"path": "letters.py"}}]},
    )
    second = ScriptedModel(
        [
            claim,
            {"tool": "recall$", "args": {"query": "what does a stamp cost"}},
            {"tool": "context$", "args": {"prompt": "stamps"}, "tokens": 200_000},
        ],
        others={"Continue if you have next steps": [{"tool": "recall$", "args": {"query": "paper"}}]},
        plain=SUMMARY,
    )
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    try:
        one = start(first, folders[0], "Please always answer in British English. Take the letters.")
        until("the sub-agent's end", lambda: len(results(first)) >= 4)
        child = next(request for request in first.requests if "SUBTASK" in json.dumps(request["messages"][-1]))
        system = json.dumps([part for part in child["messages"] if part["role"] == "system"])
        assert "letters.py" in system.split("Files in hand")[-1], "the files that its parent has in hand"

        two = start(second, folders[1], "What do we know of stamps?")
        assert two.wait(SECONDS) == 0, (folders[1] / "out.log").read_text()[-3000:]
        told = second.said()
        assert "is claimed by session" in told, "one of them has it"
        assert "85 cents" in told, "what the other has recorded a moment ago"
        assert one.poll() is None
        assert sidecars(project)

        for process in tree(one):
            with contextlib.suppress(psutil.NoSuchProcess):
                if "opencode" in process.name() or process.pid == one.pid or "node" in process.name():
                    process.kill()
        until("the end of every sidecar", lambda: not sidecars(project))
    finally:
        for model in (first, second):
            model.close()

    found = json.loads(project.sidecar("list", "--json", "--limit", "100"))["items"]
    said = [memory["content"].strip() for memory in found]
    for wanted in ("85 cents", "British English", "grey paper"):
        assert sum(wanted in text for text in said) == 1, (wanted, said)
    assert len(set(said)) == len(said)
    doctor = project.sidecar("doctor")
    assert "damaged" not in doctor

    third = ScriptedModel([])
    try:
        opencode.run(npm("opencode-ai", opencode.VERSION, "opencode"), project, third, "And the letters?")
        shown = blocks(third.turns[-1]["messages"])
        assert len(shown) == 1
        assert all(shown[0].count(wanted) == 1 for wanted in ("85 cents", "grey paper"))
    finally:
        third.close()
    until("the end of every sidecar", lambda: not sidecars(project))
