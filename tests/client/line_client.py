"""A client of the MCP front: a real process, one JSON text a line."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.client.json_value import Json

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120.0


class LineClient:
    """Messages of the server that nobody waited for stay in `seen`."""

    def __init__(
        self,
        folder: Path,
        home: Path,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = (sys.executable, "-P", "-m", "sidecar"),
    ) -> None:
        own = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "XDG_CONFIG_HOME": str(home / "config")}
        own |= {"XDG_STATE_HOME": str(home / "state"), "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            [*program, "mcp", *arguments],
            cwd=folder,
            env={**os.environ, **own, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.seen: list[Json] = []
        self.arrived: queue.Queue[Json | None] = queue.Queue()
        self._next = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.arrived.put(json.loads(line))  # whatever is no JSON fails the test that waits
        self.arrived.put(None)

    def send_raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        self.send_raw(json.dumps(message).encode() + b"\n")

    def notify(self, method: str, params: Mapping[str, object] | None = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def ask(self, method: str, params: Mapping[str, object] | None = None) -> int:
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params or {}})
        return self._next

    def message(self) -> Json:
        found = self.arrived.get(timeout=SECONDS)
        assert found is not None, "the server hung up"
        return found

    def answer(self, id: object) -> Json:
        for known in self.seen:
            if known.get("id") == id and "method" not in known:
                self.seen.remove(known)
                return known
        while True:
            found = self.message()
            if found.get("id") == id and "method" not in found:
                return found
            self.seen.append(found)

    def request(self, method: str, params: Mapping[str, object] | None = None) -> Json:
        answer = self.answer(self.ask(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def tool(self, name: str, /, **arguments: object) -> Json:
        return self.request("tools/call", {"name": name, "arguments": arguments})

    def hello(self, version: str = "2025-11-25", **capabilities: object) -> Json:
        info = {"name": "test", "version": "1"}
        params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": info}
        result = self.request("initialize", params)
        self.notify("notifications/initialized")
        return result

    def close(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(SECONDS)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
