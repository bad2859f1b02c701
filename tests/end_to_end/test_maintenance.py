"""Maintenance and forgetting through real servers over stdio, two of them on one store."""

from __future__ import annotations

from pathlib import Path

from tests.client.json_value import fields
from tests.conftest import Spawn

QUIET = ["window/logMessage", "memory/didChange", "file/didInvalidate"]


def test_two_servers_maintain_one_store(spawn: Spawn, repository: Path) -> None:
    first, second = spawn(cwd=repository, ignore=QUIET), spawn(cwd=repository, ignore=QUIET)
    for client in (first, second):
        client.initialize(repository)
    kept = first.call("memory/record", {"content": "The release is cut on Fridays.", "name": "release day"})
    gone = second.call("memory/record", {"content": "the release is cut on fridays", "name": "releases"})
    promised = second.call("memory/maintain", {"dryRun": True})
    assert promised["counts"]["duplicates"] == 1
    assert first.call("memory/get", {"id": gone["memory"]["id"]})["status"] == "active"
    done = first.call("memory/maintain")
    assert fields(done, "state", "actions") == ("done", promised["actions"])
    seen = second.call("memory/get", {"id": gone["memory"]["id"]})
    assert fields(seen, "status", "archivedFor", "mergedInto") == ("archived", "merged", kept["memory"]["id"])
    assert second.call("memory/maintain")["actions"] == []
    versions = second.call("memory/history", {"id": gone["memory"]["id"]})["versions"]
    assert [version["change"] for version in versions] == ["archived", "created"]
    assert first.error("memory/maintain", {"steps": ["everything"]})["code"] == -32602
    for client in (first, second):
        client.close()
