"""Hooks and commands that ask real servers: the same answers, nothing opened, and nothing lost when there is none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from protocol.client import Client
from protocol.memories import RecordResult
from sidecar.cli.servers import server_command

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
PROMPT = "How do I deploy the payment worker to staging?"
FACT = "The payment worker is deployed to staging with `make ship`, never by hand."


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    home = tmp_path / "home"
    home.mkdir()
    folders = {name: str(home / name) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    with tempfile.TemporaryDirectory(prefix="run") as runtime:
        own = {"HOME": str(home), "XDG_RUNTIME_DIR": runtime, "PYTHONPATH": str(ROOT)}
        yield {**os.environ, **folders, **own, "MEMORY_SIDECAR_HOOKS_ANSWER_SECONDS": "60"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work")


def make_folder(place: Path) -> Path:
    place.mkdir()
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    return place


Serve = Callable[..., Client]


@pytest.fixture
def serve(environ: dict[str, str], folder: Path) -> Iterator[Serve]:
    running: list[Client] = []

    def start(*folders: Path) -> Client:
        running.append(Client(server_command(), environ, cwd=folder))
        running[-1].initialize(folders or [folder])
        running[-1].request("sidecar/status", {})  # its folders are open
        return running[-1]

    yield start
    for client in running:
        client.kill()


def command(environ: dict[str, str], folder: Path, *arguments: str, data: bytes = b"") -> tuple[int, str, str]:
    """Run the program; its exit code, stdout and stderr."""
    call = [sys.executable, "-P", "-m", "sidecar", *arguments]
    done = subprocess.run(call, input=data, capture_output=True, env=environ, cwd=folder, timeout=180, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def prompted(environ: dict[str, str], folder: Path, session: str = "s1") -> str:
    """What a hook of an agent tells it of `PROMPT`."""
    event = {"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": str(folder), "prompt": PROMPT}
    code, told, error = command(environ, folder, "hook", data=json.dumps(event).encode())
    assert (code, error) == (0, "")
    return str(json.loads(told)["hookSpecificOutput"]["additionalContext"]) if told else ""


def record(client: Client, text: str, folder: Path | None = None) -> str:
    """Record a memory of the project; its id."""
    params = {"content": text, "scope": "project", "type": "project"}
    where = {"workspaceUri": folder.as_uri()} if folder else {}
    recorded: RecordResult = client.request("memory/record", {**params, **where})
    return recorded.memory.id


def injections(client: Client) -> int:
    """How many injections a server has answered, for whomever."""
    text = client.request("sidecar/metrics", {}).text
    rows = [row for row in text.splitlines() if 'method="memory/inject"' in row and "count" in row.split("{")[0]]
    return int(float(rows[0].rsplit(" ", 1)[1])) if rows else 0


def told_by_server(client: Client, environ: dict[str, str], folder: Path, session: str) -> str:
    """Prompt in fresh sessions until the server is the one that answers: a busy machine may keep it past 50 ms."""
    for attempt in range(20):
        before = injections(client)
        told = prompted(environ, folder, f"{session} {attempt}")
        if injections(client) == before + 1:
            return told
    raise AssertionError("No hook asked the server.")


def runtime_sockets(environ: dict[str, str]) -> list[Path]:
    """The sockets of running servers."""
    return list(Path(environ["XDG_RUNTIME_DIR"], "memory-sidecar").glob("*"))


def test_a_hook_asks_the_server_and_is_told_what_it_would_have_found(
    serve: Serve, environ: dict[str, str], folder: Path
) -> None:
    client = serve()
    record(client, FACT)
    asked = told_by_server(client, environ, folder, "asked")
    assert "make ship" in asked
    assert prompted(environ, folder, "with a server") == asked
    assert prompted(environ, folder, "with a server") == ""  # it was shown, whoever answers
    client.close()
    assert runtime_sockets(environ) == []
    assert prompted(environ, folder, "alone") == asked
    assert prompted(environ, folder, "with a server") == ""


def test_commands_answer_alike_with_and_without_a_server(serve: Serve, environ: dict[str, str], folder: Path) -> None:
    client = serve()
    id = record(client, FACT)
    asked = (
        ("list", "--json"),
        ("show", id, "--json"),
        ("history", id, "--json"),
        ("inject", PROMPT, "--json"),
        ("show", "no-such-memory"),
        ("search", "--json", "payment"),
        ("search", "--cursor", "no cursor", "payment"),
    )
    with_server = [command(environ, folder, *each) for each in asked]
    client.close()
    assert [command(environ, folder, *each) for each in asked] == with_server
    assert [code for code, _, _ in with_server] == [0, 0, 0, 0, 3, 0, 2]


def test_record_by_a_command_is_seen_by_the_server_at_once(serve: Serve, environ: dict[str, str], folder: Path) -> None:
    client = serve()
    assert command(environ, folder, "record", FACT)[0] == 0
    assert "make ship" in str(client.request("memory/search", {"query": "payment worker"}))
    assert "make ship" in command(environ, folder, "search", "payment", "worker")[1]
    id = client.request("memory/list", {}).items[0].id
    assert command(environ, folder, "archive", id)[0] == 0
    assert "make ship" not in command(environ, folder, "search", "payment", "worker")[1]


def test_folders_of_one_server_are_kept_apart(
    serve: Serve, environ: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    other = make_folder(tmp_path / "other")
    client = serve(folder, other)
    record(client, FACT, folder)
    assert "make ship" in told_by_server(client, environ, folder, "here")
    assert told_by_server(client, environ, other, "there") == ""
    assert "make ship" not in command(environ, other, "search", "payment", "worker")[1]


def test_a_server_that_stands_still_costs_a_moment(serve: Serve, environ: dict[str, str], folder: Path) -> None:
    client = serve()
    record(client, FACT)
    os.kill(client.pid, signal.SIGSTOP)
    try:
        assert "make ship" in prompted(environ, folder)
    finally:
        os.kill(client.pid, signal.SIGCONT)


def test_a_killed_server_is_forgotten(serve: Serve, environ: dict[str, str], folder: Path) -> None:
    client = serve()
    record(client, FACT)
    assert len(runtime_sockets(environ)) == 1
    client.kill()
    assert "make ship" in prompted(environ, folder)
    assert runtime_sockets(environ) == []


def test_other_settings_are_answered_by_the_asking_process(serve: Serve, environ: dict[str, str], folder: Path) -> None:
    client = serve()
    record(client, FACT)
    before = injections(client)
    other = {**environ, "MEMORY_SIDECAR_MEMORY_INJECT_BUDGET_TOKENS": "900"}
    assert "make ship" in prompted(other, folder)
    assert injections(client) == before


def test_a_folder_that_the_client_closes_is_listened_for_no_longer(
    serve: Serve, environ: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    other = make_folder(tmp_path / "other")
    client = serve(folder, other)
    assert len(runtime_sockets(environ)) == 2
    removed = [{"uri": other.as_uri(), "name": "other"}]
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": removed}})
    client.request("memory/list", {})
    assert "make ship" not in prompted(environ, other)
    assert len(runtime_sockets(environ)) == 1


def test_an_mcp_server_answers_too(environ: dict[str, str], folder: Path) -> None:
    assert command(environ, folder, "record", FACT)[0] == 0
    call = [sys.executable, "-P", "-m", "sidecar", "mcp"]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd=folder) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        call_context = {"name": "recall", "arguments": {"query": "payment"}}
        for number, (method, params) in enumerate((("initialize", hello), ("tools/call", call_context))):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            assert b'"result"' in server.stdout.readline()
        assert len(runtime_sockets(environ)) == 1
        assert "make ship" in prompted(environ, folder)
        server.stdin.close()
        assert server.wait(60) == 0
    assert runtime_sockets(environ) == []
