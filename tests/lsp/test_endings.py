"""However the server ends: the exit code, the engine closed, nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from sidecar.lsp.features.diagnostics import DiagnosticsPublisher
from sidecar.lsp.features.store_changes import StoreFollower
from sidecar.lsp.language_server import SidecarServer
from sidecar.runtime.event import Event
from tests.client.stdio_client import ROOT, Client, StdioClient
from tests.conftest import Spawn

FAKE = ROOT / "tests" / "client" / "fake_engine.py"


Marked = Callable[..., tuple[StdioClient, Path]]


@pytest.fixture
def marked(fake_server: Spawn, tmp_path: Path) -> Marked:
    """Start a server whose engine writes a file when it is closed in good order."""

    def start(
        process_id: int | None = None, capabilities: Mapping[str, object] | None = None
    ) -> tuple[StdioClient, Path]:
        marker = tmp_path / "closed"
        client = fake_server()
        client.initialize(options={"closeMarker": str(marker)}, process_id=process_id, capabilities=capabilities)
        client.call("test/echo")
        return client, marker

    return start


def assert_quiet(client: StdioClient) -> None:
    for word in (b"Traceback", b"Fatal Python error", b"Exception ignored", b"KeyboardInterrupt"):
        assert word not in client.stderr, client.stderr.decode()


def test_exit_after_shutdown_ends_with_zero(marked: Marked) -> None:
    client, marker = marked()
    client.close(expect=0)
    assert marker.exists()
    assert_quiet(client)


def test_exit_without_shutdown_ends_with_one(marked: Marked) -> None:
    client, marker = marked()
    client.notify("exit")
    assert client.wait_for_exit() == 1
    assert marker.exists()
    client.check_consumed()


def test_exit_before_initialize_ends_with_one(fake_server: Spawn) -> None:
    client = fake_server()
    client.notify("exit")
    assert client.wait_for_exit() == 1


@pytest.mark.parametrize(("shut_down", "code"), [(False, 1), (True, 0)])
def test_the_end_of_stdin_ends_the_server_with_its_code(marked: Marked, shut_down: bool, code: int) -> None:
    client, marker = marked()
    if shut_down:
        client.call("shutdown")
    client.hang_up()
    assert client.wait_for_exit() == code
    assert marker.exists()
    assert_quiet(client)


def test_end_of_stdin_in_the_middle_of_a_frame(marked: Marked) -> None:
    client, marker = marked()
    client.send_bytes(b'Content-Length: 500\r\n\r\n{"jsonrpc"')
    client.hang_up()
    assert client.wait_for_exit() == 1
    assert marker.exists()


def test_requests_before_the_end_are_answered(marked: Marked) -> None:
    client, _ = marked()
    ids = [client.start("test/write", {"seconds": 0.01, "text": f"w{n}"}) for n in range(5)]
    client.hang_up()
    client.wait_for_exit()
    for id in ids:
        assert "result" in client.response(id)
    client.check_consumed()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("busy", [False, True])
def test_a_signal_ends_the_server_cleanly(marked: Marked, number: signal.Signals, busy: bool) -> None:
    if signal.getsignal(number) is signal.SIG_IGN and number == signal.SIGHUP:
        pytest.skip("these tests run under nohup, which the server respects")
    client, marker = marked()
    if busy:
        client.start("test/slow", {"seconds": 60})
        client.start("test/read", {"seconds": 60})
    client.process.send_signal(number)
    assert client.wait_for_exit() == 128 + number
    assert marker.exists()
    assert_quiet(client)


@pytest.mark.parametrize("how", ["exit", "end of stdin", "signal"])
def test_requests_to_the_client_that_it_never_answered(marked: Marked, how: str) -> None:
    """Requests waiting for the client are dropped silently; pygls would print a traceback."""
    capabilities = {
        "workspace": {
            "configuration": True,
            "didChangeWatchedFiles": {"dynamicRegistration": True},
            "didChangeConfiguration": {"dynamicRegistration": True},
        },
        "window": {"workDoneProgress": True},
    }
    client, marker = marked(capabilities=capabilities)
    client.ignore |= {"client/registerCapability", "workspace/configuration", "window/workDoneProgress/create"}
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    for _ in range(2):
        client.server_request("workspace/configuration")
    if how == "exit":
        client.close(expect=0)
    elif how == "signal":
        client.process.send_signal(signal.SIGTERM)
        assert client.wait_for_exit() == 128 + signal.SIGTERM
    else:
        client.hang_up()
        assert client.wait_for_exit() == 1
    assert marker.exists()
    assert client.stderr == b""


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.15, 0.3])
def test_a_signal_while_starting_leaves_no_traceback_of_the_front(fake_server: Spawn, delay: float) -> None:
    client = fake_server()
    time.sleep(delay)
    client.process.send_signal(signal.SIGTERM)
    assert client.wait_for_exit() in (128 + signal.SIGTERM, -signal.SIGTERM)
    assert_quiet(client)


@pytest.mark.parametrize("method", ["test/slow", "test/read", "test/write"])
def test_a_handler_that_hangs_does_not_hold_the_process(marked: Marked, method: str) -> None:
    client, marker = marked()
    client.start(method, {"seconds": 3600, "checks": False})
    id = client.start("shutdown")
    assert client.response(id)["result"] is None
    client.notify("exit")
    assert client.wait_for_exit() == 0
    assert marker.exists()
    assert_quiet(client)
    left = client.unconsumed()
    assert [m["error"]["code"] for m in left] == [-32800]


def test_an_engine_that_hangs_while_closing_does_not_hold_the_process(fake_server: Spawn) -> None:
    client = fake_server()
    client.initialize(options={"closeSeconds": 3600})
    client.call("test/echo")
    client.close(expect=0)
    assert_quiet(client)


def test_a_broken_stdout_ends_the_process(tmp_path: Path) -> None:
    marker = tmp_path / "closed"
    read, write = os.pipe()
    process = subprocess.Popen(
        [sys.executable, str(FAKE)],
        stdin=subprocess.PIPE,
        stdout=write,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    os.close(write)
    assert process.stdin is not None
    params: dict[str, object] = {"processId": None, "rootUri": None, "capabilities": {}}
    params["initializationOptions"] = {"closeMarker": str(marker)}
    hello = Client.frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    process.stdin.write(hello)
    process.stdin.flush()
    assert os.read(read, 10)
    os.close(read)
    message = Client.frame({"jsonrpc": "2.0", "id": 2, "method": "test/echo", "params": {"text": "x" * 99999}})
    process.stdin.write(message)
    process.stdin.flush()
    assert process.wait(90) == 1
    assert marker.exists()
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    process.stdin.close()


@pytest.mark.parametrize("reaped", [True, False])
def test_a_server_ends_with_its_parent(marked: Marked, reaped: bool) -> None:
    """`processId` names a process that dies, whether or not anybody reaps it."""
    parent = subprocess.Popen(["sleep", "1000"])
    client, marker = marked(process_id=parent.pid)
    parent.kill()
    if reaped:
        parent.wait()
    assert client.wait_for_exit() == 1
    assert marker.exists()
    parent.wait()


def test_a_parent_that_dies_while_the_server_is_still_starting(fake_server: Spawn) -> None:
    """`initialize` is answered before anything could watch the parent."""
    parent = subprocess.Popen(["sleep", "1000"])
    client = fake_server()
    client.initialize(process_id=parent.pid)
    parent.kill()
    parent.wait()
    assert client.wait_for_exit() == 1


def test_an_orphan_ends_although_its_stdin_stays_open(tmp_path: Path) -> None:
    """The real case: the editor is killed, and a sibling still holds the write end of our stdin."""
    read, write = os.pipe()
    out_read, out_write = os.pipe()
    code = (
        "import os, subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, {str(FAKE)!r}], stdin={read}, stdout={out_write})\n"
        "print(child.pid, flush=True)\n"
        "import time; time.sleep(1000)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        pass_fds=(read, out_write),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    os.close(read)
    os.close(out_write)
    client = Client(out_read, write)
    client.initialize(process_id=parent.pid)
    client.call("test/echo")
    parent.kill()
    parent.wait()
    client.reader.join(90)
    assert client.reader.ended
    deadline = time.monotonic() + 90
    while Path(f"/proc/{child}").exists() and time.monotonic() < deadline:
        status = Path(f"/proc/{child}/stat")
        try:
            if status.read_text().rsplit(")", 1)[1].split()[0] == "Z":
                break
        except (FileNotFoundError, ProcessLookupError):  # the second if it ends between opening and reading
            break
        time.sleep(0.02)
    else:
        assert not Path(f"/proc/{child}").exists()
    client.hang_up()
    parent.stdout.close()


def test_a_process_id_that_cannot_be_seen_is_no_dead_parent(fake_server: Spawn) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    with fake_server(ignore=["window/logMessage"]) as client:
        client.initialize(process_id=gone.pid)
        time.sleep(0.6)
        assert client.call("test/echo", {"text": "a"})["text"] == "a"


def test_a_conversation_in_a_file_is_answered(tmp_path: Path) -> None:
    conversation: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"id": 2, "method": "test/echo", "params": {"text": "from a file"}},
        {"id": 3, "method": "shutdown"},
        {"method": "exit"},
    ]
    script = tmp_path / "in"
    script.write_bytes(b"".join(Client.frame({"jsonrpc": "2.0", **message}) for message in conversation))
    result = tmp_path / "out"
    with script.open("rb") as source, result.open("wb") as sink:
        done = subprocess.run(
            [sys.executable, str(FAKE)],
            stdin=source,
            stdout=sink,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            timeout=180,
            check=False,
        )
    assert done.returncode == 0
    assert b'"text":"from a file"' in result.read_bytes()


def test_a_server_without_stdin_ends_quietly() -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} {FAKE} <&-"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=180,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"Traceback" not in done.stderr


def test_stderr_in_the_same_pipe_as_stdout(fake_server: Spawn) -> None:
    client = fake_server(stderr=subprocess.STDOUT)
    client.initialize()
    assert client.call("test/print")["events"] == ["0"]
    client.close()


def test_a_socket_as_stdin_and_stdout() -> None:
    import socket

    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, str(FAKE)],
        stdin=theirs.fileno(),
        stdout=theirs.fileno(),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    theirs.close()
    client = Client(ours.fileno(), os.dup(ours.fileno()))
    client.initialize()
    assert client.call("test/echo", {"text": "x" * 1_000_000})["size"] == 1_000_000
    client.call("shutdown")
    client.notify("exit")
    assert process.wait(90) == 0
    client.hang_up()
    ours.close()


def test_following_the_stores_ends_though_a_store_changes_at_that_moment() -> None:
    async def end() -> None:
        client, publisher = SimpleNamespace(hears_of_others=False), SimpleNamespace(concerned=False)
        folders, lanes = SimpleNamespace(folder_added=Event()), SimpleNamespace(submit=lambda *_: None)
        connection = SimpleNamespace(change_sent=Event())
        nobody = SimpleNamespace(client=client, folders=folders, lanes=lanes, connection=connection)
        follower = StoreFollower(cast("SidecarServer", nobody), cast("DiagnosticsPublisher", publisher))
        follower.start()
        (task,) = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.sleep(0)  # it waits for a change
        follower._changed()
        await asyncio.sleep(0)  # the change is told: the task would go on now
        task.cancel()
        await asyncio.wait({task}, timeout=20)
        assert task.cancelled()

    asyncio.run(end())
