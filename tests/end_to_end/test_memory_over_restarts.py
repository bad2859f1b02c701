"""The main job, as a client plays it: a real process over stdio, in a real repository, killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn

QUIET = ("window/logMessage", "textDocument/publishDiagnostics")


def start(spawn: Spawn, folder: Path, options: object = None) -> StdioClient:
    client = spawn(cwd=folder, ignore=QUIET)
    client.initialize(folder, options=options)
    return client


def test_an_edit_and_a_record_reach_the_process_after_a_restart(spawn: Spawn, repository: Path, tmp_path: Path) -> None:
    client = start(spawn, repository)
    first = client.call("file/summary", {"path": "store/memory_store.py"})
    assert first["fresh"]
    assert "MemoryStore" in first["summary"]
    assert first["tokens"] < first["fileTokens"]

    file = repository / "store" / "memory_store.py"
    # Put in place at once: a watcher may look at what is half written, and tell of it.
    whole = tmp_path / "whole.py"
    whole.write_text(file.read_text() + "\n\ndef added_by_the_test() -> None:\n    pass\n")
    whole.replace(file)
    gone = client.notification("file/didInvalidate")  # its own watcher told it
    assert gone["files"][0]["path"] == "store/memory_store.py"
    assert gone["files"][0]["oldHash"] == first["hash"]
    second = client.call("file/summary", {"path": file.as_uri(), "intent": "edit"})
    assert second["hash"] == gone["files"][0]["hash"] != first["hash"]
    assert "added_by_the_test" in str(second["outline"])
    assert second["advice"]

    kept = client.call(
        "memory/record", {"content": "Transactions of the store must never await.", "files": ["store/memory_store.py"]}
    )
    assert kept["status"] == "created"
    assert client.notification("memory/didChange")["changes"][0]["id"] == kept["memory"]["id"]
    client.kill()  # no farewell: what was acknowledged must be there

    again = start(spawn, repository)
    block = again.call("memory/inject", {"prompt": "may I await in a transaction of the store?", "sessionId": "s1"})
    assert "must never await" in block["text"]
    assert [item["id"] for item in block["items"]] == [kept["memory"]["id"]]
    assert (
        again.call("memory/inject", {"prompt": "may I await in a transaction of the store?", "sessionId": "s1"})
        == block
    )
    hit = again.call("file/summary", {"path": "store/memory_store.py"})
    assert hit["hash"] == second["hash"]
    status = again.call("sidecar/status")
    assert status["workspaces"][0]["memories"]["project"] == 1
    again.close()


def test_two_processes_at_once_see_each_other(spawn: Spawn, repository: Path) -> None:
    one, two = start(spawn, repository), start(spawn, repository)
    ids = []
    for at in range(20):
        writer, reader = (one, two) if at % 2 else (two, one)
        ids.append(writer.call("memory/record", {"content": f"Lesson number{at} about widget{at}"})["memory"]["id"])
        writer.notification("memory/didChange")
        found = reader.call("memory/search", {"query": f"widget{at}", "limit": 1})
        assert [item["memory"]["id"] for item in found["items"]] == [ids[-1]]
    assert len(set(ids)) == 20
    one.close()
    two.close()


def test_pipelined_requests_read_their_own_writes(spawn: Spawn, repository: Path) -> None:
    client = start(spawn, repository)
    pending = []
    for at in range(30):
        record = client.start("memory/record", {"content": f"Pipelined fact{at}", "name": f"fact {at}"})
        search = client.start("memory/search", {"query": f"fact{at}", "limit": 1})
        pending.append((record, search))
    announced: set[str] = set()
    for record, search in pending:
        id = client.response(record)["result"]["memory"]["id"]
        while id not in announced:  # records that share a commit are announced together
            announced |= {str(memory["id"]) for memory in client.notification("memory/didChange")["changes"]}
        assert [item["memory"]["id"] for item in client.response(search)["result"]["items"]] == [id]
    client.close()


def test_a_planted_secret_reaches_neither_store_nor_log(spawn: Spawn, repository: Path, tmp_path: Path) -> None:
    secret = "ghp_" + "a8Zk3Qw9Lm2Xc7Vb4Nj6Hg1Fd5Sp0TyRuE8q"[:36]
    client = start(spawn, repository)
    kept = client.call("memory/record", {"content": f"The CI token is {secret}, rotate it yearly"})
    client.notification("memory/didChange")
    assert kept["redactions"]
    assert secret not in str(kept)
    client.close()
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


def children(pid: int) -> list[int]:
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            text = Path(f"/proc/{name}/stat").read_text()
        except OSError:
            continue
        if int(text.rpartition(")")[2].split()[1]) == pid:
            found.append(int(name))
    return found


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_killing_the_server_in_mid_warm_up_leaves_no_worker(spawn: Spawn, repository: Path) -> None:
    for at in range(1500):
        (repository / f"module_{at}.py").write_text("\n".join(f"def f_{at}_{n}(): return {n}" for n in range(120)))
    client = start(spawn, repository)
    workers: list[int] = []
    end = time.monotonic() + 90
    while not workers and time.monotonic() < end:
        workers = children(client.process.pid)
        time.sleep(0.02)
    assert workers, "the warm-up started no worker process"
    os.kill(client.process.pid, signal.SIGKILL)
    client.process.wait()
    end = time.monotonic() + 90
    while any(alive(pid) for pid in workers) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [pid for pid in workers if alive(pid)]


def test_a_later_version_s_store_is_read_and_writes_are_refused(spawn: Spawn, repository: Path, tmp_path: Path) -> None:
    client = start(spawn, repository)
    client.call("memory/record", {"content": "Kept by a version of today"})
    client.notification("memory/didChange")
    stores = client.call("sidecar/status")["workspaces"][0]["stores"]
    client.close()
    database = next(Path(str(stores[0]["path"])).rglob("memories/cache.db"))
    code = (
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]);"
        "n=c.execute(\"update Cache set value=999 where key='meta:version'\").rowcount;"
        "c.commit(); print(n)"
    )
    out = subprocess.run([sys.executable, "-c", code, str(database)], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "1", "the schema version is not where this test looks for it"
    before = database.read_bytes()
    client = start(spawn, repository)
    (found,) = client.call("memory/search", {"query": "version"})["items"]
    assert found["memory"]["content"] == "Kept by a version of today"
    error = client.error("memory/record", {"content": "Of an earlier version"})
    assert error["code"] == -32014
    assert "999" in error["message"]
    assert error["data"]["hint"]
    assert client.call("sidecar/status")["workspaces"][0]["stores"][0]["notice"]
    client.close()
    assert database.read_bytes() == before


def test_the_workspace_cannot_plant_modules(spawn: Spawn, repository: Path) -> None:
    for name in ("msgspec", "click", "xxhash", "json"):
        (repository / f"{name}.py").write_text("raise SystemExit('code of the workspace was run')\n")
    client = spawn([sys.executable, "-P", "-m", "sidecar", "serve"], cwd=repository, ignore=QUIET)
    client.initialize(repository)
    assert client.call("file/summary", {"path": "msgspec.py"})["lines"] == 1
    client.close()
