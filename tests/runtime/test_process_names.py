"""Names of processes: which of them live, and which may be an agent."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.runtime import process_names
from sidecar.runtime.process_names import ancestors, lives, own

ABOVE = "import sidecar.runtime.process_names as p; print(*p.ancestors(), sep=chr(10))"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["proc", "ps"])
def source(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "ps":
        if shutil.which("ps") is None:
            pytest.skip("there is no ps")
        monkeypatch.setattr(process_names, "PROC", Path("/nowhere"))
    elif not process_names.PROC.exists():
        pytest.skip("there is no /proc")
    process_names.this_machine.cache_clear()
    return str(request.param)


@pytest.fixture(autouse=True)
def afresh() -> None:
    process_names.this_machine.cache_clear()


def test_killed_process_is_gone_whether_or_not_it_was_reaped(source: str) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    name = own().replace(f" {os.getpid()} ", f" {child.pid} ")
    assert lives(own()) is True
    assert lives(name) is False, "of the same number, but begun at another time"
    seen = process_names.read_process(child.pid)
    assert seen is not None
    name = f"{process_names.this_machine()} {child.pid} {seen.start}"
    assert lives(name) is True
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert lives(name) is False
    child.wait()
    assert lives(name) is False
    assert child.stdin is not None
    child.stdin.close()


def test_process_elsewhere_is_neither_alive_nor_dead() -> None:
    place, number, start = own().split(" ")
    host, boot, space = place.split("/")
    assert lives(f"elsewhere/{boot}/{space} {number} {start}") is None
    assert lives(f"{host}/{boot}/pid:[1] {number} {start}") is None, "another container"
    assert lives(f"{host}/before/{space} {number} {start}") is False, "the machine was started anew"
    assert lives("") is None
    assert lives("what is this") is None


def test_shells_and_what_starts_programs_are_no_agents(source: str) -> None:
    command = f"env '{sys.executable}' -c '{ABOVE}'; true"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=ROOT, check=True)
    assert source == "ps" or done.stdout.splitlines()[0] == own()
    assert own() not in ancestors()
