"""A scripted session over real stdio teaches each rule, survives kill -9, and serves another process."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.client.stdio_client import StdioClient

IGNORED = (
    "window/logMessage",
    "memory/didChange",
    "file/didInvalidate",
    "$/progress",
    "client/registerCapability",
)
OPTIONS: dict[str, Any] = {"files": {"warmUp": False}, "watch": {"mode": "off"}, "log": {"level": "info"}}
Spawn = Callable[..., StdioClient]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    (made / "src").mkdir(parents=True)
    (made / "src" / "a.py").write_text("A = 1\n")
    return made


def started(spawn: Spawn, folder: Path, **memory: Any) -> StdioClient:
    client = spawn(ignore=IGNORED)
    client.initialize(folder, options={**OPTIONS, "memory": memory})
    return client


def play(client: StdioClient, folder: Path, session: str) -> None:
    """Each rule once, spelt as three agents spell it."""

    def event(kind: str, **params: Any) -> None:
        client.notify(f"event/{kind}", {"sessionId": session, **params})

    event("userMessage", text="From now on always use pnpm rather than npm.", agent="claude")
    for number in range(3):
        event(
            "toolCall",
            tool="Bash",
            input={"command": "cd src && uv run pytest -q | tail"},
            callId=f"c{number}",
        )
        event("toolResult", tool="Bash", output="1 passed", callId=f"c{number}", metadata={"exit": None})
    event(
        "toolResult",
        tool="shell",
        input={"command": ["bash", "-lc", "pnpm run build"]},
        output={"output": "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'."},
        exit_code=2,
    )
    event("toolCall", tool="Edit", input={"file_path": f"{folder}/src/a.ts"})
    event("toolCall", tool="write", input={"filePath": "src/b.ts"})
    event(
        "toolCall",
        tool="apply_patch",
        input="*** Begin Patch\n*** Update File: package.json\n@@\n*** End Patch",
    )
    event("toolResult", tool="bash", input={"command": "pnpm run build"}, output="", metadata={"exitCode": 0})
    event("reasoning", text="We decided to keep sessions in Postgres because Redis loses them on restarts.")
    event(
        "compaction",
        summary="## 3. memory candidates\n1. **API** (reference): the API is described in docs/api.md\n",
    )
    event("userMessage", text="Thanks!")


RULES = {
    "extractor:preference",
    "extractor:repeated-command",
    "extractor:error-fix",
    "extractor:edited-together",
    "extractor:config-file",
    "extractor:decision",
    "extractor:compaction",
}


def test_a_session_teaches_and_what_was_flushed_survives_kill_9(spawn: Spawn, folder: Path) -> None:
    first = started(spawn, folder)
    play(first, folder, "one")
    ended = first.call("session/end", {"sessionId": "one", "summary": "Typed the build."})
    assert ended["state"] == "ended"
    first.kill()

    with started(spawn, folder) as second:
        found = second.call("memory/list", {"limit": 100})["items"]
        assert {memory["source"] for memory in found} == {*RULES, "agent"}
        block = second.call(
            "memory/inject", {"prompt": "pnpm run build fails, which sessions store do we use?"}
        )
        assert "TS2322" in block["text"]
        assert "`src/a.ts`" in block["text"]
        assert "Postgres" in block["text"]
        assert "pnpm rather than npm" in block["text"]
        assert str(folder) not in block["text"]
        assert second.call("session/list", {})["items"] == []
        (session,) = second.call("session/list", {"all": True})["items"]
        assert (session["sessionId"], session["agent"], session["state"]) == ("one", "claude", "ended")

        # What it was given comes back in every way: nothing is learned of it.
        for number in range(10):
            for kind, params in (
                ("userMessage", {"text": block["text"]}),
                ("reasoning", {"text": f"I was told:\n{block['text']}"}),
                ("compaction", {"summary": f"## Memory Candidates\n{block['text']}"}),
                (
                    "toolResult",
                    {
                        "tool": "bash",
                        "input": {"command": f"make n{number}"},
                        "output": block["text"],
                        "exitCode": 1,
                    },
                ),
            ):
                second.notify(f"event/{kind}", {"sessionId": "two", **params})
        second.call("session/end", {"sessionId": "two"})
        assert len(second.call("memory/list", {"limit": 100})["items"]) == len(found)

        # The same again in another session: everything is known.
        play(second, folder, "three")
        second.call("session/end", {"sessionId": "three"})
        again = second.call("memory/list", {"limit": 100})["items"]
        assert [(memory["id"], memory["content"]) for memory in again] == [
            (memory["id"], memory["content"]) for memory in found
        ]


def test_shutdown_and_the_end_of_stdin_store_what_waits(spawn: Spawn, folder: Path) -> None:
    with started(spawn, folder, learnBufferSeconds=3600) as client:
        client.notify("event/toolCall", {"sessionId": "a", "tool": "edit", "input": {"path": "Makefile"}})
        assert (
            len(client.call("session/list", {})["items"]) == 1
        )  # the event was taken, and nothing stored yet
    other = started(spawn, folder, learnBufferSeconds=3600)
    other.notify("event/toolCall", {"sessionId": "b", "tool": "edit", "input": {"path": "Dockerfile"}})
    items = other.call("session/list", {})["items"]  # the event was taken, and nothing stored yet
    assert [item["sessionId"] for item in items] == ["b"], "the other's server is gone"
    other.hang_up()
    other.wait_for_exit()
    with started(spawn, folder) as client:
        found = client.call("memory/list")["items"]
        assert sorted(memory["files"][0] for memory in found) == ["Dockerfile", "Makefile"]


def test_wrong_events_are_logged_and_harm_nothing(spawn: Spawn, folder: Path) -> None:
    client = started(spawn, folder)
    client.ignore.discard("window/logMessage")
    for kind, params in (
        ("toolCall", {"tool": "bash"}),
        ("toolResult", {"sessionId": "a", "output": "x"}),
        ("userMessage", {"sessionId": "", "text": "x"}),
        ("userMessage", {"sessionId": "a", "text": 7}),
        ("compaction", {"sessionId": "a", "summary": ["x"]}),
        ("reasoning", None),
    ):
        client.notify(f"event/{kind}", params)
        client.wait(lambda m, kind=kind: f"event/{kind} was not handled" in str(m))  # type: ignore[misc]
    client.notify("event/userMessage", {"sessionId": "a", "text": "Always run the tests with -q."})
    assert len(client.call("memory/list")["items"]) == 1
    with contextlib.suppress(AssertionError):
        client.close()


def test_a_session_s_errors_are_told_apart(spawn: Spawn, folder: Path) -> None:
    with started(spawn, folder) as client:
        error = client.error("session/heartbeat", {"sessionId": "a"})
        assert (error["code"], error["data"]["reason"]) == (-32017, "unknown")
        client.call("session/start", {"sessionId": "a"})
        client.call("session/end", {"sessionId": "a"})
        error = client.error("session/end", {"sessionId": "a"})
        assert (error["code"], error["data"]["reason"]) == (-32017, "ended")


def test_switched_off_nothing_is_learned(spawn: Spawn, folder: Path) -> None:
    with started(spawn, folder, autoExtract=False) as client:
        play(client, folder, "one")
        client.call("session/end", {"sessionId": "one"})
        assert client.call("memory/list")["items"] == []
