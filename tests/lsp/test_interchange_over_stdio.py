"""Import over the wire: progress on the client's token, before the answer."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Spawn

OPTIONS: dict[str, object] = {"files": {"warmUp": False}, "watch": {"mode": "off"}}
IGNORED = ("window/logMessage", "memory/didChange", "file/didInvalidate", "client/registerCapability")


def test_progress_then_the_answer(spawn: Spawn, tmp_path: Path) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    client = spawn(ignore=IGNORED)
    client.initialize(folder, options=OPTIONS)
    text = "\n\n".join(f"## Part {n}\n\nText of part {n}." for n in range(300))
    params = {"text": text, "name": "x.md", "workDoneToken": "t1"}
    done = client.response(client.start("memory/import", params))
    assert done["result"]["counts"]["created"] == 300
    kinds: list[str] = []
    while not kinds or kinds[-1] != "end":
        told = client.notification("$/progress")
        assert told["token"] == "t1"
        kinds.append(str(told["value"]["kind"]))
    assert kinds[0] == "begin"
    assert set(kinds[1:-1]) <= {"report"}
    assert client.call("memory/export")["memories"] == 300


def test_an_import_that_is_taken_back_stores_nothing(spawn: Spawn, tmp_path: Path) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    client = spawn(ignore=IGNORED)
    client.initialize(folder, options=OPTIONS)
    text = "\n\n".join(f"## Part {n}\n\nText of part {n}, as `part_{n}.py` has it." for n in range(6_000))
    id = client.start("memory/import", {"text": text, "name": "x.md", "workDoneToken": "t1"})
    while client.notification("$/progress")["value"]["kind"] != "report":
        pass
    client.notify("$/cancelRequest", {"id": id})
    answer = client.response(id)
    assert answer["error"]["code"] == -32800
    while client.notification("$/progress")["value"]["kind"] != "end":
        pass
    assert client.call("memory/export")["memories"] == 0
