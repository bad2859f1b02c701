"""How a model handles candidates on the user's word, through a real process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.hostile import inside
from tests.client.line_client import LineClient
from tests.client.stdio_client import StdioClient

Connect = Callable[..., LineClient]
TRAIN = "Deploys to staging go through the release train on Thursday."
LOGS = "Logs of the nightly import are kept in the blue bucket."
PROPOSE = {"MEMORY_SIDECAR_MEMORY_LEARN": "propose"}


@pytest.fixture
def client(connect: Connect, spawn: Callable[..., StdioClient], folder: Path) -> LineClient:
    """A model's client, after an earlier session that said two things."""
    with spawn(
        env=PROPOSE, ignore=("memory/didChange", "window/logMessage", "$/progress", "file/didInvalidate")
    ) as server:
        server.initialize(folder)
        lines = "".join(f"- **{text[:20]}** (project, project): {text}\n" for text in (TRAIN, LOGS))
        summary = f"## Memory Candidates\n{lines}"
        server.notify("event/compaction", {"sessionId": "before", "summary": summary})
        server.call("session/end", {"sessionId": "before"})
    found = connect(env=PROPOSE)
    found.hello()
    return found


def named(client: LineClient, **arguments: object) -> dict[str, str]:
    """Return the candidates that the context names, ids by text."""
    (part,) = client.tool("context", **arguments)["content"]
    text = str(part["text"])
    block = inside(text) if "<memory-notes>" in text else ""
    lines = [line for line in block.splitlines() if "[candidate " in line]
    return {line.split(") ", 1)[1].split(" [")[0]: line.split("[candidate ")[1].rstrip("]") for line in lines}


def test_the_context_names_candidates_with_and_without_a_task(client: LineClient) -> None:
    found = named(client)
    assert set(found) == {TRAIN, LOGS}
    assert named(client, prompt="rename the buttons") == found
    assert client.tool("recall", query="deploys to staging")["structuredContent"]["items"] == []


def test_candidates_are_confirmed_in_other_words_or_dropped(client: LineClient) -> None:
    found = named(client)
    kept = client.tool("update_memory", id=found[TRAIN], action="confirm", content="Staging is deployed on Thursdays.")
    assert "Staging is deployed on Thursdays." in kept["content"][0]["text"]
    assert kept["structuredContent"]["memory"]["content"] == "Staging is deployed on Thursdays."
    dropped = client.tool("forget", id=found[LOGS])
    assert "not proposed again" in dropped["content"][0]["text"]
    assert dropped["structuredContent"] == {"id": found[LOGS], "undoable": False}
    assert named(client) == {}
    items = client.tool("recall", query="staging")["structuredContent"]["items"]
    assert [item["content"] for item in items] == ["Staging is deployed on Thursdays."]


def test_a_confirmed_candidate_can_be_pinned_at_once(client: LineClient) -> None:
    id = named(client)[TRAIN]
    kept = client.tool("update_memory", id=id, action="confirm", pinned=True, category="procedure")
    assert kept["structuredContent"]["memory"]["category"] == "procedure"
    assert TRAIN in kept["content"][0]["text"]


def test_an_unknown_candidate_id_is_an_error(client: LineClient) -> None:
    nothing = "01890000-0000-7000-8000-000000000000"
    for tool, more in (("forget", {}), ("update_memory", {"action": "confirm"})):
        answer = client.tool(tool, id=nothing, **more)
        assert answer["isError"]
        assert nothing in answer["content"][0]["text"]


def test_remember_tool_makes_a_memory_at_once(client: LineClient) -> None:
    client.tool("remember", content="Always use pnpm rather than npm.", type="user")
    items = client.tool("recall", query="pnpm")["structuredContent"]["items"]
    assert [item["content"] for item in items] == ["Always use pnpm rather than npm."]
