"""The command as a user runs it: a home and a workspace of its own, and a process of its own where it matters.

Most tests run it in their own process with the same environment, folder and streams (`in_process`); `spawned` starts a
real one. `test_imports` runs every command in a new process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import pytest

from tests.cli.in_process import invoke
from tests.client.json_value import Json, document

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = ("hook", "serve", "mcp", "tour")
"""Commands that take over the process: its signals, its streams or its end."""


class Run(Protocol):
    """Runs `memory-sidecar` with these arguments in the workspace."""

    def __call__(
        self,
        *arguments: str,
        stdin: str | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        code: int | None = 0,
    ) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def runtime() -> Iterator[str]:
    """Return a folder for sockets, whose paths must be short."""
    with tempfile.TemporaryDirectory(prefix="run") as short:
        yield short


@pytest.fixture
def environ(tmp_path: Path, runtime: str) -> dict[str, str]:
    """Return an environment in which nothing of the real user is seen or touched."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("MEMORY_SIDECAR_", "XDG_"))}
    for name in ("NO_COLOR", "VISUAL", "EDITOR", "COLUMNS"):
        kept.pop(name, None)
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_RUNTIME_DIR": runtime,
        "PYTHONPATH": str(ROOT),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a small workspace that is a git repository."""
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    lines = ['"""Counts things."""', "", "import os", ""]
    for number in range(40):
        lines += [f"def count_{number}(items: list[int]) -> int:", f'    """Count kind {number}."""']
        lines += [f"    return len(items) + {number}", "", ""]
    (folder / "src" / "counting.py").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def command() -> list[str]:
    return [sys.executable, "-m", "sidecar"]


@pytest.fixture
def run(environ: dict[str, str], folder: Path, spawned: Run) -> Run:
    """Return a function that runs the command and checks its exit code."""

    def run_once(
        *arguments: str,
        stdin: str | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        code: int | None = 0,
    ) -> subprocess.CompletedProcess[str]:
        if arguments[0] in PROCESSES:
            return spawned(*arguments, stdin=stdin, cwd=cwd, env=env, code=code)
        done = invoke(arguments, {**environ, **(env or {})}, cwd or folder, stdin)
        assert code is None or done.returncode == code, (done.returncode, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run_once


@pytest.fixture
def spawned(command: list[str], environ: dict[str, str], folder: Path) -> Run:
    """Return a function that does the same in a process of its own."""

    def run_once(
        *arguments: str,
        stdin: str | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        code: int | None = 0,
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*command, *arguments],
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            cwd=cwd or folder,
            env={**environ, **(env or {})},
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        assert code is None or done.returncode == code, (done.returncode, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run_once


class RunForJson(Protocol):
    """Runs with `--json` and decodes the output, which must be a single document."""

    def __call__(
        self,
        *arguments: str,
        stdin: str | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        code: int | None = 0,
    ) -> Json: ...


Remember = Callable[..., str]


@pytest.fixture
def as_json(run: Run) -> RunForJson:
    def run_json(
        *arguments: str,
        stdin: str | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        code: int | None = 0,
    ) -> Json:
        return document(run(*arguments, "--json", stdin=stdin, cwd=cwd, env=env, code=code).stdout)

    return run_json


@pytest.fixture
def remember(as_json: RunForJson) -> Remember:
    """Return a function that records a memory and returns its id."""

    def record(content: str, *options: str) -> str:
        return str(as_json("record", content, *options)["memory"]["id"])

    return record
