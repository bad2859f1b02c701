"""Clients that read slowly or not at all, at both fronts, as processes."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from protocol.memories import RecordParams
from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.settings import load
from tests.client.calling import EngineCalls

MEBIBYTE = 1024 * 1024
START = """
import sys
from sidecar.wire import writer
writer.STALLED_READER_SECONDS = float(sys.argv[1])
from sidecar.__main__ import main
sys.argv = ["memory-sidecar", *sys.argv[2:]]
sys.exit(main())
"""


def framed(message: dict[str, object]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def line(message: dict[str, object]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


class Front:
    """How to speak to a front: its hello, and a request with a long answer."""

    def __init__(self, command: str, encode: Callable[[dict[str, object]], bytes], folder: Path) -> None:
        self.command, self.encode = command, encode
        self.mark = b"\r\n\r\n" if command == "serve" else b"\n"
        version = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "x", "version": "1"}}
        root: dict[str, object] = {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}}
        self.hello = encode({"id": 0, "method": "initialize", "params": {**version, **root}}) + encode(
            {"method": "initialized" if command == "serve" else "notifications/initialized", "params": {}}
        )

    def long(self, id: int) -> bytes:
        if self.command == "serve":
            return self.encode({"id": id, "method": "memory/list", "params": {"limit": 40}})
        recall = {"name": "recall", "arguments": {"limit": 40}}
        return self.encode({"id": id, "method": "tools/call", "params": recall})


@pytest.fixture(params=["serve", "mcp"])
def front(request: pytest.FixtureRequest, tmp_path: Path) -> Front:
    folder = tmp_path / "project"
    folder.mkdir()
    environ = _environ(tmp_path)
    engine = Engine(load(folder, environ).settings, EngineOptions(short_lived=True))
    engine.lifecycle.add_workspace(folder)
    for number in range(40):
        text = f"Thing {number}: " + f"word{number} " * 1_500
        EngineCalls(engine).memory_record(RecordParams(content=text[:14_000], name=f"n{number}"))
    engine.close()
    return Front(request.param, framed if request.param == "serve" else line, folder)


def _environ(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "MEMORY_SIDECAR_STORE_FOLDER": str(tmp_path / "store"), "PYTHONPATH": os.getcwd()}


@contextmanager
def started(front: Front, tmp_path: Path, patience: float) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", START, str(patience), front.command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path / "project",
        env=_environ(tmp_path),
        bufsize=0,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def resident(process: subprocess.Popen[bytes]) -> int:
    with open(f"/proc/{process.pid}/status") as status:
        found = (int(one.split()[1]) * 1024 for one in status if one.startswith("VmRSS"))
        return next(found, 0)  # none when it has ended


def send(process: subprocess.Popen[bytes], data: bytes, seconds: float) -> bytes:
    """Return what the process did not take in this time; it may refuse for as long as nobody reads."""
    assert process.stdin is not None
    os.set_blocking(process.stdin.fileno(), False)
    until = time.monotonic() + seconds
    while data and time.monotonic() < until:
        if select.select([], [process.stdin], [], 0.1)[1]:
            try:
                data = data[os.write(process.stdin.fileno(), data[: 64 * 1024]) :]
            except BrokenPipeError:
                return data
    return data


def read_answers(process: subprocess.Popen[bytes], front: Front, count: int) -> None:
    assert process.stdout is not None
    got = b""
    while got.count(b'"id"') < count or not got.rstrip().endswith(b"}"):
        assert select.select([process.stdout], [], [], 60)[0]
        chunk = process.stdout.read(MEBIBYTE)
        assert chunk
        got += chunk


def test_a_client_that_does_not_read_is_bounded_and_given_up(front: Front, tmp_path: Path) -> None:
    with started(front, tmp_path, patience=3.0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(front.hello + front.long(1))
        read_answers(process, front, 2)  # so that everything is loaded before the measurement
        before = resident(process)
        most, id, until = 0, 2, time.monotonic() + 90
        while process.poll() is None and time.monotonic() < until:
            send(process, b"".join(front.long(id + more) for more in range(20)), 0.2)
            id += 20
            if process.poll() is None:
                most = max(most, resident(process))
        assert process.wait(30) in (0, 1)
        print(f"{front.command}: {before / MEBIBYTE:.0f} → {most / MEBIBYTE:.0f} MiB")
        assert most - before < 160 * MEBIBYTE  # unbounded it would be a gigabyte or more
    told = [each for each in _log(tmp_path) if "gave up on the client" in each]
    assert len(told) == 1


def test_a_client_that_reads_slowly_gets_everything(front: Front, tmp_path: Path) -> None:
    """Ask for everything at once and read a little at a time, with pauses that are nearly too long."""
    count = 150 if front.command == "serve" else 75  # a tool's answer holds everything twice
    with started(front, tmp_path, patience=3.0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        left = send(process, front.hello + b"".join(front.long(id) for id in range(1, count + 1)), 5)
        got = bytearray()
        for _ in range(6):
            time.sleep(2.0)
            got += process.stdout.read(64 * 1024)
        assert resident(process) < 250 * MEBIBYTE
        answers = got.count(front.mark)
        while answers < count + 1:
            assert select.select([process.stdout], [], [], 30)[0]
            got = got[-len(front.mark) + 1 :] if len(front.mark) > 1 else bytearray()
            chunk = process.stdout.read(MEBIBYTE)
            assert chunk
            got += chunk
            answers += got.count(front.mark)
            left = send(process, left, 0.1)
        assert not left
        assert process.poll() is None
    assert not [each for each in _log(tmp_path) if "gave up on the client" in each]


def _log(tmp_path: Path) -> list[str]:
    return (tmp_path / "store" / "logs" / "sidecar.log").read_text().splitlines()
