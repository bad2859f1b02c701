"""Sessions that ended without a word: killed agents and learning processes, busy stores, and who comes back."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecar.engine.ended_sessions import NO_SESSION, LearningProcesses, start_learning
from sidecar.engine.journal_line import JournalLine
from sidecar.engine.session_journal import Journal, journal_path
from sidecar.store.journals import Owner
from tests.client.calling import EngineCalls
from tests.client.json_value import Json, document
from tests.client.learning_processes import wait_for_learning_processes
from tests.hooks.conftest import AgentProcess, command, eventually

Start = Callable[..., AgentProcess]
WISH = "Please always use pnpm rather than npm in this project."
TEST = {"command": "pytest tests/test_a.py"}
AGAIN = {"command": f"PYTHONPATH=lib {TEST['command']}"}
ERROR = "Exit code 1\nE   ModuleNotFoundError: No module named 'yaml'"


RunForJson = Callable[..., Json]


@pytest.fixture
def sidecar(folder: Path, environ: dict[str, str]) -> Callable[..., Json]:
    """Return a function that runs one command and returns its JSON."""

    def run(*arguments: str) -> Json:
        return document(command(folder, environ, *arguments, "--json"))

    return run


@pytest.fixture
def left(environ: dict[str, str]) -> Callable[[], list[Path]]:
    """Return a function that lists the remaining journals."""
    return lambda: sorted(Path(environ["XDG_DATA_HOME"]).glob("memory-sidecar/hooks/*/*.jsonl"))


def work(agent: AgentProcess, folder: Path) -> None:
    """Run a turn that teaches something, without ending it."""
    agent.tell("SessionStart", source="startup")
    agent.tell("UserPromptSubmit", prompt=WISH)
    agent.tell("PostToolUseFailure", tool_name="Bash", tool_input=TEST, error=ERROR, tool_use_id="1")
    edit = {"file_path": str(folder / "setup.cfg"), "old_string": "a", "new_string": "b"}
    agent.tell("PostToolUse", tool_name="Edit", tool_input=edit, tool_response={}, tool_use_id="2")
    agent.tell("PostToolUse", tool_name="Bash", tool_input=AGAIN, tool_response={"stdout": "1 passed"})


def contents_and_versions(found: Json) -> list[tuple[str, int]]:
    return sorted((str(item["content"]), int(item["version"])) for item in found["items"])


def test_a_killed_session_is_not_at_work_and_the_next_start_settles_it(
    agent: Start, folder: Path, sidecar: RunForJson, left: Callable[[], list[Path]]
) -> None:
    killed = agent("s1")
    work(killed, folder)
    assert [item["sessionId"] for item in sidecar("sessions")["items"]] == ["s1"]
    assert "Other Sessions at Work" in sidecar("boot")["text"]
    killed.kill()
    assert sidecar("sessions")["items"] == []
    assert [item["state"] for item in sidecar("sessions", "--all")["items"]] == ["expired"]
    assert "Other Sessions at Work" not in sidecar("boot")["text"]
    assert len(left()) == 1
    agent("s2").tell("SessionStart", source="startup")
    assert eventually(lambda: not any("s1-" in path.name for path in left()))
    assert any("pnpm" in content for content, _ in contents_and_versions(sidecar("list")))
    states = {item["sessionId"]: item["state"] for item in sidecar("sessions", "--all")["items"]}
    assert states == {"s1": "ended", "s2": "active"}


def test_a_living_session_is_left_alone_however_long_it_is_silent(
    agent: Start, folder: Path, sidecar: RunForJson, left: Callable[[], list[Path]]
) -> None:
    living = agent("s1")
    work(living, folder)
    (journal,) = left()
    an_hour_ago = time.time() - 3_600
    os.utime(journal, (an_hour_ago, an_hour_ago))
    agent("s2").tell("SessionStart", source="startup")
    wait_for_learning_processes(folder.parent)
    assert journal in left()
    assert sidecar("list")["items"] == []


@pytest.mark.parametrize("minutes", [29, 31])
def test_session_without_a_local_process_lives_by_its_heartbeat(
    agent: Start, folder: Path, left: Callable[[], list[Path]], minutes: int
) -> None:
    work(killed := agent("s1"), folder)
    killed.kill()
    (journal,) = left()
    lines = journal.read_text().replace(os.uname().nodename, "elsewhere")
    journal.write_text(lines)
    then = time.time() - minutes * 60
    os.utime(journal, (then, then))
    agent("s2").tell("SessionStart", source="startup")
    gone = eventually(lambda: journal not in left(), 60 if minutes > 30 else 3)
    assert gone is (minutes > 30)


@pytest.mark.parametrize("front", ["serve", "mcp"])
def test_a_running_server_settles_within_a_minute(
    agent: Start, folder: Path, environ: dict[str, str], sidecar: RunForJson, left: Callable[[], list[Path]], front: str
) -> None:
    work(killed := agent("s1"), folder)
    program = [sys.executable, "-P", "-m", "sidecar", front]
    server = subprocess.Popen(program, cwd=folder, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    params: dict[str, object] = {"processId": None, "capabilities": {}, "rootUri": folder.as_uri()}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    if front == "mcp":
        params |= {"protocolVersion": "2025-06-18", "clientInfo": {"name": "t", "version": "1"}}
    body = json.dumps(hello).encode()
    framed = body + b"\n" if front == "mcp" else b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    server.stdin.write(framed)
    server.stdin.flush()
    try:
        time.sleep(5)
        assert len(left()) == 1, "it lives"
        killed.kill()
        assert eventually(lambda: not left(), 60)
        assert any("pnpm" in content for content, _ in contents_and_versions(sidecar("list")))
        assert sidecar("sessions")["items"] == []
    finally:
        server.stdin.close()
        server.wait(30)


def settler(folder: Path, environ: dict[str, str], session: str = NO_SESSION) -> subprocess.Popen[bytes]:
    with pytest.MonkeyPatch.context() as patched:
        for name, value in environ.items():
            patched.setenv(name, value)
        return start_learning(Path(environ["XDG_DATA_HOME"]) / "memory-sidecar", folder, session)


def test_two_learning_processes_settle_once(
    agent: Start, folder: Path, environ: dict[str, str], sidecar: RunForJson, left: Callable[[], list[Path]]
) -> None:
    for number in range(3):
        work(killed := agent(f"s{number}"), folder)
        killed.kill()
    for each in [settler(folder, environ) for _ in range(4)]:
        assert each.wait(120) == 0
    assert left() == []
    assert {version for _, version in contents_and_versions(sidecar("list"))} == {1}
    assert {item["state"] for item in sidecar("sessions", "--all")["items"]} == {"ended"}


def test_a_settler_that_is_killed_half_way_loses_and_doubles_nothing(
    agent: Start, folder: Path, environ: dict[str, str], sidecar: RunForJson, left: Callable[[], list[Path]]
) -> None:
    work(killed := agent("s1"), folder)
    killed.kill()
    for tenths in range(1, 30):
        if not left():
            break
        first = settler(folder, environ)
        with contextlib.suppress(subprocess.TimeoutExpired):
            first.wait(tenths / 10)
        first.kill()
        first.wait()
    if left():  # on a machine too busy for any of them
        settler(folder, environ).wait()
    assert left() == []
    found = contents_and_versions(sidecar("list"))
    assert any("pnpm" in content for content, _ in found)
    assert any("yaml" in content for content, _ in found)
    assert {version for _, version in found} == {1}
    assert len({content for content, _ in found}) == len(found)


HOLD = """
import fcntl, sys, time
files = [open(path, "r+b") for path in sys.argv[2:]]
for file in files:
    fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(float(sys.argv[1]))
