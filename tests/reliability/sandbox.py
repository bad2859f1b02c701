"""A home, a project and real processes in it, and what their logs say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.client.json_value import Json
from tests.client.line_client import LineClient
from tests.client.stdio_client import ROOT, StdioClient, Unanswered
from tests.reliability.outcome import Outcome

PROGRAM = (sys.executable, "-P", "-m", "sidecar")
MOVED = (sys.executable, "-P", str(ROOT / "tests" / "reliability" / "process.py"))
"""The same program, with what `process.py` adds."""

IGNORED = (
    "window/logMessage",
    "window/showMessage",
    "textDocument/publishDiagnostics",
    "memory/didChange",
    "file/didInvalidate",
)
EVERYTHING = {"agent": "*", "limit": 200, "include": ["archived", "expired", "resolved"]}
DEFECTS = ("Traceback (most recent", "a defect of memory-sidecar", "database is locked", "Fatal Python error")


def git(
    folder: Path, *arguments: str, check: bool = True, input: bytes | None = None, env: Mapping[str, str] | None = None
) -> str:
    """Run git as somebody who is not the user of this machine."""
    who = ("-c", "user.name=Mallory", "-c", "user.email=m@example.invalid", "-c", "init.defaultBranch=main")
    free = ("-c", "protocol.file.allow=always", "-c", "commit.gpgSign=false")
    done = subprocess.run(
        ["git", *who, *free, *arguments], cwd=folder, check=check, capture_output=True, input=input, env=env
    )
    return str(done.stdout.decode(errors="replace")).strip()


class Sandbox:
    """As a context manager it ends every process that it started."""

    def __init__(self, room: Path, *, repository: bool = True) -> None:
        self.room, self.home, self.folder = room, room / "home", room / "work"
        for place in (self.home, self.folder):
            place.mkdir(parents=True, exist_ok=True)
        self.environ = {"HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "PYTHONPATH": str(ROOT)}
        for name in ("data", "config", "state", "cache"):
            self.environ[f"XDG_{name.upper()}_HOME"] = str(self.home / name)
        self.environ["MEMORY_SIDECAR_HOOKS_ANSWER_SECONDS"] = "60"
        self._clients: list[StdioClient | LineClient] = []
        if repository and not (self.folder / ".git").exists():
            git(self.folder, "init", "-q")

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.kill()
        shutil.rmtree(self.room, ignore_errors=True)

    def spawn(
        self,
        folder: Path | None = None,
        *,
        command: Sequence[str] = (*PROGRAM, "serve"),
        env: Mapping[str, str] | None = None,
    ) -> StdioClient:
        """A server that was told nothing yet."""
        client = StdioClient(
            list(command), cwd=folder or self.folder, env={**self.environ, **(env or {})}, ignore=IGNORED
        )
        self._clients.append(client)
        return client

    def server(self, folder: Path | None = None, *, options: object = None, **given: Any) -> StdioClient:
        """A server with one folder open."""
        client = self.spawn(folder, **given)
        client.initialize(folder or self.folder, options=options)
        return client

    def mcp(
        self, folder: Path | None = None, *, program: Sequence[str] = PROGRAM, env: Mapping[str, str] | None = None
    ) -> LineClient:
        """An MCP server, greeted."""
        given = {**self.environ, **(env or {})}
        client = LineClient(folder or self.folder, self.home, env=given, program=program)
        self._clients.append(client)
        client.hello()
        return client

    def run(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
        """One command of the command line."""
        given: dict[str, Any] = {
            "cwd": self.folder,
            "capture_output": True,
            "timeout": 600,
            "check": False,
            "env": {**os.environ, **self.environ},
        }
        return subprocess.run([*PROGRAM, *arguments], **{**given, **options})

    def hook(
        self, name: str, folder: Path | None = None, session: str = "s1", **fields: object
    ) -> subprocess.CompletedProcess[bytes]:
        """One hook process."""
        place = str(folder or self.folder)
        event = {"hook_event_name": name, "session_id": session, "cwd": place, **fields}
        return self.run("hook", input=json.dumps(event).encode(), cwd=place)

    def memories(self, client: StdioClient, **filters: object) -> list[Json]:
        """All that a server lists, page by page."""
        found: list[Json] = []
        given = {**EVERYTHING, **filters}
        while True:
            page = client.call("memory/list", given)
            found += page["items"]
            if page.get("cursor") is None:
                return found
            given["cursor"] = page["cursor"]

    def logs(self) -> str:
        """All that was logged."""
        return "".join(path.read_text(errors="replace") for path in self.home.rglob("*.log*"))

    def judge(self, outcome: Outcome, *, ended: bool = False) -> None:
        """Count what the log and stderr say that must not be there, and servers that went by themselves."""
        shown = self.logs() + "".join(
            one.stderr.decode(errors="replace") for one in self._clients if isinstance(one, StdioClient)
        )
        for sign in DEFECTS:
            if (at := shown.find(sign)) >= 0:
                line = shown[max(0, shown.rfind("\n", 0, at)) : at + 1_500].strip()
                outcome.crashed.append(f"logged: {line}")
        for client in () if ended else self._clients:
            code = client.process.poll()
            if code is not None and code not in (0, -9):
                outcome.crashed.append(f"a server ended by itself with {code}")


def alive(client: StdioClient, outcome: Outcome, after: str) -> bool:
    """Whether a server still answers a good request; counted where it does not."""
    try:
        client.call("sidecar/status", {})
    except (Unanswered, OSError, AssertionError) as error:
        outcome.crashed.append(f"after {after}: {str(error)[:300]}")
        return False
    return True
