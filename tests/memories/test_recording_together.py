"""Records that a client pipelines share commits: each is acknowledged once, when it is durable, and fails by itself."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.json_value import Json, fields
from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn

pytestmark = pytest.mark.long

IGNORED = ("window/logMessage", "window/showMessage", "memory/didChange", "file/didInvalidate", "$/progress")
OPTIONS: dict[str, object] = {"files": {"warmUp": False}, "watch": {"mode": "off"}}
ROOT = Path(__file__).resolve().parents[2]
CONFLICT, CANCELLED, UNAVAILABLE = -32013, -32800, -32014


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.fixture
def serve(spawn: Spawn, folder: Path) -> Callable[[], StdioClient]:
    """Starts one more server on the same store."""

    def start() -> StdioClient:
        client = spawn(ignore=(*IGNORED, "client/registerCapability"))
        client.initialize(folder, options=OPTIONS)
        return client

    return start


def text(marker: str) -> str:
    return f"The queue {marker} is drained by its own worker."


def contents(client: StdioClient) -> list[str]:
    """Every memory's text, in no certain order."""
    found: list[str] = []
    given: dict[str, object] = {"limit": 200}
    while True:
        page = client.call("memory/list", given)
        found += [str(item["content"]) for item in page["items"]]
        if page.get("cursor") is None:
            return found
        given["cursor"] = page["cursor"]


def stored(client: StdioClient, asked: list[str]) -> None:
    """Each of these texts is there once, and nothing else is."""
    assert Counter(contents(client)) == Counter(asked)


@pytest.fixture
def holder(tmp_path: Path) -> object:
    """Starts a process that holds the lock of the workspace's memories."""
    running: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        (place,) = [path.parent.parent for path in tmp_path.rglob("memories/cache.db") if "user" not in path.parts]
        command = [sys.executable, str(ROOT / "tests/store/worker_process.py"), "hold", str(place)]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
        running.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "holding\n"
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def test_acknowledged_record_survives_a_kill_and_is_there_once(serve: Callable[[], StdioClient]) -> None:
    acknowledged: set[str] = set()
    sent: set[str] = set()
    for turn in range(4):
        client = serve()
        ids = {client.start("memory/record", {"content": text(f"t{turn}n{n}")}): f"t{turn}n{n}" for n in range(120)}
        for id in list(ids)[: 5 + 31 * turn]:
            assert client.response(id)["result"]["status"] == "created"
            acknowledged.add(text(ids[id]))
        client.kill()
        sent |= {text(marker) for marker in ids.values()}
    found = Counter(contents(serve()))
    assert acknowledged <= found.keys() <= sent
    assert set(found.values()) == {1}


