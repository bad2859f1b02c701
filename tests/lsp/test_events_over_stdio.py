"""A scripted session over real stdio teaches each rule, survives kill -9, and serves another process."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from tests.client.json_value import fields
from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn

IGNORED = ("window/logMessage", "memory/didChange", "file/didInvalidate", "$/progress", "client/registerCapability")
OPTIONS: dict[str, object] = {"files": {"warmUp": False}, "watch": {"mode": "off"}, "log": {"level": "info"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    (made / "src").mkdir(parents=True)
    (made / "src" / "a.py").write_text("A = 1\n")
    return made


def started(spawn: Spawn, folder: Path, **memory: object) -> StdioClient:
    client = spawn(ignore=IGNORED)
    client.initialize(folder, options={**OPTIONS, "memory": memory})
    return client


def play(client: StdioClient, folder: Path, session: str) -> None:
    """Play each rule once, spelt as three agents spell it."""

    def event(kind: str, **params: object) -> None:
        client.notify(f"event/{kind}", {"sessionId": session, **params})

    event("userMessage", text="From now on always use pnpm rather than npm.", agent="claude")
    for number in range(3):
        event("toolCall", tool="Bash", input={"command": "cd src && uv run pytest -q | tail"}, callId=f"c{number}")
        event("toolResult", tool="Bash", output="1 passed", callId=f"c{number}", metadata={"exit": None})
    event(
        "toolResult",
        tool="shell",
        input={"command": ["bash", "-lc", "pnpm run build"]},
        output={"output": "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'."},
        exit_code=2,
    )
    event("toolCall", tool="Read", input={"file_path": f"{folder}/src/a.ts"})
    again = {"command": "cd . && TS_STRICT=0 pnpm run build", "workdir": str(folder)}
    event("toolResult", tool="bash", input=again, output="", metadata={"exitCode": 0})
    event("reasoning", text="We decided to keep sessions in Postgres because Redis loses them on restarts.")
    event(
        "compaction", summary="## 3. memory candidates\n1. **API** (reference): the API is described in docs/api.md\n"
    )
    event("userMessage", text="Thanks!")


RULES = {"extractor:rule", "extractor:error-fix"}
WAITING = {"compaction"}


def test_a_session_teaches_and_what_was_flushed_survives_kill_9(spawn: Spawn, folder: Path) -> None:
    first = started(spawn, folder)
    play(first, folder, "one")
    ended = first.call("session/end", {"sessionId": "one", "summary": "Typed the build."})
    assert ended["state"] == "ended"
    first.kill()

    with started(spawn, folder) as second:
        found = second.call("memory/list", {"limit": 100})["items"]
        assert {memory["source"] for memory in found} == {*RULES, "agent"}
        assert {candidate["rule"] for candidate in second.call("memory/candidates", {})["items"]} == WAITING
        block = second.call("memory/inject", {"prompt": "pnpm run build fails, which sessions store do we use?"})
        assert "TS2322" in block["text"]
        assert "TS_STRICT=0 pnpm run build" in block["text"]
        assert "pnpm rather than npm" in second.call("memory/inject", {})["text"]
        assert str(folder) not in block["text"]
        assert second.call("session/list", {})["items"] == []
        (session,) = second.call("session/list", {"all": True})["items"]
        assert fields(session, "sessionId", "agent", "state") == ("one", "claude", "ended")

        # What the session was given comes back in every way, and nothing is learned from it.
        for number in range(10):
            for kind, params in (
                ("userMessage", {"text": block["text"]}),
                ("reasoning", {"text": f"I was told:\n{block['text']}"}),
                ("compaction", {"summary": f"## Memory Candidates\n{block['text']}"}),
                (
                    "toolResult",
                    {"tool": "bash", "input": {"command": f"make n{number}"}, "output": block["text"], "exitCode": 1},
                ),
            ):
                second.notify(f"event/{kind}", {"sessionId": "two", **params})
        second.call("session/end", {"sessionId": "two"})
        assert len(second.call("memory/list", {"limit": 100})["items"]) == len(found)

        # The same again in another session: known memories stay, and what was proposed twice is confirmed.
        play(second, folder, "three")
        second.call("session/end", {"sessionId": "three"})
        again = {memory["id"]: memory for memory in second.call("memory/list", {"limit": 100})["items"]}
        assert [again.pop(memory["id"])["content"] for memory in found] == [memory["content"] for memory in found]
        assert [memory["source"] for memory in again.values()] == ["extractor:compaction"]


def test_shutdown_and_the_end_of_stdin_store_what_waits(spawn: Spawn, folder: Path) -> None:
    def learn(client: StdioClient, name: str) -> None:
        for command, code in ((f"make {name}", 2), (f"PART=1 make {name}", 0)):
            params = {"sessionId": name, "tool": "bash", "input": {"command": command}, "exitCode": code}
            client.notify("event/toolResult", {**params, "output": "error: nothing is there" if code else ""})

    with started(spawn, folder, learnBufferSeconds=3600) as client:
        learn(client, "a")
        assert len(client.call("session/list", {})["items"]) == 1  # the event was taken, and nothing stored yet
    other = started(spawn, folder, learnBufferSeconds=3600)
    learn(other, "b")
    items = other.call("session/list", {})["items"]  # the event was taken, and nothing stored yet
    assert [item["sessionId"] for item in items] == ["b"], "the other's server is gone"
    other.hang_up()
    other.wait_for_exit()
    with started(spawn, folder) as client:
        found = client.call("memory/list")["items"]
        assert sorted(memory["sessionId"] for memory in found) == ["a", "b"]


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
        assert fields(error, "code", "data.reason") == (-32017, "unknown")
        client.call("session/start", {"sessionId": "a"})
        client.call("session/end", {"sessionId": "a"})
        error = client.error("session/end", {"sessionId": "a"})
        assert fields(error, "code", "data.reason") == (-32017, "ended")


def test_switched_off_nothing_is_learned(spawn: Spawn, folder: Path) -> None:
    with started(spawn, folder, learn="off") as client:
        play(client, folder, "one")
        client.call("session/end", {"sessionId": "one"})
        assert client.call("memory/list")["items"] == []
