"""Real commands on a store that is read-only, that a newer program wrote, or that a stopped process locks."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec
import pytest

from sidecar.store import schema
from sidecar.store.opening import open_database

ROOT = Path(__file__).parents[2]
_HOLD = """
import sys, time
from pathlib import Path
from sidecar.store import schema
from sidecar.store.opening import open_database
database = open_database(Path(sys.argv[1]), getattr(schema, sys.argv[2]))
with database.writing() as rows:
    rows.set("x:held", "not committed")
    print("held", flush=True)
    time.sleep(600)
"""


class Run(Protocol):
    """Runs `memory-sidecar` with these arguments."""

    def __call__(self, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]: ...


def forbidden_too() -> None:
    """Make the permissions apply to root as well."""
    for capability in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
        ctypes.CDLL(None).prctl(24, capability)  # PR_CAPBSET_DROP


@pytest.fixture
def run(tmp_path: Path) -> Run:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "a.py").write_text('def hello():\n    """Say hello."""\n')
    env = {
        **os.environ,
        "HOME": str(tmp_path / "home"),
        "MEMORY_SIDECAR_STORE_FOLDER": str(tmp_path / "store"),
        "MEMORY_SIDECAR_LOG_FILE": str(tmp_path / "log"),
        "PYTHONPATH": str(ROOT),
        "MEMORY_SIDECAR_HOOKS_ANSWER_SECONDS": "60",  # however busy the machine is
    }

    def command(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "sidecar", *arguments],
            input=given,
            cwd=workspace,
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
            preexec_fn=forbidden_too,
        )

    command("record", "The build needs make -j4", "--name", "build")
    command("summary", "a.py")
    command("search", "build")
    return command


def memory_folder(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "store" / "workspaces").glob("*/memory")
    return found


def check_reads(run: Run) -> None:
    assert "make -j4" in run("search", "build").stdout
    assert "make -j4" in run("inject").stdout
    assert "def hello()" in run("summary", "a.py").stdout
    for event in ({"hook_event_name": "SessionStart", "source": "startup"},
                  {"hook_event_name": "UserPromptSubmit", "prompt": "run the build"}):  # fmt: skip
        answer = run("hook", given=json.dumps({"session_id": str(time.time_ns()), **event}))
        assert "make -j4" in answer.stdout, (event, answer)


def check_refused(run: Run, *words: str) -> None:
    refused = run("record", "something new")
    assert refused.returncode == 1
    for word in words:
        assert word in refused.stderr
    assert "something new" not in run("list").stdout


@pytest.fixture
def unwritable(tmp_path: Path) -> Iterator[Callable[[], None]]:
    def change(mode: int) -> None:
        for path in sorted((tmp_path / "store").rglob("*"), reverse=mode == 0o500):
            path.chmod(mode if path.is_dir() else mode & 0o600)
        (tmp_path / "store").chmod(mode)

    yield lambda: change(0o500)
    (tmp_path / "store").chmod(0o700)
    change(0o700)


def test_a_store_that_cannot_be_written_is_read(run: Run, unwritable: Callable[[], None]) -> None:
    unwritable()
    check_reads(run)
    check_refused(run, "cannot be written: Permission denied", "choose another store folder")
    assert "It can be read, and nothing new is kept" in run("doctor").stdout


def test_a_store_of_a_newer_program_is_read(run: Run, tmp_path: Path) -> None:
    newer = msgspec.structs.replace(schema.MEMORIES, migrations=(lambda rows: None,))
    open_database(memory_folder(tmp_path), newer).close()
    check_reads(run)
    check_refused(run, "layout version 2", "Update memory-sidecar")
    assert "It can be read, and nothing new is kept" in run("doctor").stdout


@pytest.mark.parametrize("kind", ["MEMORIES", "ACTIVITY", "FILES"])
def test_a_stopped_process_holds_up_writes_alone(run: Run, tmp_path: Path, kind: str) -> None:
    folder = memory_folder(tmp_path) if kind != "FILES" else memory_folder(tmp_path).with_name("files")
    holder = subprocess.Popen(
        [sys.executable, "-P", "-c", _HOLD, str(folder), kind],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.send_signal(signal.SIGSTOP)
        check_reads(run)
        if kind == "MEMORIES":
            check_refused(run, f"Process {holder.pid} is stopped", f"kill -CONT {holder.pid}")
    finally:
        holder.kill()
        holder.wait()
        if holder.stdout is not None:
            holder.stdout.close()
    assert run("record", "something new").returncode == 0
    assert "something new" in run("list").stdout
