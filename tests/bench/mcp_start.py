"""How long the fronts for agents take: spawn to the answer of `initialize` (MCP beside LSP), and one hook of each kind.

    python -P tests/bench/mcp_start.py [ROUNDS]

Median and largest of the rounds, in milliseconds, and the size of the list of tools. Bytecode is written first.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from sidecar.mcp.methods import TOOLS
from sidecar.text.tokens import estimate

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
EVENTS: dict[str, dict[str, object]] = {
    "PreToolUse": {"tool_name": "Read", "tool_input": {"file_path": "a.py"}},
    "PostToolUse": {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_response": {"stdout": "ok"}},
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "Which package manager is used here?"},
    "Stop": {},
    "SessionEnd": {},
}


def main(rounds: int) -> None:
    listed = msgspec.json.encode({"tools": [tool.description() for tool in TOOLS.values()]}).decode()
    print(f"{len(TOOLS)} tools, {estimate(listed)} tokens")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "work"
        folder.mkdir()
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        environ = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environ |= {"HOME": place, "XDG_DATA_HOME": place, "PYTHONPATH": str(Path(__file__).parents[2])}
        _report("mcp: spawn to initialize answered", rounds, lambda: _hello(folder, environ, "mcp"))
        _report("serve: spawn to initialize answered", rounds, lambda: _hello(folder, environ, "serve"))
        for name, fields in EVENTS.items():
            event = {"hook_event_name": name, "session_id": "bench", "cwd": str(folder), **fields}
            data = json.dumps(event).encode()
            _report(f"hook {name}", rounds, lambda data=data: _hook(folder, environ, data))  # type: ignore[misc]


def _report(what: str, rounds: int, once: Callable[[], float]) -> None:
    once()
    times = [once() * 1_000 for _ in range(rounds)]
    print(f"{what}: {statistics.median(times):.0f} (largest {max(times):.0f})")


def _hello(folder: Path, environ: dict[str, str], command: str) -> float:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}).encode()
    sent = body + b"\n" if command == "mcp" else b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "sidecar", command],
        cwd=folder,
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(sent)
        process.stdin.flush()
        process.stdout.read(1)
        took = time.perf_counter() - started
        process.stdin.close()
        process.stdout.read()
    return took


def _hook(folder: Path, environ: dict[str, str], data: bytes) -> float:
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-P", "-m", "sidecar", "hook"],
        input=data,
        cwd=folder,
        env=environ,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - started


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
