"""Notices from editors, and what the server sends them unasked; in the test's own process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.stdio_client import Client, InProcessClient
from tests.conftest import StartInProcess

WATCHES = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}


def seen(client: Client, prefix: str = "") -> list[str]:
    return [str(event) for event in client.call("test/seen")["events"] if event.startswith(prefix)]


def eventually(client: Client, event: str) -> None:
    deadline = time.monotonic() + 90
    while event not in (events := seen(client)):
        assert time.monotonic() < deadline, events
        time.sleep(0.01)


@pytest.fixture
def client(in_process: StartInProcess) -> Iterator[InProcessClient]:
    with in_process() as started:
        yield started


def test_initialize_answers_with_the_capabilities(client: Client) -> None:
    result = client.initialize(capabilities={"general": {"positionEncodings": ["utf-8", "utf-16"]}})
    assert result["serverInfo"]["name"] == "memory-sidecar"
    assert result["serverInfo"]["version"]
    capabilities = result["capabilities"]
    assert capabilities["positionEncoding"] == "utf-8"
    sync = {"openClose": True, "change": 2, "save": {"includeText": False}}
    assert capabilities["textDocumentSync"] == sync
    assert capabilities["workspace"]["workspaceFolders"] == {"supported": True, "changeNotifications": True}


def test_capabilities_of_a_newer_client_do_not_keep_it_out(client: Client) -> None:
    strange = {
        "textDocument": {"codeAction": {"codeActionLiteralSupport": 5}},
        "general": {"positionEncodings": ["utf-32"]},
        "window": {"workDoneProgress": False},
    }
    assert client.initialize(capabilities=strange)["capabilities"]["positionEncoding"] == "utf-32"


def greet(client: Client, **params: object) -> None:
    client.call("initialize", {"processId": None, "rootUri": None, "capabilities": {}, **params})
    client.notify("initialized", {})


@pytest.mark.parametrize("how", ["workspaceFolders", "rootUri", "rootPath"])
def test_the_folder_of_a_client(client: Client, tmp_path: Path, how: str) -> None:
    folder = tmp_path / "a b ü"
    params: dict[str, object] = {
        "workspaceFolders": [{"uri": folder.as_uri(), "name": "x"}],
        "rootUri": folder.as_uri(),
        "rootPath": str(folder),
    }
    greet(client, **{"rootUri": None, how: params[how]})
    assert seen(client, "open") == [f"open {folder} False"]


@pytest.mark.parametrize("uri", ["untitled:x", "file://[bad", "file:///tmp/%00a", "file://", ""])
@pytest.mark.parametrize("key", ["rootUri", "workspaceFolders"])
def test_folders_that_cannot_be_opened_are_ignored(client: Client, key: str, uri: str) -> None:
    given: dict[str, object] = {key: uri if key == "rootUri" else [{"uri": uri, "name": "x"}]}
    greet(client, **given)
    assert seen(client, "open") == []
    client.ignore.add("window/logMessage")


def test_added_folders_are_opened_and_removed_ones_closed(client: Client, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    client.initialize(one)
    event = {"added": [{"uri": two.as_uri(), "name": "two"}], "removed": [{"uri": one.as_uri(), "name": "one"}]}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    eventually(client, f"open {two} False")
    eventually(client, f"close {one.as_uri()}")
    eventually(client, "warm workspace folders changed")


def test_changed_files_are_reported_to_the_engine(client: Client, tmp_path: Path) -> None:
    client.initialize(tmp_path)
    uri, other = (tmp_path / "a.py").as_uri(), (tmp_path / "b.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": "x"}
    client.notify("textDocument/didOpen", {"textDocument": document})
    assert client.notification("textDocument/publishDiagnostics") == {"uri": uri, "diagnostics": []}
    client.notify(
        "textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "y"}]}
    )
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    changes = [{"uri": uri, "type": 1}, {"uri": other, "type": 3}]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    client.notify("workspace/didCreateFiles", {"files": [{"uri": other}]})
    client.notify("workspace/didRenameFiles", {"files": [{"oldUri": uri, "newUri": other}]})
    client.notify("workspace/didDeleteFiles", {"files": [{"uri": other}]})
    eventually(client, f"renamed {uri} {other}")
    eventually(client, f"changed {other}")
    told = [event for event in seen(client) if event.startswith(("changed", "renamed"))]
    assert told[:5] == [
        f"changed {uri}",
        f"changed {uri}",
        f"changed {uri} {other}",
        f"changed {other}",
        f"renamed {uri} {other}",
    ]


def test_file_operations_are_announced_to_clients_that_have_them(client: Client) -> None:
    capabilities = {"workspace": {"fileOperations": {"didRename": True, "didCreate": True}}}
    operations = client.initialize(capabilities=capabilities)["capabilities"]["workspace"]["fileOperations"]
    filters = [{"scheme": "file", "pattern": {"glob": "**/*"}}]
    assert operations == {"didRename": {"filters": filters}, "didCreate": {"filters": filters}}


def test_watchers_are_registered_only_where_the_client_can(client: Client, tmp_path: Path) -> None:
    client.initialize(tmp_path, capabilities=WATCHES)
    request = client.server_request("client/registerCapability")
    (registration,) = request["params"]["registrations"]
    assert registration["method"] == "workspace/didChangeWatchedFiles"
    assert registration["registerOptions"] == {"watchers": [{"globPattern": "**/*"}]}
    client.reply(request)
    assert seen(client, "open") == [f"open {tmp_path} True"]


def test_a_client_that_refuses_to_watch(client: Client, tmp_path: Path) -> None:
    client.initialize(tmp_path, capabilities=WATCHES)
    request = client.server_request("client/registerCapability")
    client.send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "no"}})
    eventually(client, f"open {tmp_path} False")
    assert seen(client, "open") == [f"open {tmp_path} True", f"open {tmp_path} False"]
    assert "by itself" in client.notification("window/logMessage")["message"]


@pytest.mark.parametrize("nested", [True, False])
def test_settings_of_initialize_and_of_later(client: Client, nested: bool) -> None:
    def wrapped(settings: dict[str, object]) -> dict[str, object]:
        return {"memorySidecar": settings} if nested else settings

    client.initialize(options=wrapped({"a": 1, "badOne": 2}))
    assert "badOne" in client.notification("window/showMessage")["message"]
    client.notify("workspace/didChangeConfiguration", {"settings": wrapped({"a": 2, "badTwo": 3})})
    message = client.notification("window/showMessage")["message"]
    assert "badTwo" in message
    client.notify("workspace/didChangeConfiguration", {"settings": wrapped({"a": 2, "badTwo": 3})})
    assert seen(client, "reconfigure") == ["reconfigure {'a': 2, 'badOne': 2, 'badTwo': 3}"]


def test_settings_are_pulled_where_the_client_answers(client: Client) -> None:
    client.initialize(capabilities={"workspace": {"configuration": True}})
    request = client.server_request("workspace/configuration")
    assert request["params"] == {"items": [{"section": "memorySidecar"}]}
    client.reply(request, [{"a": 5}])
    eventually(client, "reconfigure {'a': 5}")
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    client.reply(client.server_request("workspace/configuration"), [{"a": 6}])
    eventually(client, "reconfigure {'a': 6}")
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    client.reply(client.server_request("workspace/configuration"), [None])
    assert len(seen(client, "reconfigure")) == 2


def test_changes_of_configuration_are_registered_for(client: Client) -> None:
    client.initialize(capabilities={"workspace": {"didChangeConfiguration": {"dynamicRegistration": True}}})
    request = client.server_request("client/registerCapability")
    assert request["params"]["registrations"][0]["registerOptions"] == {"section": "memorySidecar"}
    client.reply(request)


@pytest.mark.parametrize("options", [5, "text", [1]])
def test_options_that_are_no_object(client: Client, options: object) -> None:
    client.ignore.add("window/logMessage")
    client.initialize(options=options)
    assert seen(client, "settings") == ["settings []"]


def test_warming_up_shows_its_progress(client: Client, tmp_path: Path) -> None:
    client.initialize(tmp_path, capabilities={"window": {"workDoneProgress": True}}, options={"warmSteps": 3})
    request = client.server_request("window/workDoneProgress/create")
    token = request["params"]["token"]
    client.reply(request)
    kinds: list[str] = []
    while not kinds or kinds[-1] != "end":
        progress = client.notification("$/progress")
        assert progress["token"] == token
        kinds.append(str(progress["value"]["kind"]))
    assert kinds[0] == "begin"
    assert "report" in kinds
    assert seen(client, "warm-up") == ["warm-up done"]


def test_warming_up_is_cancelled_by_the_client(client: Client) -> None:
    client.initialize(capabilities={"window": {"workDoneProgress": True}}, options={"warmSteps": 100})
    request = client.server_request("window/workDoneProgress/create")
    client.reply(request)
    assert client.notification("$/progress")["value"]["cancellable"]
    client.notify("window/workDoneProgress/cancel", {"token": request["params"]["token"]})
    client.wait(lambda m: m.get("method") == "$/progress" and m["params"]["value"]["kind"] == "end")
    eventually(client, "warm-up cancelled")
    client.ignore.add("$/progress")


def test_warming_up_without_a_progress_bar(client: Client) -> None:
    client.initialize()
    eventually(client, "warm-up done")


def test_notifications_of_the_engine_arrive(client: Client) -> None:
    client.initialize()
    client.call("test/notify", {"text": "a"})
    assert client.notification("test/didNotify") == {"text": "a"}


def test_an_unconsumed_message_fails_the_close(in_process: StartInProcess) -> None:
    client = in_process()
    client.initialize()
    client.call("test/notify", {"text": "a"})
    with pytest.raises(AssertionError, match="unconsumed"):
        client.close()


def test_an_ignorable_message_does_not(in_process: StartInProcess) -> None:
    client = in_process(ignore=["test/didNotify"])
    client.initialize()
    client.call("test/notify", {"text": "a"})
    client.close()
