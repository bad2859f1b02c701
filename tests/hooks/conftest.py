"""Fixtures of the hooks: a project, and hook processes with an environment of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

from tests.cli.in_process import invoke
from tests.client.learning_processes import wait_for_learning_processes

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = "MEMORY_SIDECAR_HOOKS_ANSWER_SECONDS"

T = TypeVar("T")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    (place / "a.py").write_text("x = 1\n")
    return place


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    own = {"HOME": str(home), "PYTHONPATH": str(ROOT)}
    own |= {name: str(home / name) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    own[PATIENCE] = "60"  # however busy the machine is
    return {**os.environ, **own}


def command(folder: Path, environ: Mapping[str, str], *arguments: str) -> str:
    """Run a command of `memory-sidecar` in this process, where it costs a tenth of a process of its own; its stdout."""
    done = invoke(arguments, environ, folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


class RunEvent(Protocol):
    def __call__(self, name: str, session: str = "s1", env: dict[str, str] | None = None, **fields: object) -> str: ...


class RunRaw(Protocol):
    def __call__(self, name: str, *arguments: str, session: str = "s1", **fields: object) -> str: ...


@dataclass(frozen=True)
class Hook:
    """Runs hooks: an event, bytes as an agent sends them, or an event whose whole output is wanted (`raw`)."""

    event: RunEvent
    send: Callable[..., str]
    raw: RunRaw

    def __call__(self, name: str, session: str = "s1", env: dict[str, str] | None = None, **fields: object) -> str:
        return self.event(name, session, env, **fields)


@pytest.fixture
def hook(folder: Path, environ: dict[str, str]) -> Hook:
    """Return a function that runs a hook and its background work, checks exit code 0, and returns the answer."""

    def call(name: str, session: str = "s1", env: dict[str, str] | None = None, **fields: object) -> str:
        event = {"hook_event_name": name, "session_id": session, "cwd": str(folder), **fields}
        return send(json.dumps(event).encode(), env)

    def send(data: bytes, env: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "sidecar", "hook"],
            input=data,
            capture_output=True,
            env={**environ, **(env or {})},
            cwd=folder,
            timeout=180,
            check=False,
        )
        wait_for_learning_processes(Path(environ["HOME"]))
        assert done.returncode == 0, done.stderr.decode()
        if not done.stdout:
            return ""
        told = json.loads(done.stdout)["hookSpecificOutput"]
        assert set(told) == {"hookEventName", "additionalContext"}
        return str(told["additionalContext"])

    def raw(name: str, *arguments: str, session: str = "s1", **fields: object) -> str:
        event = {"hook_event_name": name, "session_id": session, "cwd": str(folder), **fields}
        done = subprocess.run(
            [sys.executable, "-P", "-m", "sidecar", "hook", *arguments],
            input=json.dumps(event).encode(),
            capture_output=True,
            env=environ,
            cwd=folder,
            timeout=180,
            check=True,
        )
        wait_for_learning_processes(Path(environ["HOME"]))
        return done.stdout.decode()

    return Hook(call, send, raw)


class AgentProcess:
    """An agent's process that lives as long as its session and runs its hooks."""

    def __init__(self, folder: Path, environ: dict[str, str], session: str) -> None:
        self._folder, self._session = folder, session
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "client" / "hooking_agent.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environ,
            cwd=folder,
            text=True,
            start_new_session=True,
        )

    def tell(self, name: str, **fields: object) -> float:
        """Run the hooks of one event; return the seconds that the agent waited."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        event = {"hook_event_name": name, "session_id": self._session, "cwd": str(self._folder), **fields}
        self.process.stdin.write(json.dumps(event) + "\n")
        self.process.stdin.flush()
        return float(json.loads(self.process.stdout.readline())["seconds"])

    def kill(self) -> None:
        """Kill it, as the system does when memory is short."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def agent(folder: Path, environ: dict[str, str]) -> Iterator[Callable[..., AgentProcess]]:
    started: list[AgentProcess] = []

    def start(session: str = "s1") -> AgentProcess:
        started.append(AgentProcess(folder, environ, session))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.kill()


def eventually(holds: Callable[[], T], seconds: float = 60.0) -> T:
    """Return what `holds` returns once that is true, or at the end."""
    until = time.monotonic() + seconds
    while not (found := holds()) and time.monotonic() < until:
        time.sleep(0.1)
    return found
