"""Memories and their files, with a real server over stdio: suspect, active again, followed, linked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.client.json_value import fields
from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn

QUIET = ("window/logMessage", "textDocument/publishDiagnostics", "memory/didChange", "file/didInvalidate")

MODULE = "def f(a):\n    return a + 1\n\n\ndef g(a):\n    return a - 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    (made / "src").mkdir(parents=True)
    (made / "src" / "x.py").write_text(MODULE)
    subprocess.run(["git", "init", "-q"], cwd=made, check=True)
    return made


def start(spawn: Spawn, folder: Path) -> StdioClient:
    client = spawn(cwd=folder, ignore=QUIET)
    client.initialize(folder)
    return client


def edit(folder: Path, old: str, new: str) -> None:
    path = folder / "src" / "x.py"
    path.write_text(path.read_text().replace(old, new))


def test_edits_are_seen_now_and_after_a_restart(spawn: Spawn, folder: Path) -> None:
    client = start(spawn, folder)
    kept = client.call("memory/record", {"content": "`src/x.py::f` adds exactly one to the counter"})["memory"]
    (reference,) = kept["references"]
    assert fields(reference, "kind", "path", "symbol") == ("symbol", "src/x.py", "f")

    def status() -> str:
        return str(client.call("memory/get", {"id": kept["id"]})["status"])

    def block() -> str:
        return str(client.call("memory/inject", {"prompt": "what adds to the counter?"})["text"])

    edit(folder, "a - 1", "a - 2")
    assert status() == "active"
    edit(folder, "a + 1", "a + 2")
    assert status() == "suspect"
    assert "recorded against an older version of src/x.py" in block()
    edit(folder, "a + 2", "a + 1")
    assert status() == "active"
    assert "older version" not in block()
    client.close()
    edit(folder, "a + 1", "a + 3")
    client = start(spawn, folder)
    (item,) = client.call("memory/search", {"query": "adds to the counter"})["items"]
    assert item["memory"]["status"] == "suspect"
    verified = client.call("memory/verify", {"id": kept["id"]})
    assert verified["status"] == "active"
    assert verified["verifiedAt"] >= kept["createdAt"]
    assert verified["version"] == 1
    client.close()


def test_links_over_the_wire(spawn: Spawn, folder: Path) -> None:
    client = start(spawn, folder)

    def record(content: str) -> str:
        return str(client.call("memory/record", {"content": content})["memory"]["id"])

    one, other = record("Deploy with make ship"), record("Tests need a database container")
    made = client.call("memory/link", {"from": one, "to": other, "kind": "sequence", "strength": 0.5})
    assert made["status"] == "created"
    assert made["link"]["from"] == one
    assert made["link"]["source"] == "agent"
    (found,) = client.call("memory/links", {"id": other})["items"]
    assert fields(found, "id", "link.kind", "status") == (one, "sequence", "active")
    gone = client.call("memory/link", {"from": one, "to": other, "kind": "sequence", "remove": True})
    assert gone == {"status": "removed"}
    assert client.call("memory/links", {"id": other}) == {"items": []}
    client.close()
