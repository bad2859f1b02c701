"""How a session ends, by each front: cleanly, killed, killed with its server, and while the store is busy."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.json_value import Json, document
from tests.hooks.conftest import ROOT, AgentProcess, eventually
from tests.hooks.test_dead_sessions import (
    AGAIN,
    ERROR,
    TEST,
    WISH,
    RunForJson,
    busy,
    contents_and_versions,
    left,
    sidecar,
    work,
)

Ending = str
ENDINGS = ("clean", "killed", "killed with its server", "slow")


class Talking:
    """An agent's process, with a server of its own."""

    def __init__(self, front: str, folder: Path, environ: dict[str, str]) -> None:
        self.front, self.folder, self._id = front, folder, 0
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "client" / "talking_agent.py"), front],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environ,
            cwd=folder,
            text=True,
            start_new_session=True,
        )
        if front == "mcp":
            self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t"})
            self.tell("notifications/initialized")
            self.ask("tools/call", name="session", arguments={"action": "start", "workingOn": "x"})
        else:
            self.ask("initialize", processId=None, rootUri=folder.as_uri(), capabilities={})
            self.tell("initialized")
            self.ask("session/start", sessionId="s1")

    def send(self, message: dict[str, object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def tell(self, method: str, **params: object) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, **params: object) -> Json:
        self._id += 1
        self.send({"id": self._id, "method": method, "params": params})
        assert self.process.stdout is not None
        answer = document(self.process.stdout.readline())
        assert "result" in answer, answer
        return answer["result"]

    def remember(self, *, wait: bool = True) -> None:
        arguments = {"content": WISH, "name": "pnpm"}
        if wait:
            self.ask("tools/call", name="remember", arguments=arguments)
        else:
            self.send({"id": 99, "method": "tools/call", "params": {"name": "remember", "arguments": arguments}})

    def work(self) -> None:
        """Do what `work` does with hooks."""

        def event(kind: str, **params: object) -> None:
            self.tell(f"event/{kind}", sessionId="s1", agent="t", **params)

        event("userMessage", text=WISH)
        event("toolCall", tool="Bash", callId="1", input=TEST)
        event("toolResult", tool="Bash", callId="1", output=ERROR, exitCode=1)
        edit = {"file_path": str(self.folder / "setup.cfg"), "old_string": "a", "new_string": "b"}
        event("toolResult", tool="Edit", callId="2", input=edit, output="done")
        event("toolResult", tool="Bash", callId="3", input=AGAIN, output="1 passed", exitCode=0)

    def end(self, ending: Ending) -> None:
        assert self.process.stdin is not None
        if ending == "clean":
            if self.front == "mcp":
                self.ask("tools/call", name="session", arguments={"action": "end"})
            else:
                self.ask("session/end", sessionId="s1")
                self.ask("shutdown")
                self.tell("exit")
            self.process.stdin.close()
        elif ending == "killed with its server":
            os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()
        self.process.wait(30)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("front", ["hooks", "serve", "mcp"])
def test_lessons_of_a_session_are_there_after_the_next_start(
    front: str,
    ending: Ending,
    agent: Callable[..., AgentProcess],
    folder: Path,
    environ: dict[str, str],
    sidecar: RunForJson,
    left: Callable[[], list[Path]],
) -> None:
    agent("s0").tell("SessionStart", source="startup")  # makes the stores
    environ["MEMORY_SIDECAR_HOOKS_ANSWER_SECONDS"] = "4"
    with contextlib.ExitStack() as stack:
        if front == "hooks":
            hooking = agent("s1")
            if ending == "slow":
                stack.enter_context(busy(environ, "lock", 16.0))
            work(hooking, folder)
            if ending in ("clean", "slow"):
                hooking.tell("SessionEnd")
            hooking.kill()
        else:
            talking = Talking(front, folder, environ)
            if ending == "slow":
                stack.enter_context(busy(environ, "lock", 16.0))
            if front == "mcp":
                talking.remember(wait=ending != "slow")
            else:
                talking.work()
                if ending != "slow":
                    talking.ask("session/list")
            if ending == "slow":
                assert not told_soon(talking)
            talking.end(ending)
    agent("s2").tell("SessionStart", source="startup")
    assert eventually(lambda: any("pnpm" in content for content, _ in contents_and_versions(sidecar("list"))))
    assert eventually(lambda: all(path.name.startswith(("s0-", "s2-")) for path in left()))
    found = contents_and_versions(sidecar("list"))
    assert front == "mcp" or any("yaml" in content for content, _ in found)
    assert {version for _, version in found} == {1}
    at_work = {item["sessionId"] for item in sidecar("sessions")["items"]}
    assert at_work == {"s0", "s2"}


def test_a_session_that_another_server_has_taken_up_stays_at_work(
    folder: Path, environ: dict[str, str], sidecar: RunForJson, left: Callable[[], list[Path]]
) -> None:
    first = Talking("serve", folder, environ)
    first.work()
    first.ask("session/list")
    first.end("killed with its server")
    second = Talking("serve", folder, environ)
    try:
        assert eventually(lambda: len(contents_and_versions(sidecar("list"))) > 0 and not left())
        assert [session["sessionId"] for session in second.ask("session/list")["items"]] == ["s1"]
    finally:
        second.end("clean")
    assert sidecar("sessions")["items"] == []


def told_soon(talking: Talking) -> bool:
    """Return True if an answer comes within a second, which it does not while the store is busy."""
    import select

    assert talking.process.stdout is not None
    return bool(select.select([talking.process.stdout], [], [], 1.0)[0])


__all__ = ["left", "sidecar"]
