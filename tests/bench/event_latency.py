"""Milliseconds that the engine takes for an event, median and 99th percentile: `python tests/bench/event_latency.py`.

Real stores in a temporary folder; the wire is not in it (tests/bench/run.py measures that).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from protocol.methods import METHODS
from sidecar.engine.engine import Engine
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, StoreSettings, WatchSettings

ROUNDS = 500


LOG = "building module, nothing special here\n"
BIG = LOG * 27_000


def _run(command: str, output: str, exit: int) -> dict[str, object]:
    return {"tool": "bash", "input": {"command": command}, "output": output, "exitCode": exit}


def _call(tool: str, **given: str) -> dict[str, Any]:
    return {"tool": tool, "input": given}


CASES: list[tuple[str, str, Callable[[int], dict[str, Any]]]] = [
    ("toolCall, command", "toolCall", lambda n: _call("bash", command=f"cd a && X=1 npm run t{n} | tail -5")),
    ("toolResult, 200 B, failed", "toolResult", lambda n: _run(f"make t{n}", f"error: no rule {n}\n" * 10, 2)),
    ("toolResult, 1 MB, passed", "toolResult", lambda n: _run(f"make t{n}", BIG, 0)),
    ("toolResult, 1 MB, failed", "toolResult", lambda n: _run(f"make u{n}", BIG, 2)),
    ("toolCall, edit of 100 KB", "toolCall", lambda n: _call("write", path=f"src/{n}.py", content=BIG[:100_000])),
    ("reasoning, 1,000 characters", "reasoning", lambda n: {"text": f"I look at file {n} and think of it. " * 28}),
    ("userMessage, 200 characters", "userMessage", lambda n: {"text": f"Could you look at test {n}? It fails. " * 5}),
]


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        work.mkdir()
        engine = Engine(
            Settings(
                store=StoreSettings(folder=Path(folder, "store")),
                files=FileSettings(warm_up=False),
                watch=WatchSettings(mode="off"),
            )
        )
        engine.lifecycle.add_workspace(work)
        for name, kind, make in CASES:
            row = METHODS[f"event/{kind}"]
            times: list[float] = []
            for number in range(ROUNDS):
                params: dict[str, Any] = {"sessionId": f"s{number % 10}", **make(number)}
                decoded = msgspec.convert(params, row.params)
                began = time.perf_counter()
                engine.call(row.name, decoded)
                times.append((time.perf_counter() - began) * 1e3)
            times.sort()
            print(f"{name:30} p50 {times[len(times) // 2]:7.3f}  p99 {times[len(times) * 99 // 100]:7.3f}")
        engine.close()
    sys.stdout.flush()


if __name__ == "__main__":
    main()
