"""Candidates through a real server: what waits, what confirms it, what is rejected for good."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.json_value import Json
from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn

IGNORED = ("window/logMessage", "memory/didChange", "file/didInvalidate", "$/progress", "client/registerCapability")
OPTIONS: dict[str, object] = {"files": {"warmUp": False}, "watch": {"mode": "off"}, "memory": {"learnBufferSeconds": 0}}
TEMPLATE = "Please do task {}. use bun, not node. " + "Read the plan that lies in the folder first. " * 6
SUMMARY = "## Memory Candidates\n- **{name}** (project, project): {text}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.fixture
def client(spawn: Spawn, folder: Path) -> Iterator[StdioClient]:
    with spawn(ignore=IGNORED) as started:
        started.initialize(folder, options=OPTIONS)
        yield started


def summed_up(client: StdioClient, session: str, text: str, name: str = "Deploys") -> None:
    """Let a compaction propose a memory, and end the session."""
    client.notify("event/compaction", {"sessionId": session, "summary": SUMMARY.format(name=name, text=text)})
    client.call("session/end", {"sessionId": session})


def contents(client: StdioClient) -> list[str]:
    return [str(memory["content"]) for memory in client.call("memory/list", {})["items"]]


def waiting(client: StdioClient) -> Json:
    return client.call("memory/candidates", {})["items"]


def test_a_candidate_is_shown_to_nobody_but_who_reviews(client: StdioClient, folder: Path) -> None:
    summed_up(client, "one", "Deploys to staging go through the release train on Thursday.")
    (found,) = waiting(client)
    assert found["status"] == "waiting"
    assert found["rule"] == "compaction"
    assert found["sessions"] == 1
    assert found["expiresAt"] > found["updatedAt"]
    assert found["evidence"][0]["sessionId"] == "one"
    assert "release train" in found["evidence"][0]["words"]
    assert contents(client) == []
    assert client.call("memory/search", {"query": "deploys to staging"})["items"] == []
    assert client.call("memory/inject", {"prompt": "how do deploys to staging go?"})["text"] == ""
    assert not (folder / ".agents" / "MEMORY.md").exists()
    assert client.call("sidecar/status", {})["workspaces"][0]["candidates"] == 1


def test_said_again_in_another_session_it_is_a_memory(client: StdioClient) -> None:
    summed_up(client, "one", "Deploys to staging go through the release train on Thursday.")
    summed_up(client, "one", "Deploys to staging go through the release train on Thursday.")
    assert contents(client) == []
    summed_up(client, "two", "Staging deploys: through the release train, Thursday.")
    assert contents(client) == ["Deploys to staging go through the release train on Thursday."]
    assert waiting(client) == []
    (memory,) = client.call("memory/list", {})["items"]
    (came_from,) = client.call("memory/candidates", {"memoryId": memory["id"]})["items"]
    assert came_from["status"] == "confirmed"
    assert [each["sessionId"] for each in came_from["evidence"]] == ["one", "two"]


def test_a_person_confirms_it_in_other_words(client: StdioClient) -> None:
    summed_up(client, "one", "Deploys to staging go through the release train on Thursday.")
    (found,) = waiting(client)
    done = client.call(
        "memory/confirm", {"id": found["id"], "content": "Staging is deployed on Thursdays.", "scope": "personal"}
    )
    assert done["status"] == "created"
    assert done["memory"]["content"] == "Staging is deployed on Thursdays."
    assert done["memory"]["scope"] == "personal"
    assert waiting(client) == []


def test_rejected_candidate_is_not_proposed_again_in_other_words(client: StdioClient) -> None:
    summed_up(client, "one", "Deploys to staging go through the release train on Thursday.")
    (found,) = waiting(client)
    assert client.call("memory/reject", {"id": found["id"]})["status"] == "rejected"
    for number in range(3):
        summed_up(client, f"later-{number}", "Staging deploys go through the Thursday release train.", "Trains")
    assert waiting(client) == []
    assert contents(client) == []
    (kept,) = client.call("memory/candidates", {"status": ["rejected"]})["items"]
    client.call("memory/confirm", {"id": kept["id"]})  # a person may change their mind
    assert len(contents(client)) == 1


def test_the_opposite_is_not_the_same(client: StdioClient) -> None:
    summed_up(client, "one", "Deploys to staging go through the release train.")
    summed_up(client, "two", "Deploys to staging do not go through the release train.", "Not so")
    assert contents(client) == []
    assert len(waiting(client)) == 2


def test_nobody_confirms_what_is_not_there(client: StdioClient) -> None:
    for method in ("memory/confirm", "memory/reject"):
        error = client.error(method, {"id": "01890000-0000-7000-8000-000000000000"})
        assert error["code"] == -32010
        assert "candidate" in error["message"]


@pytest.mark.parametrize(("learn", "memories", "candidates"), [("propose", 0, 1), ("confirm", 1, 0), ("off", 0, 0)])
def test_the_setting_says_what_becomes_of_it(
    spawn: Spawn, folder: Path, learn: str, memories: int, candidates: int
) -> None:
    options = {**OPTIONS, "memory": {"learnBufferSeconds": 0, "learn": learn}}
    with spawn(ignore=IGNORED) as client:
        client.initialize(folder, options=options)
        client.notify("event/userMessage", {"sessionId": "one", "text": "From now on always use pnpm rather than npm."})
        client.call("session/end", {"sessionId": "one"})
        assert len(contents(client)) == memories
        assert len(waiting(client)) == candidates


def test_secrets_are_gone_before_a_candidate_is_kept(client: StdioClient, spawn: Spawn, folder: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    summed_up(client, "one", f"Deploys to staging use the token {secret} of the robot account.")
    (found,) = waiting(client)
    assert secret not in str(found)
    assert "robot account" in found["content"]


def said(client: StdioClient, session: str, *messages: str) -> None:
    """Say something as the user, and end the session."""
    for text in messages:
        client.notify("event/userMessage", {"sessionId": session, "text": text})
    client.call("session/end", {"sessionId": session})


def test_a_wish_that_comes_back_is_a_memory(client: StdioClient) -> None:
    said(client, "one", "i dont want exceptions for specific tools")
    assert contents(client) == []
    said(client, "two", "i dont want to make exceptions for specific commands/tools")
    assert contents(client) == ["i dont want exceptions for specific tools"]


def test_wish_repeated_in_one_session_is_no_memory(client: StdioClient) -> None:
    said(client, "one", "run the tests", "now fix it and run the unit tests", "did you run all tests?")
    assert contents(client) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # The same opening and the same message: a session that was resumed or copied.
        (["look at the parser", "use bun, not node"], ["look at the parser", "use bun, not node"]),
        # The same long message: a task begun anew.
        (["use bun, not node, for the scripts of the new importer that we build today"],) * 2,
        # The same sentence in two long messages: a template.
        ([TEMPLATE.format(1)], [TEMPLATE.format(2)]),
    ],
    ids=["copy", "anew", "template"],
)
def test_copies_and_templates_say_nothing_again(client: StdioClient, first: list[str], second: list[str]) -> None:
    said(client, "one", *first)
    said(client, "two", *second)
    assert contents(client) == []


def test_learned_memory_steps_back_when_the_user_says_the_contrary(client: StdioClient) -> None:
    said(client, "one", "From now on always use pnpm rather than npm.")
    (memory,) = client.call("memory/list", {})["items"]
    said(client, "two", "we use npm rather than pnpm")
    assert client.call("memory/get", {"id": memory["id"]})["status"] == "archived"
    assert not any("pnpm rather than npm" in each["content"] for each in waiting(client))


def test_recorded_memory_does_not_step_back(client: StdioClient) -> None:
    kept = client.call("memory/record", {"content": "Always use pnpm rather than npm.", "type": "user"})["memory"]
    said(client, "two", "we use npm rather than pnpm")
    assert client.call("memory/get", {"id": kept["id"]})["status"] == "active"