def test_records_without_room_fail_and_leave_nothing(serve: Callable[[], StdioClient]) -> None:
    client = serve()
    client.call("memory/record", {"content": text("before")})
    resource.prlimit(client.process.pid, resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    long = " It is long." * 400
    ids = {client.start("memory/record", {"content": text(f"n{n}") + long}): n for n in range(80)}
    kept, refused = [text("before")], 0
    for id, number in ids.items():
        answer = client.response(id)
        if "result" in answer:
            kept.append(text(f"n{number}") + long)
        else:
            assert answer["error"]["code"] == UNAVAILABLE, answer
            assert answer["error"]["data"]["reason"] in ("full", "io"), answer
            refused += 1
    assert refused
    assert len(kept) > 1
    resource.prlimit(client.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    stored(client, kept)
    client.call("memory/record", {"content": text("after")})
    client.kill()
    stored(serve(), [*kept, text("after")])


def test_failing_record_fails_alone_and_order_is_kept(serve: Callable[[], StdioClient]) -> None:
    client = serve()
    asked = [
        ("memory/record", {"content": text("one"), "name": "queue"}),
        ("memory/record", {"content": ""}),
        ("memory/record", {"content": text("two"), "name": "queue"}),
        ("memory/record", {"content": text("x"), "files": 7}),
        ("memory/record", {"content": text("three"), "name": "queue"}),
        ("memory/record", {"content": text("one"), "name": "queue"}),
        ("memory/record", {"content": "y" * 20_000, "name": "queue"}),
        ("memory/record", {"content": text("other")}),
    ]
    answers = [client.response(id) for id in [client.start(*each) for each in asked]]
    told = [answer["result"]["status"] if "result" in answer else answer["error"]["code"] for answer in answers]
    assert told == ["created", -32602, "merged", -32602, "merged", "duplicate", -32602, "created"]
    merged = answers[4]["result"]["memory"]
    assert merged["version"] == 3
    id = merged["id"]
    right = {"id": id, "content": text("four"), "expectedVersion": 4}
    mixed = [
        client.start("memory/record", {"content": text("five"), "name": "queue"}),
        client.start("memory/update", {"id": id, "content": text("never"), "expectedVersion": 3}),
        client.start("memory/update", right),
        client.start("memory/update", right),
        client.start("memory/record", {"content": text("six"), "name": "queue"}),
        client.start("memory/get", {"id": id}),
    ]
    first, conflict, updated, late, last, read = (client.response(one) for one in mixed)
    assert first["result"]["memory"]["version"] == 4
    assert conflict["error"]["code"] == late["error"]["code"] == CONFLICT
    assert updated["result"]["memory"]["version"] == 5
    assert last["result"]["memory"]["version"] == read["result"]["version"] == 6
    assert text("four") in read["result"]["content"]
    assert text("six") in read["result"]["content"]
    assert text("five") not in read["result"]["content"]


def test_a_read_sees_all_that_was_sent_before_it(serve: Callable[[], StdioClient]) -> None:
    client = serve()
    ids: list[tuple[int, object]] = []
    for number in range(60):
        client.start("memory/record", {"content": text(f"n{number}")}, id=f"w{number}")
        if number % 7 == 0:
            ids.append((number, client.start("memory/list", {"limit": 200})))
    for number, id in ids:
        found = {item["content"] for item in client.response(id)["result"]["items"]}
        assert {text(f"n{n}") for n in range(number + 1)} <= found
    for number in range(60):
        assert client.response(f"w{number}")["result"]["similar"] is not None


def test_pipelined_records_wait_for_the_lock_holder(
    serve: Callable[[], StdioClient], holder: Callable[[], subprocess.Popen[bytes]]
) -> None:
    client = serve()
    client.call("memory/record", {"content": text("before")})
    process = holder()
    ids = [client.start("memory/record", {"content": text(f"n{n}")}) for n in range(40)]
    time.sleep(0.5)
    assert not [message for message in client.reader.messages if message.get("id") in ids]
    process.kill()
    for id in ids:
        assert client.response(id)["result"]["status"] == "created"
    stored(client, [text("before"), *(text(f"n{n}") for n in range(40))])


def test_each_waiting_record_is_told_of_a_lock_holder_that_is_stopped(
    serve: Callable[[], StdioClient], holder: Callable[[], subprocess.Popen[bytes]]
) -> None:
    client = serve()
    client.call("memory/record", {"content": text("before")})
    process = holder()
    process.send_signal(signal.SIGSTOP)
    ids = [client.start("memory/record", {"content": text(f"n{n}")}) for n in range(40)]
    for id in ids:
        error = client.response(id)["error"]
        assert fields(error, "code", "data.reason") == (UNAVAILABLE, "busy")
        assert str(process.pid) in error["message"]
    stored(client, [text("before")])


def test_cancelled_record_is_answered_once_and_the_others_too(serve: Callable[[], StdioClient]) -> None:
    client = serve()
    ids = {client.start("memory/record", {"content": text(f"n{n}")}): n for n in range(60)}
    taken_back = [id for id, number in ids.items() if number % 10 == 5]
    for id in taken_back:
        client.notify("$/cancelRequest", {"id": id})
    kept, open_ended = [], []
    for id, number in ids.items():
        answer = client.response(id)
        if "result" in answer:
            kept.append(text(f"n{number}"))
        else:
            assert id in taken_back
            assert answer["error"]["code"] == CANCELLED
            open_ended.append(text(f"n{number}"))
    found = Counter(contents(client))
    assert set(kept) <= found.keys() <= {*kept, *open_ended}
    assert set(found.values()) == {1}
    assert client.unconsumed() == []


def test_eight_servers_are_written_to_at_once(serve: Callable[[], StdioClient]) -> None:
    clients = [serve() for _ in range(8)]
    wrong: list[Json] = []

    def write(who: int) -> None:
        client = clients[who]
        ids = [client.start("memory/record", {"content": text(f"p{who}n{n}")}) for n in range(60)]
        ids.append(client.start("memory/record", {"content": f"Said by p{who}.", "name": "shared"}))
        wrong.extend(answer for id in ids if "result" not in (answer := client.response(id)))

    threads = [threading.Thread(target=write, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    for client in (clients[0], clients[7], serve()):
        found = contents(client)
        (shared,) = [each for each in found if each.startswith("Said by")]
        assert all(f"Said by p{who}." in shared for who in range(8))
        found.remove(shared)
        assert Counter(found) == Counter(text(f"p{who}n{n}") for who in range(8) for n in range(60))
