"""Agents' own spellings and small mistakes: accepted where the meaning is sure, else answered with what would fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.json_value import fields
from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn, own_home

OPTIONS: dict[str, object] = {"files": {"warmUp": False}, "watch": {"mode": "off"}}
IGNORED = ("window/logMessage", "memory/didChange", "file/didInvalidate", "client/registerCapability")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Make two folders and return their URIs."""
    root = tmp_path_factory.mktemp("folders")
    for name in ("one", "two"):
        (root / name).mkdir()
        (root / name / "app.py").write_text(f'"""The {name} part."""\n\n\ndef serve() -> None:\n    """Serve."""\n')
    return (root / "one").as_uri(), (root / "two").as_uri()


@pytest.fixture(scope="module")
def client(folders: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[StdioClient]:
    """Start one server for all tests of this file, with the two folders open."""
    client = StdioClient(env=own_home(tmp_path_factory.mktemp("home")), ignore=IGNORED)
    client.initialize(options=OPTIONS, workspaceFolders=[{"uri": uri, "name": uri[-3:]} for uri in folders])
    yield client
    client.kill()


@pytest.mark.parametrize("name", ["path", "file", "filePath", "file_path"])
def test_a_path_may_have_any_name_that_agents_use(client: StdioClient, folders: tuple[str, str], name: str) -> None:
    one, two = folders
    briefing = client.call("file/summary", {name: "app.py", "workspaceUri": one})
    assert briefing["path"] == "app.py"
    assert client.call("file/recordRead", {name: f"{two}/app.py", "sessionId": "s"})["hash"] != briefing["hash"]


def test_a_path_given_twice_or_as_a_number_is_refused(client: StdioClient, folders: tuple[str, str]) -> None:
    twice = client.error("file/summary", {"path": "app.py", "filePath": "b.py", "workspaceUri": folders[0]})
    assert fields(twice, "code", "data.path") == (-32602, "$.filePath")
    number = client.error("file/summary", {"filePath": 7, "workspaceUri": folders[0]})
    assert fields(number, "code", "data.path") == (-32602, "$.path")


def test_null_for_an_optional_field_equals_leaving_it_out(client: StdioClient, folders: tuple[str, str]) -> None:
    nulls = {"files": None, "limit": None, "include": None, "agent": None, "scopes": None}
    assert client.call("memory/search", {"query": "unheard", "workspaceUri": folders[0], **nulls})["items"] == []
    null = client.error("memory/search", {"query": None, "limit": None, "workspaceUri": folders[0]})
    assert fields(null, "code", "data.path") == (-32602, "$.query")


def test_null_clears_a_field_where_that_means_something(client: StdioClient, folders: tuple[str, str]) -> None:
    recorded = client.call(
        "memory/record", {"content": "Made of felt.", "category": "fact", "workspaceUri": folders[0]}
    )
    cleared = {"id": recorded["memory"]["id"], "category": None, "tags": None, "workspaceUri": folders[0]}
    assert "category" not in client.call("memory/update", cleared)


@pytest.mark.parametrize(
    ("method", "params", "data"),
    [
        (
            "memory/record",
            {"content": "x", "type": "habit"},
            {"path": "$.type", "hint": "One of feedback, project, reference, user."},
        ),
        (
            "memory/search",
            {"query": "x", "scopes": ["project", "team"]},
            {"path": "$.scopes[1]", "hint": "One of global, personal, project."},
        ),
        ("memory/get", {"id": "x", "bogus": 1}, {"path": "$.bogus", "hint": "There are id, workspaceUri."}),
    ],
)
def test_an_error_says_what_would_have_fitted(
    client: StdioClient, method: str, params: dict[str, object], data: dict[str, str]
) -> None:
    assert client.error(method, params)["data"] == data


def test_a_notification_sent_as_a_request_is_refused(client: StdioClient) -> None:
    refused = client.error("event/userMessage", {"sessionId": "s", "text": "Hello."})
    assert fields(refused, "code", "message") == (
        -32601,
        "'event/userMessage' is a notification: send it without an id.",
    )
    assert client.error("memory/didChange", {})["message"] == "There is no method 'memory/didChange'."


def test_status_and_metrics_of_one_workspace_tell_of_no_other(client: StdioClient, folders: tuple[str, str]) -> None:
    ids = {str(row["uri"]): str(row["id"]) for row in client.call("sidecar/status")["workspaces"]}
    assert tuple(ids) == folders
    one, two = folders
    assert [row["uri"] for row in client.call("sidecar/status", {"workspaceUri": two})["workspaces"]] == [two]
    metrics = client.call("sidecar/metrics", {"workspaceUri": two})["text"]
    assert ids[two] in metrics
    assert ids[one] not in metrics
    for method in ("sidecar/status", "sidecar/metrics"):
        assert client.error(method, {"workspaceUri": "file:///nowhere"})["code"] == -32016


@pytest.mark.parametrize(
    "method", ["memory/maintain", "memory/export", "memory/bootstrap", "workspace/repoMap", "file/search"]
)
def test_long_work_reports_its_progress_under_the_clients_token(
    client: StdioClient, folders: tuple[str, str], method: str
) -> None:
    params = {"workspaceUri": folders[0], "workDoneToken": method}
    client.call(method, params | ({"query": "x"} if method == "file/search" else {}))
    kinds: list[str] = []
    while not kinds or kinds[-1] != "end":
        progress = client.notification("$/progress")
        assert progress["token"] == method
        kinds.append(str(progress["value"]["kind"]))
    assert kinds[0] == "begin"


def test_an_event_teaches_whatever_else_it_says(client: StdioClient, folders: tuple[str, str]) -> None:
    one, _ = folders
    for session in ("s", "t"):  # what one session does is its work
        about = {"sessionId": session, "workspaceUri": one, "timestamp": 1_700_000_000.5, "model": {"name": "m"}}
        for number in range(3):
            call = {**about, "tool": "bash", "callId": str(number)}
            client.notify("event/toolCall", {**call, "input": {"command": "make check"}})
            client.notify("event/toolResult", {**call, "exitCode": 0.0})
        client.call("session/end", {"sessionId": session, "workspaceUri": one})
    learned = client.call("memory/candidates", {"workspaceUri": one})["items"]
    assert any("make check" in candidate["content"] for candidate in learned), learned


def test_a_folder_needs_no_name(spawn: Spawn, tmp_path: Path) -> None:
    client = spawn(ignore=IGNORED)
    client.initialize(options=OPTIONS, workspaceFolders=[{"uri": tmp_path.as_uri()}])
    assert client.call("memory/record", {"content": "Made of felt."})["status"] == "created"


def test_requests_before_the_end_of_input_are_answered(spawn: Spawn, tmp_path: Path) -> None:
    client = spawn(ignore=IGNORED)
    client.initialize(options=OPTIONS, workspaceFolders=[{"uri": tmp_path.as_uri(), "name": "t"}])
    client.call("sidecar/status", {})
    asked = [client.start("memory/record", {"content": f"Fact {number} of felt."}) for number in range(20)]
    client.hang_up()
    statuses = [client.response(id).get("result", {}).get("status") for id in asked]
    assert statuses == ["created"] * 20
    client.wait_for_exit()
