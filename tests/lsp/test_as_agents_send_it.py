"""Agents' own spellings and small mistakes: accepted where the meaning is sure, else answered with what would fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.client.json_value import fields
from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn

OPTIONS: dict[str, object] = {"files": {"warmUp": False}, "watch": {"mode": "off"}}
IGNORED = ("window/logMessage", "memory/didChange", "file/didInvalidate", "client/registerCapability")


@pytest.fixture
def client(spawn: Spawn, tmp_path: Path) -> StdioClient:
    """Start a server with two folders open."""
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        (folder / "app.py").write_text(f'"""The {folder.name} part."""\n\n\ndef serve() -> None:\n    """Serve."""\n')
    client = spawn(ignore=IGNORED)
    given = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
    client.initialize(options=OPTIONS, workspaceFolders=given)
    return client


def test_requests_as_agents_send_them(client: StdioClient, tmp_path: Path) -> None:
    one, two = (tmp_path / "one").as_uri(), (tmp_path / "two").as_uri()

    # A path may have any of the names that agents use for it.
    for name in ("path", "file", "filePath", "file_path"):
        briefing = client.call("file/summary", {name: "app.py", "workspaceUri": one})
        assert briefing["path"] == "app.py"
        read = client.call("file/recordRead", {name: f"{two}/app.py", "sessionId": "s"})
        assert read["hash"] != briefing["hash"]
    twice = client.error("file/summary", {"path": "app.py", "filePath": "b.py", "workspaceUri": one})
    assert fields(twice, "code", "data.path") == (-32602, "$.filePath")
    wrong = client.error("file/summary", {"filePath": 7, "workspaceUri": one})
    assert fields(wrong, "code", "data.path") == (-32602, "$.path")

    # Null for an optional field equals leaving it out; for a required one it is an error.
    nulls = {"files": None, "limit": None, "include": None, "agent": None, "scopes": None}
    assert client.call("memory/search", {"query": "x", "workspaceUri": one, **nulls})["items"] == []
    null = client.error("memory/search", {"query": None, "limit": None, "workspaceUri": one})
    assert fields(null, "code", "data.path") == (-32602, "$.query")
    kept = client.call("memory/record", {"content": "Made of felt.", "category": "fact", "workspaceUri": one})
    cleared = {"id": kept["memory"]["id"], "category": None, "tags": None, "workspaceUri": one}
    assert "category" not in client.call("memory/update", cleared), "null that says something still does"

    # Errors say what would have fitted.
    bad = client.error("memory/record", {"content": "x", "type": "habit"})
    assert bad["data"] == {"path": "$.type", "hint": "One of feedback, project, reference, user."}
    bad = client.error("memory/search", {"query": "x", "scopes": ["project", "team"]})
    assert bad["data"] == {"path": "$.scopes[1]", "hint": "One of global, personal, project."}
    bad = client.error("event/userMessage", {"sessionId": "s", "text": "Hello."})
    assert fields(bad, "code", "message") == (-32601, "'event/userMessage' is a notification: send it without an id.")
    assert client.error("memory/didChange", {})["message"] == "There is no method 'memory/didChange'."
    bad = client.error("memory/get", {"id": "x", "bogus": 1})
    assert bad["data"] == {"path": "$.bogus", "hint": "There are id, workspaceUri."}

    # Every method that can name a workspace answers for that one only.
    assert [each["uri"] for each in client.call("sidecar/status")["workspaces"]] == [one, two]
    status = client.call("sidecar/status", {"workspaceUri": two})
    assert [each["uri"] for each in status["workspaces"]] == [two]
    id = status["workspaces"][0]["id"]
    text = client.call("sidecar/metrics", {"workspaceUri": two})["text"]
    others = {each["id"] for each in client.call("sidecar/status")["workspaces"]} - {id}
    assert id in text
    assert not any(other in text for other in others)
    for method in ("sidecar/status", "sidecar/metrics"):
        assert client.error(method, {"workspaceUri": "file:///nowhere"})["code"] == -32016

    # Long work reports its progress under the client's token.
    for token, method in enumerate(
        ("memory/maintain", "memory/export", "memory/bootstrap", "workspace/repoMap", "file/search")
    ):
        params = {"workspaceUri": one, "workDoneToken": token} | ({"query": "x"} if method == "file/search" else {})
        client.call(method, params)
        kinds: list[str] = []
        while not kinds or kinds[-1] != "end":
            told = client.notification("$/progress")
            assert told["token"] == token
            kinds.append(str(told["value"]["kind"]))
        assert kinds[0] == "begin"


def test_an_event_teaches_whatever_else_it_says(client: StdioClient, tmp_path: Path) -> None:
    one = (tmp_path / "one").as_uri()
    for session in ("s", "t"):  # what one session does is its work
        about = {"sessionId": session, "workspaceUri": one, "timestamp": 1_700_000_000.5, "model": {"name": "m"}}
        for number in range(3):
            call = {**about, "tool": "bash", "callId": str(number)}
            client.notify("event/toolCall", {**call, "input": {"command": "make check"}})
            client.notify("event/toolResult", {**call, "exitCode": 0.0})
        client.call("session/end", {"sessionId": session, "workspaceUri": one})
    learned = client.call("memory/candidates", {"workspaceUri": one})["items"]
    assert any("make check" in each["content"] for each in learned), learned


def test_a_folder_needs_no_name(spawn: Spawn, tmp_path: Path) -> None:
    client = spawn(ignore=IGNORED)
    client.initialize(options=OPTIONS, workspaceFolders=[{"uri": tmp_path.as_uri()}])
    assert client.call("memory/record", {"content": "Made of felt."})["status"] == "created"


def test_requests_before_the_end_of_input_are_answered(spawn: Spawn, tmp_path: Path) -> None:
    client = spawn(ignore=IGNORED)
    client.initialize(options=OPTIONS, workspaceFolders=[{"uri": tmp_path.as_uri(), "name": "t"}])
    client.call("sidecar/status", {})
    asked = [client.start("memory/record", {"content": f"Fact {number} of felt."}) for number in range(60)]
    client.hang_up()
    statuses = [client.response(id).get("result", {}).get("status") for id in asked]
    assert statuses == ["created"] * 60
    client.wait_for_exit()
