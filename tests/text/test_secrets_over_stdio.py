"""A real server, told secrets in every possible way: none reaches a file of its own, its log or its stderr."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.secret_planting import Planter
from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn

pytestmark = pytest.mark.slow

QUIET = ("window/logMessage", "textDocument/publishDiagnostics", "memory/didChange", "file/didInvalidate")
_PIECE = 10


def test_no_key_is_kept_or_logged(spawn: Spawn, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    planter = Planter(31)
    kinds = [kind for kind in planter.kinds if kind not in ("private key", "OpenSSH key")]
    placed = {kind: planter.kinds[kind]() for kind in kinds}
    keys = {kind: planted.key for kind, planted in placed.items()}
    stderr = tmp_path / "stderr.txt"
    with stderr.open("wb") as sink:
        client = spawn(cwd=folder, ignore=QUIET, stderr=sink)
        client.initialize(folder, options={"log": {"level": "debug"}})
        texts = [planted.text for planted in placed.values()]
        for at in range(0, len(texts), 10):
            recorded = texts[at : at + 10]
            kept = client.call("memory/record", {"content": "\n\n".join(("Remember these.", *recorded))})
            assert sum(int(found["count"]) for found in kept["redactions"]) >= len(recorded)
            assert kept["memory"]["content"].count("[redacted: ") >= len(recorded)
        _in_every_field(client, keys["GitHub personal token"])
        _told_otherwise(client, keys["Stripe key"])
        _malformed(client, keys["GitLab token"])
        client.response(client.start("session/end", {"sessionId": "s1"}))  # so that what was learned is written
        client.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    logs = [path.read_text() for path in files if path.suffix == ".log"]
    assert "not valid JSON" in logs[0]  # the malformed message was logged
    assert any(path.suffix == ".db" and b"Remember these." in path.read_bytes() for path in files)
    for path in files:
        data = path.read_bytes()
        for kind, key in keys.items():
            assert key.encode() not in data, (kind, path)
            assert key[-_PIECE:].encode() not in data, (kind, path)


def _in_every_field(client: StdioClient, key: str) -> None:
    said = {
        "name": f"token {key}",
        "description": f"It is {key}.",
        "tags": ["ci", key],
        "agent": f"bot {key}",
        "files": [f"deploy/{key}.txt"],
    }
    kept = client.call("memory/record", {"content": f"`{key}` opens https://x.org/?key={key}", **said})
    assert key not in json.dumps(kept)
    fields = {found["field"] for found in kept["redactions"]}
    assert fields == {"content", "name", "description", "tags[1]", "agent", "files[0]"}
    changed = client.call("memory/update", {"id": kept["memory"]["id"], "content": f"now {key}", **said})
    assert key not in json.dumps(changed)


def _told_otherwise(client: StdioClient, key: str) -> None:
    client.call("memory/search", {"query": f"what is {key}?"})
    client.call("memory/inject", {"prompt": f"use {key}", "sessionId": "s1"})
    client.notify("event/userMessage", {"sessionId": "s1", "text": f"Always use {key} for the deploy, never another."})
    client.notify("event/toolCall", {"sessionId": "s1", "tool": "bash", "input": {"command": f"deploy --with {key}"}})
    client.notify(
        "event/toolResult",
        {
            "sessionId": "s1",
            "tool": "bash",
            "input": {"command": f"deploy --with {key}"},
            "output": f"bad {key}",
            "exitCode": 1,
        },
    )
    client.notify(
        "event/reasoning", {"sessionId": "s1", "text": f"We decided to use {key} because it works everywhere here."}
    )
    client.notify(
        "event/compaction", {"sessionId": "s1", "summary": f"## Memory Candidates\n- **Key** (project): {key}\n"}
    )


def _malformed(client: StdioClient, key: str) -> None:
    client.send_bytes(
        client.frame(b'{"jsonrpc": "2.0", "id": 90, "method": "memory/record", "params": {' + key.encode())
    )
    assert client.wait(lambda message: "error" in message and message.get("id") is None)["error"]["code"] == -32700
    client.send_bytes(f"Content-Size: {key}\r\n\r\n".encode())
    client.error("memory/record", {"content": {"key": key}})
    client.error("memory/record", {"content": f"text {key}", "type": key})
    client.error("memory/record", {"content": f"text {key}", "files": [f"../../{key}"]})
    client.error(f"memory/{key}", {})
    client.error("memory/get", {"id": key})
    client.error("file/summary", {"path": f"/nowhere/{key}"})
    client.notify(f"event/{key}", {"text": key})
    client.notify("event/userMessage", {"sessionId": key, "text": [key]})
