"""Requests that come in the middle of a change: of folders, of settings, of the name of a folder."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.conftest import Spawn

QUIET = ["window/logMessage", "memory/didChange", "file/didInvalidate"]


def folders_changed(*, added: list[Path], removed: list[str]) -> dict[str, object]:
    event = {
        "added": [{"uri": folder.as_uri(), "name": folder.name} for folder in added],
        "removed": [{"uri": uri, "name": "x"} for uri in removed],
    }
    return {"jsonrpc": "2.0", "method": "workspace/didChangeWorkspaceFolders", "params": {"event": event}}


def test_a_folder_is_open_for_the_request_that_follows_it(spawn: Spawn, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    client = spawn(cwd=tmp_path, ignore=QUIET)
    client.initialize(first)
    client.call("sidecar/status")
    uri = second.as_uri()
    for id in ("one", "two", "three"):
        request = {"jsonrpc": "2.0", "id": id, "method": "memory/list", "params": {"workspaceUri": uri}}
        both = client.frame(folders_changed(added=[second], removed=[])) + client.frame(request)
        client.send_bytes(both + client.frame(folders_changed(added=[], removed=[uri])))
        assert client.response(id).get("result") == {"items": []}
    assert client.error("memory/list", {"workspaceUri": uri})["code"] == -32016
    client.close()


def test_settings_hold_for_the_request_that_follows_them(spawn: Spawn, repository: Path) -> None:
    client = spawn(cwd=repository, ignore=QUIET)
    client.initialize(repository)
    client.call("sidecar/status")
    for enabled in (False, True, False):
        settings = {"memorySidecar": {"memory": {"enabled": enabled}}}
        changed = {"jsonrpc": "2.0", "method": "workspace/didChangeConfiguration"}
        request = {"jsonrpc": "2.0", "id": f"{enabled}", "method": "sidecar/status"}
        client.send_bytes(client.frame({**changed, "params": {"settings": settings}}) + client.frame(request))
        assert client.response(f"{enabled}")["result"]["enabled"] == enabled
    client.close()


@pytest.mark.parametrize("ending", ["", "/"])
def test_a_client_is_told_in_its_own_name_of_a_folder(
    spawn: Spawn, repository: Path, tmp_path: Path, ending: str
) -> None:
    link = tmp_path / "a link"
    link.symlink_to(repository)
    uri = link.as_uri() + ending
    client = spawn(cwd=tmp_path, ignore=["window/logMessage"])
    client.initialize(workspaceFolders=[{"uri": uri, "name": "x"}])
    client.call("memory/record", {"content": "Keep it", "workspaceUri": uri})
    assert client.notification("memory/didChange")["workspaceUri"] == uri
    for spelling in (link, repository):
        client.call("file/summary", {"path": (spelling / "README.md").as_uri()})
    # Put in place at once: its watcher tells of what is half written, too.
    (tmp_path / "changed.md").write_text("# Changed\n")
    (tmp_path / "changed.md").replace(repository / "README.md")
    client.call("file/summary", {"path": "README.md", "workspaceUri": repository.as_uri()})
    assert client.notification("file/didInvalidate")["workspaceUri"] == uri
    assert [row["uri"] for row in client.call("sidecar/status")["workspaces"]] == [uri]
    client.send(folders_changed(added=[repository], removed=[]))
    client.send(folders_changed(added=[], removed=[uri]))
    rows = client.call("sidecar/status")["workspaces"]
    assert [row["uri"] for row in rows] == [repository.as_uri()]
    client.close()


def test_a_folder_whose_link_is_gone_can_be_closed(spawn: Spawn, repository: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(repository)
    client = spawn(cwd=tmp_path, ignore=QUIET)
    client.initialize(link)
    client.call("memory/list")
    link.unlink()
    client.send(folders_changed(added=[], removed=[link.as_uri()]))
    assert client.call("sidecar/status")["workspaces"] == []
    client.close()


def test_nothing_is_read_ahead_when_a_setting_says_so(spawn: Spawn, repository: Path) -> None:
    client = spawn(cwd=repository, ignore=QUIET)
    client.initialize(repository, options={"files": {"warmUp": False}})
    client.call("memory/list")
    for _ in range(10):
        assert client.call("sidecar/status")["workspaces"][0]["warmup"]["state"] == "idle"
        time.sleep(0.1)
    client.close()
