"""Fixtures for tests with real agents: a scripted model on loopback, a project, and a fresh home.

The agents come from npm and are installed once, outside of the repository (`tests.client.installed`). They are
started with an environment of their own and no key.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tests.client.learning_processes import wait_for_learning_processes
from tests.client.model_dialects import Step
from tests.client.scripted_model import ScriptedModel
from tests.client.stdio_client import StdioClient

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 400

FAILING = textwrap.dedent(
    """\
    import sys
    import unittest

    from letters import greet

    if "--buffer" not in sys.argv:
        raise RuntimeError("these tests print: run them with --buffer")


    class Greeting(unittest.TestCase):
        def test_greet(self):
            self.assertEqual(greet("Ada"), "Dear Ada")
    """
)
LETTERS = '"""Writes letters."""\n\nGREETING = "Der"\n\n\n' + "\n\n".join(
    f'def greet{n or ""}(name: str) -> str:\n    """Greet somebody, form {n}."""\n'
    f'    text = f"{{GREETING}} {{name}}"\n    if {n} > 1:\n        text = text.upper()\n    return text\n'
    for n in range(14)
)


@dataclass
class AgentProject:
    """A folder to work in, a home, and what starts the sidecar there."""

    folder: Path
    home: Path
    bin: Path
    killed_at: str = ""
    """The command at which agents are killed with all that they have started."""

    def environment(self, **more: str) -> dict[str, str]:
        path = f"{self.bin}:{os.environ['PATH']}"
        own = {"PATH": path, "HOME": str(self.home), "TERM": "dumb", "LANG": "C.UTF-8", "CI": "1"}
        return {**own, **more}

    def sidecar(self, *arguments: str) -> str:
        done = subprocess.run(
            [str(self.bin / "memory-sidecar"), *arguments],
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
        )
        return done.stdout

    def propose(self, *texts: str, session: str = "s-1", name: str = "") -> None:
        """An agent proposes memories in a compaction each, called by their first words, and its session ends."""
        noise = ("window/logMessage", "memory/didChange", "file/didInvalidate", "$/progress")
        with StdioClient(cwd=self.folder, env=self.environment(), ignore=noise) as agent:
            agent.initialize(self.folder)
            for text in texts:
                line = f"- **{name or text.split()[0]}** (feedback, project): {text}"
                summary = f"## Memory Candidates\n{line}\n"
                agent.notify("event/compaction", {"sessionId": session, "summary": summary})
            agent.call("session/end", {"sessionId": session})

    def run(self, command: Sequence[str], **more: str) -> str:
        if self.killed_at:
            self._kill(command, **more)
            return ""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        wait_for_learning_processes(self.home)
        return done.stdout

    def _kill(self, command: Sequence[str], **more: str) -> None:
        agent = psutil.Popen(
            command, cwd=self.folder, env=self.environment(**more), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        until = time.monotonic() + SECONDS
        reached = False
        while not reached and agent.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
            for each in agent.children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    reached = reached or " ".join(each.cmdline()) == self.killed_at
        for each in (agent, *agent.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                each.kill()
        agent.wait()
        assert reached, "the agent ended by itself"

    def start_another(self) -> None:
        """A session of another agent begins, whose hook settles what is over."""
        event = {"hook_event_name": "SessionStart", "session_id": "other", "cwd": str(self.folder)}
        subprocess.run(
            [str(self.bin / "memory-sidecar"), "hook"],
            input=json.dumps(event).encode(),
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.DEVNULL,
            check=True,
        )
        wait_for_learning_processes(self.home)

    def at_work(self) -> set[str]:
        """The agents whose sessions are shown as active."""
        return {item.get("agent", "") for item in json.loads(self.sidecar("sessions", "--json"))["items"]}


def assert_nothing_is_lost(project: AgentProject, said: ScriptedModel) -> None:
    """What a killed session taught is known once another one begins, and nobody is shown as at work but that."""
    assert project.at_work() == set(), "nobody is, although nobody said so"
    project.start_another()
    known = project.sidecar("list")
    assert "British English" in known, said.said()[-2000:]
    assert "unittest" in known, "the error and its fix"
    assert project.at_work() == {"claude-code"}, "the other one"


@pytest.fixture
def project(tmp_path: Path) -> AgentProject:
    folder, home, bin = tmp_path / "project", tmp_path / "home", tmp_path / "bin"
    for place in (folder, home, bin):
        place.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "letters.py").write_text(LETTERS)
    (folder / "test_letters.py").write_text(FAILING)
    command = bin / "memory-sidecar"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -P -m sidecar "$@"\n')
    command.chmod(0o755)
    own = home / ".config" / "memory-sidecar" / "settings.toml"
    own.parent.mkdir(parents=True)
    own.write_text("[hooks]\nanswerSeconds = 9\n")  # tests run on busy machines; agents wait for ten
    return AgentProject(folder, home, bin)


StartModel = Callable[[Sequence[Step]], ScriptedModel]


@pytest.fixture
def model() -> Iterator[StartModel]:
    started: list[ScriptedModel] = []

    def start(script: Sequence[Step]) -> ScriptedModel:
        started.append(ScriptedModel(script))
        return started[-1]

    yield start
    for each in started:
        each.close()
