"""What an agent says is noted, however busy the store is and however early the process is told to end or killed."""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from tests.client.learning_processes import wait_for_learning_processes
from tests.hooks.conftest import PATIENCE

HOOK = [sys.executable, "-P", "-m", "sidecar", "hook"]
KEPT = 0o700, 0o600


def event(folder: Path, number: int) -> bytes:
    prompt = f"From now on always call the service alpha{number} through the gateway beta{number} here."
    told = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(folder), "prompt": prompt}
    return json.dumps(told).encode()


def noted(environ: dict[str, str]) -> str:
    """Return the content of all journals and stores."""
    places = Path(environ["HOME"]).rglob("*")
    return "".join(path.read_text("utf-8", "replace") for path in places if path.is_file())


def test_a_hook_notes_though_the_time_to_answer_is_over(folder: Path, environ: dict[str, str]) -> None:
    """Another process holds the journal for longer than an agent waits."""
    hasty = {**environ, PATIENCE: "0.5"}
    for turn in range(2):
        journals = list(Path(environ["HOME"]).rglob("hooks/*/*.jsonl"))
        with open(journals[0] if turn else os.devnull, "rb") as held:
            if turn:
                fcntl.flock(held, fcntl.LOCK_EX)
            subprocess.run(HOOK, input=event(folder, turn), env=hasty, cwd=folder, check=True)
        assert f"beta{turn} " in noted(environ)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_hook_that_is_told_to_end_notes_first(folder: Path, environ: dict[str, str], number: signal.Signals) -> None:
    """At random moments; only a process that has not run any of our code yet may end by the signal."""
    moments, longest = random.Random(7), 0.5
    after: list[int] = []
    for turn in count():
        if turn >= 12 and after:
            break
        moment = moments.uniform(0.03, longest)
        longest *= 1.0 if after else 1.1  # a busy machine is slow to begin
        with subprocess.Popen(HOOK, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd=folder) as one:
            assert one.stdin is not None
            one.stdin.write(event(folder, turn))
            one.stdin.close()
            time.sleep(moment)
            one.send_signal(number)
            code = one.wait(60)
        assert code in (0, -number)
        if code == 0:
            after.append(turn)
    there = noted(environ)
    assert [turn for turn in after if f"beta{turn} " not in there] == []


def test_killed_writers_tear_nothing_and_leave_nothing(folder: Path, environ: dict[str, str]) -> None:
    moments, ended = random.Random(11), []
    for turn in range(25):
        with subprocess.Popen(HOOK, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd=folder) as one:
            assert one.stdin is not None
            one.stdin.write(event(folder, turn))
            one.stdin.close()
            time.sleep(moments.uniform(0.1, 0.9))
            one.kill()
            if one.wait() == 0:
                ended.append(turn)
    last = event(folder, 99)
    subprocess.run(HOOK, input=last, env=environ, cwd=folder, capture_output=True, check=True)
    there = noted(environ)
    assert [turn for turn in (*ended, 99) if f"beta{turn} " not in there] == []
    for journal in Path(environ["HOME"]).rglob("hooks/*/*.jsonl"):
        for line in journal.read_bytes().splitlines():
            json.loads(line)
    assert not list(Path(environ["HOME"]).rglob("*.tmp"))


@contextmanager
def umasked(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o022])
def test_all_that_is_made_is_private(
    folder: Path, environ: dict[str, str], hook: Callable[..., str], mask: int
) -> None:
    """Check after each step of a session, including files that exist only while a server runs."""
    known = set(folder.parent.rglob("*"))
    odd: set[str] = set()

    def look() -> None:
        for path in set(folder.parent.rglob("*")) - known - _shared(folder):
            with_mode = stat.S_IMODE(path.lstat().st_mode)
            if with_mode & 0o777 != KEPT[not path.is_dir()]:
                odd.add(f"{with_mode:o} {path.relative_to(folder.parent)}")

    def run(*command: str) -> None:
        subprocess.run(
            [sys.executable, "-P", "-m", "sidecar", *command], env=environ, cwd=folder, capture_output=True, check=True
        )
        look()

    with umasked(mask):
        hook("SessionStart", source="startup")
        hook("UserPromptSubmit", prompt="From now on always use tabs in this repository.")
        look()
        hook("SessionEnd")
        run("record", "The parser keeps comments.")
        run("record", "I like tea.", "--type", "user", "--scope", "global")
        run("maintain")
        run("export", "--output", str(folder.parent / "out.jsonl"))
        server = subprocess.Popen(
            [sys.executable, "-P", "-m", "sidecar", "mcp"],
            env=environ,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert server.stdin is not None
        assert server.stdout is not None
        for id, (method, params) in enumerate(_CALLS):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode())
            server.stdin.write(b"\n")
            server.stdin.flush()
            assert b'"result"' in server.stdout.readline()
        look()
        server.stdin.close()
        server.wait(60)
    look()
    assert sorted(odd) == []


_CALLS: list[tuple[str, dict[str, object]]] = [
    ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
    ("tools/call", {"name": "remember", "arguments": {"content": "Tests live beside the code."}}),
    ("tools/call", {"name": "file_summary", "arguments": {"path": "a.py"}}),
    ("tools/call", {"name": "recall", "arguments": {"query": "tests"}}),
]


def _shared(folder: Path) -> set[Path]:
    """Return the files of the repository, which have the mode that its user wants."""
    return {folder / ".agents", folder / ".agents" / "MEMORY.md", folder / ".git" / "info" / "exclude"}


@pytest.mark.parametrize("where", ["user", "workspace"])
def test_nothing_is_written_where_memory_is_switched_off(folder: Path, environ: dict[str, str], where: str) -> None:
    env = {**environ, "MEMORY_SIDECAR_MEMORY_ENABLED": "false"} if where == "user" else environ
    if where == "workspace":
        (folder / ".agents").mkdir()
        (folder / ".agents" / "memory-sidecar.toml").write_text("[memory]\nenabled = false\n")
    known = set(folder.parent.rglob("*"))
    for name in ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"):
        told = {"hook_event_name": name, "session_id": "s1", "cwd": str(folder), "prompt": "Use tabs."}
        subprocess.run(HOOK, input=json.dumps(told).encode(), env=env, cwd=folder, check=True)
    wait_for_learning_processes(Path(environ["HOME"]))
    assert set(folder.parent.rglob("*")) == known
    if where == "user":
        for command in (["list"], ["record", "x"], ["inject", "x"], ["status"], ["export"], ["doctor"], ["boot"]):
            subprocess.run(
                [sys.executable, "-P", "-m", "sidecar", *command], env=env, cwd=folder, capture_output=True, check=False
            )
        assert set(folder.parent.rglob("*")) == known