"""


@contextlib.contextmanager
def busy(environ: dict[str, str], how: str, seconds: float) -> Iterator[None]:
    """Let another process hold every workspace's store, or a writer its database, for `seconds`."""
    stores = Path(environ["XDG_DATA_HOME"]) / "memory-sidecar"
    if how == "lock":
        locks = [str(path) for path in stores.glob("**/*lock*") if path.is_file() and "hooks" not in path.parts]
        assert locks
        holder = subprocess.Popen([sys.executable, "-c", HOLD, str(seconds), *locks], stdout=subprocess.PIPE)
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        yield
        holder.wait()
        holder.stdout.close()
        return
    databases = [sqlite3.connect(path, check_same_thread=False) for path in stores.glob("**/cache.db")]
    assert databases
    for database in databases:
        database.execute("BEGIN IMMEDIATE")

    def let_go() -> None:
        for database in databases:
            database.rollback()

    letting_go = threading.Timer(seconds, let_go)
    letting_go.start()
    yield
    letting_go.join()
    for database in databases:
        database.close()


@pytest.mark.parametrize("how", ["lock", "sqlite"])
def test_a_store_that_is_busy_for_half_a_minute_delays_and_loses_nothing(
    agent: Start, folder: Path, environ: dict[str, str], sidecar: RunForJson, left: Callable[[], list[Path]], how: str
) -> None:
    agent("s0").tell("SessionStart", source="startup")
    environ["MEMORY_SIDECAR_HOOKS_ANSWER_SECONDS"] = "4"
    working = agent("s1")
    with busy(environ, how, 30.0):
        work(working, folder)
        assert max(working.tell("Stop"), working.tell("SessionEnd")) < 20.0, "they only note"
    assert eventually(lambda: not any("s1-" in path.name for path in left()), 90)
    found = contents_and_versions(sidecar("list"))
    assert any("pnpm" in content for content, _ in found)
    assert any("yaml" in content for content, _ in found)


