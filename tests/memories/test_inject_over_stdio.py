"""The same bytes from every process: two servers at once, a restart, other sessions and searches in between. Without a
prompt from the first request on; with one once the model that compares meanings is loaded.
"""

from __future__ import annotations

import time
from pathlib import Path

from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn

QUIET = ("window/logMessage", "textDocument/publishDiagnostics", "memory/didChange", "file/didInvalidate")


def settled(client: StdioClient) -> StdioClient:
    """The client, once its server has loaded the model and embedded every memory."""
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline:
        [workspace] = client.call("sidecar/status")["workspaces"]
        embedding = workspace.get("embedding") or {"state": "off", "operation": "idle"}
        if embedding["state"] not in ("loading", "ready") or embedding["operation"] not in ("idle", "running"):
            return client
        time.sleep(0.05)
    raise AssertionError("the model was not ready in time")


def test_every_process_gives_the_same_bytes_and_etag(spawn: Spawn, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()

    def start() -> StdioClient:
        client = spawn(cwd=folder, ignore=QUIET)
        client.initialize(folder)
        return client

    one = start()
    for number in range(25):
        category = ("directive", "decision", "blocker", "fact", "procedure")[number % 5]
        content = f"Remark {number}: the parser of part {number % 7} is strict"
        one.call("memory/record", {"content": content, "name": f"r{number}", "category": category})
    unasked = {"sessionId": "unasked", "budgetTokens": 400}
    standing = one.call("memory/inject", unasked)
    two = start()
    assert two.call("memory/inject", unasked) == standing
    settled(one)
    settled(two)
    mine = {"sessionId": "mine", "prompt": "how strict is the parser of part 3?", "budgetTokens": 400}
    requests: list[dict[str, object]] = [{**mine, "format": format} for format in ("markdown", "xml")]
    first = [one.call("memory/inject", request) for request in requests]
    assert first[0]["text"] != first[1]["text"]
    assert [two.call("memory/inject", request) for request in requests] == first
    for other in (one, two):
        other.call("memory/inject", {"sessionId": f"other {id(other)}", "budgetTokens": 5_000})
        other.call("memory/search", {"query": "remark 7"})
    assert [one.call("memory/inject", request) for request in requests] == first
    one.kill()
    two.close()
    three = start()
    assert three.call("memory/inject", unasked) == standing
    settled(three)
    assert [three.call("memory/inject", request) for request in requests] == first
    kept = three.call("memory/record", {"content": "The parser of part 3 is lenient since today"})["memory"]["id"]
    changed = three.call("memory/inject", requests[0])
    assert changed["etag"] != first[0]["etag"]
    three.call("memory/delete", {"id": kept})
    assert three.call("memory/inject", requests[0]) == first[0]
    three.close()


def test_access_is_counted_once_per_session_and_memory(spawn: Spawn, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    one, two = spawn(cwd=folder, ignore=QUIET), spawn(cwd=folder, ignore=QUIET)
    one.initialize(folder)
    two.initialize(folder)
    shown = one.call("memory/record", {"content": "Deploy with make ship"})["memory"]["id"]
    for client in (one, two, one):
        assert client.call("memory/inject", {"sessionId": "s1"})["items"]
    two.call("memory/inject", {"sessionId": "s2"})
    two.call("memory/inject", {})
    two.call("memory/search", {"query": "deploy"})
    assert one.call("memory/get", {"id": shown})["accessCount"] == 2
    left = two.call("memory/inject", {"sessionId": "s1", "excludeShown": True})
    assert left["text"] == ""
    assert left["omitted"] == [{"id": shown, "reason": "alreadyShown"}]
    one.close()
    two.close()
