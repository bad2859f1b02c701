"""A real server over stdio for benchmarks: start it, fill its store, time its answers.

The floor of a write, one `fsync` of a page, is measured here too. More than 10,000 memories are put into the store by
this process: recording them one by one takes minutes.
"""

from __future__ import annotations

import itertools
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parents[2]
SYLLABLES = [a + b for a in "bcdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "ol")]
VOCABULARY = ["".join(pair) for pair in itertools.product(SYLLABLES, repeat=2)]
FREQUENCIES = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(VOCABULARY))))
"""Words are drawn by Zipf's law, as in prose: a few stand in most memories, most in a few."""


class Peer:
    """A server process and the least client that can talk to it."""

    def __init__(self, command: list[str], env: dict[str, str], cwd: Path) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, cwd=cwd
        )
        self.next_id = 0

    def send(self, message: dict[str, object]) -> None:
        body = msgspec.json.encode({"jsonrpc": "2.0", **message})
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> dict[str, object]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline()) != b"\r\n":
            if not line:
                raise SystemExit("the server ended in the middle of the benchmark")
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message: dict[str, object] = msgspec.json.decode(self.process.stdout.read(length))
        return message

    def call(self, method: str, params: object) -> Any:
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.next_id and "method" not in message:
                if "error" in message:
                    raise SystemExit(f"{method} failed: {message['error']}")
                return message["result"]
            if "id" in message and "method" in message:
                self.send({"id": message["id"], "result": None})

    def resident(self) -> float:
        """Resident size in MiB."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return float("nan")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def start_server(
    store: Path, workspace: Path, *, warm_up: bool = False, profile: Path | None = None
) -> tuple[Peer, float]:
    """A running, initialized sidecar, and the seconds from spawn to the answer to `initialize`. With `profile` it runs
    under `profiled_server.py`, which writes there.
    """
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "MEMORY_SIDECAR_STORE_FOLDER": str(store),
        "MEMORY_SIDECAR_FILES_WARM_UP": str(warm_up).lower(),
    }
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode: so must this
    began = time.perf_counter()
    program = ["-m", "sidecar", "serve", "--stdio"]
    if profile is not None:
        program = [str(ROOT / "tests/bench/profiled_server.py"), str(profile)]
    peer = Peer([sys.executable, "-P", *program], env, workspace)
    peer.call(
        "initialize",
        {
            "processId": os.getpid(),
            "rootUri": None,
            "capabilities": {},
            "workspaceFolders": [{"uri": workspace.as_uri(), "name": "bench"}],
        },
    )
    took = time.perf_counter() - began
    peer.send({"method": "initialized", "params": {}})
    return peer, took


def timed(calls: int, one: Callable[[int], object]) -> tuple[float, float]:
    """p50 and p99 of `calls` calls, in milliseconds."""
    took = []
    for at in range(calls):
        began = time.perf_counter()
        one(at)
        took.append((time.perf_counter() - began) * 1000)
    took.sort()
    return statistics.median(took), took[min(len(took) - 1, int(len(took) * 0.99))]


def sentence(rng: random.Random, length: int) -> str:
    return " ".join(rng.choices(VOCABULARY, cum_weights=FREQUENCIES, k=length))


def fill(peer: Peer, count: int, rng: random.Random, prefix: str = "") -> float:
    """Record `count` memories, pipelined, each name after `prefix`; writes per second."""
    began = time.perf_counter()
    window = 64
    waiting = 0
    for at in range(count):
        peer.next_id += 1
        params = {"content": sentence(rng, 24), "name": f"{prefix}memory {at}", "type": "project"}
        peer.send({"id": peer.next_id, "method": "memory/record", "params": params})
        waiting += 1
        while waiting >= window or (at == count - 1 and waiting):
            if "result" in (message := peer.receive()):
                waiting -= 1
            elif "error" in message:
                raise SystemExit(f"memory/record failed: {message['error']}")
    return count / (time.perf_counter() - began)


def put(store: Path, workspace: Path, count: int, rng: random.Random) -> float:
    """Put `count` memories into the store of a workspace from this process; writes per second."""
    sys.path.insert(0, str(ROOT))
    from sidecar.engine.engine import Engine
    from sidecar.engine.options import EngineOptions
    from sidecar.memories.drafts import Draft
    from sidecar.memories.recording import record_writes
    from sidecar.runtime.ids import TimeOrderedIds
    from sidecar.settings import load

    began, ids, at = time.perf_counter(), TimeOrderedIds(), 1_750_000_000_000
    engine = Engine(load(None, {"MEMORY_SIDECAR_STORE_FOLDER": str(store)}).settings, EngineOptions(short_lived=True))
    opened = engine.lifecycle.add_workspace(workspace).open()
    for start in range(0, count, 2_000):
        with opened.memory_store.transaction() as transaction:
            for number in range(start, min(count, start + 2_000)):
                draft = Draft(content=sentence(rng, 24), name=f"memory {number}")
                record, _ = record_writes.prepare(draft, at + number, ids)
                transaction.put(record, "created", at + number)
    engine.close()
    return count / (time.perf_counter() - began)


def sync_floor(folder: Path) -> tuple[float, float]:
    """p50 and p99 in milliseconds of writing one page and waiting for the disk."""
    descriptor = os.open(folder / "page", os.O_CREAT | os.O_WRONLY)

    def one(at: int) -> None:
        os.pwrite(descriptor, bytes(4096), 4096 * (at % 16))
        os.fsync(descriptor)

    try:
        timed(20, one)
        return timed(300, one)
    finally:
        os.close(descriptor)


def answers(peer: Peer, params: dict[str, str]) -> bool:
    peer.next_id += 1
    peer.send({"id": peer.next_id, "method": "file/summary", "params": params})
    while (message := peer.receive()).get("id") != peer.next_id:
        pass
    return "result" in message
