"""Fixtures of the hooks: a project, and hook processes with an environment of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = "MEMORY_SIDECAR_HOOKS_ANSWER_SECONDS"


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


@pytest.fixture
def hook(folder: Path, environ: dict[str, str]) -> Callable[..., str]:
    """One real hook process; what it told the agent. Fails unless it exits with 0."""

    def call(name: str, session: str = "s1", env: dict[str, str] | None = None, **fields: Any) -> str:
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
        assert done.returncode == 0, done.stderr.decode()
        if not done.stdout:
            return ""
        told = json.loads(done.stdout)["hookSpecificOutput"]
        assert set(told) == {"hookEventName", "additionalContext"}
        return str(told["additionalContext"])

    def raw(name: str, *arguments: str, session: str = "s1", **fields: Any) -> str:
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
        return done.stdout.decode()

    call.send = send  # type: ignore[attr-defined]
    call.raw = raw  # type: ignore[attr-defined]
    return call