def test_resumed_settled_session_goes_on(
    agent: Start, folder: Path, sidecar: RunForJson, left: Callable[[], list[Path]]
) -> None:
    work(killed := agent("s1"), folder)
    killed.kill()
    agent("s2").tell("SessionStart", source="startup")
    assert eventually(lambda: not any("s1-" in path.name for path in left()))
    before = contents_and_versions(sidecar("list"))
    resumed = agent("s1")
    resumed.tell("SessionStart", source="resume")
    assert {item["sessionId"] for item in sidecar("sessions")["items"]} == {"s1", "s2"}
    resumed.tell("UserPromptSubmit", prompt="From now on always indent Makefiles with tabs.")
    resumed.tell("Stop")
    assert eventually(lambda: any("tabs" in content for content, _ in contents_and_versions(sidecar("list"))))
    assert [memory for memory in contents_and_versions(sidecar("list")) if "tabs" not in memory[0]] == before
    resumed.kill()
    assert {item["sessionId"] for item in sidecar("sessions")["items"]} == {"s2"}


def test_session_resumed_before_it_was_settled_is_alive_again(
    agent: Start, folder: Path, environ: dict[str, str], sidecar: RunForJson, left: Callable[[], list[Path]]
) -> None:
    work(killed := agent("s1"), folder)
    killed.kill()
    resumed = agent("s1")
    resumed.tell("SessionStart", source="resume")
    assert settler(folder, environ).wait(60) == 0
    assert len(left()) == 1
    assert [item["sessionId"] for item in sidecar("sessions")["items"]] == ["s1"]
    resumed.kill()
    assert settler(folder, environ).wait(60) == 0
    assert left() == []
    assert any("pnpm" in content for content, _ in contents_and_versions(sidecar("list")))


def test_a_claim_of_a_dead_session_is_free(
    agent: Start, folder: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from protocol.sessions import ClaimParams, ClaimResult, StartParams
    from sidecar.engine.engine import Engine
    from sidecar.engine.options import EngineOptions
    from sidecar.settings import load

    monkeypatch.setenv("XDG_DATA_HOME", environ["XDG_DATA_HOME"])
    working = agent("s1")
    working.tell("SessionStart", source="startup")
    engine = Engine(load(folder, environ).settings, EngineOptions(short_lived=True))
    try:
        engine.lifecycle.add_workspace(folder)
        EngineCalls(engine).session_claim(ClaimParams(session_id="s1", item="a.py"))
        EngineCalls(engine).session_start(StartParams(session_id="s2"))
        claim = ClaimParams(session_id="s2", item="a.py")
        found = [EngineCalls(engine).session_claim(claim)]
        working.kill()
        found.append(EngineCalls(engine).session_claim(claim))
    finally:
        engine.close()
    assert [isinstance(one, ClaimResult) and one.claimed for one in found] == [False, True]


def test_parent_of_a_single_hook_is_not_the_agent(tmp_path: Path) -> None:
    journal = Journal(journal_path(tmp_path, tmp_path, "s:1"), "s:1", "/transcript")
    journal.record_owner(["runner 1", "agent", "terminal"])
    journal.confirm_process(["runner 2", "agent", "terminal"])
    assert journal.owner() == Owner("s:1", "/transcript", "", ("agent", "terminal"))
    size = journal.size()
    journal.confirm_process(["runner 3", "agent", "terminal"])
    assert journal.size() == size
    journal.write(JournalLine("ended"))
    assert journal.owner().ended
    journal.confirm_process(["agent 2", "terminal"])
    assert journal.owner() == Owner("s:1", "/transcript", "", ("agent 2", "terminal"))
    assert Journal.of_file(journal.path).session_id == "s:1"


def test_learning_processes_are_started_ever_more_seldom_while_nothing_comes_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    started: list[int] = []

    def ended(home: Path, folder: Path) -> subprocess.Popen[bytes]:
        started.append(looks)
        done = subprocess.Popen(["true"])
        done.wait()
        return done

    monkeypatch.setattr("sidecar.engine.ended_sessions.start_learning", ended)
    journal = Journal(journal_path(tmp_path, tmp_path, "s1"), "s1")
    journal.write(JournalLine("ended"))
    processes = LearningProcesses()
    while looks < 19:
        looks += 1
        processes.start_if_needed(tmp_path, tmp_path)
    assert started == [1, 2, 4, 8, 16]
    Journal(journal_path(tmp_path, tmp_path, "s2"), "s2").write(JournalLine("ended"))
    while looks < 22:
        looks += 1
        processes.start_if_needed(tmp_path, tmp_path)
    assert started[5:] == [20, 21]
