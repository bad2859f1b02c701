"""Order, parallelism and cancellation, seen from a client of a real process."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.client.stdio_client import Client
from tests.conftest import Spawn


def test_a_pipelined_read_sees_the_write_before_it(client: Client) -> None:
    for number in range(50):
        client.start("test/write", {"seconds": 0.001, "text": f"w{number}"}, id=f"w{number}")
        client.start("test/seen", id=f"r{number}")
    for number in range(50):
        client.response(f"w{number}")
        events = client.response(f"r{number}")["result"]["events"]
        assert [e for e in events if e.startswith("wrote w")][: number + 1] == [
            f"wrote w{n}" for n in range(number + 1)
        ]


def test_a_notification_of_the_write_lane_is_seen_too(client: Client) -> None:
    client.notify("test/event", {"text": "a"})
    assert "event a" in client.call("test/seen")["events"]


def test_slow_requests_delay_nobody(client: Client) -> None:
    slow = [client.start("test/slow", {"seconds": 60, "text": f"s{n}"}) for n in range(40)]
    for n in range(20):
        assert client.call("test/echo", {"text": f"p{n}"})["text"] == f"p{n}"
    client.call("test/write", {"text": "w"})
    assert not [m for m in client.reader.messages if m.get("id") in slow]
    for id in slow:
        client.notify("$/cancelRequest", {"id": id})
    for id in slow:
        assert client.response(id)["error"]["code"] == -32800


def test_reads_do_not_wait_for_reads(client: Client) -> None:
    first = client.start("test/read", {"seconds": 60})
    assert client.call("test/echo", {"text": "a"})["text"] == "a"
    client.notify("$/cancelRequest", {"id": first})
    assert client.response(first)["error"]["code"] == -32800


@pytest.mark.parametrize("method", ["test/read", "test/slow", "test/write"])
def test_a_running_request_is_cancelled_and_its_work_stops(client: Client, method: str) -> None:
    id = client.start(method, {"seconds": 60, "text": f"mine {method}", "tells": True}, id="run")
    assert client.notification("test/didNotify") == {"text": "began"}
    client.notify("$/cancelRequest", {"id": id})
    error = client.response(id)["error"]
    assert error["code"] == -32800
    deadline = time.monotonic() + 90
    while f"cancelled mine {method}" not in client.call("test/seen")["events"]:
        assert time.monotonic() < deadline


def test_uncancellable_request_is_answered_at_once_and_its_result_dropped(client: Client) -> None:
    id = client.start("test/slow", {"seconds": 3.0, "checks": False, "tells": True})
    assert client.notification("test/didNotify") == {"text": "began"}
    client.notify("$/cancelRequest", {"id": id})
    first = client.wait(lambda m: m.get("id") == id or m.get("method") == "test/didNotify")
    assert first["error"]["code"] == -32800
    assert client.notification("test/didNotify") == {"text": "ended"}
    time.sleep(0.2)
    assert client.call("test/echo")["text"] == ""
    assert client.unconsumed() == []


def test_a_queued_request_that_is_cancelled_never_runs(client: Client) -> None:
    busy = client.start("test/write", {"seconds": 60, "text": "busy"})
    queued = client.start("test/write", {"text": "queued"})
    behind = client.start("test/read", {"text": "behind"})
    for id in (queued, behind, busy):
        client.notify("$/cancelRequest", {"id": id})
        assert client.response(id)["error"]["code"] == -32800
    events = client.call("test/seen")["events"]
    assert "wrote queued" not in events


def test_cancelling_what_does_not_run_is_ignored(client: Client) -> None:
    client.ignore.add("window/logMessage")
    odd: list[object] = [{"id": 12345}, {"id": "x"}, {"id": None}, {"id": [1]}, {}, []]
    for params in odd:
        client.notify("$/cancelRequest", params)
    client.send({"jsonrpc": "2.0", "id": "as-request", "method": "$/cancelRequest", "params": {"id": 1}})
    assert client.response("as-request")["error"]["code"] == -32601
    assert client.call("test/echo")["text"] == ""


def test_a_cancelled_id_may_be_used_again(client: Client) -> None:
    client.start("test/slow", {"seconds": 60}, id="again")
    client.notify("$/cancelRequest", {"id": "again"})
    client.start("test/echo", {"text": "b"}, id="again")
    assert client.response("again")["error"]["code"] == -32800
    assert client.response("again")["result"]["text"] == "b"


def test_a_client_that_does_not_read_blocks_nothing(fake_server: Spawn, monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer's pipe is full, yet the server still takes requests and ends when told."""
    client = fake_server()
    client.initialize()
    pause, resume = os.pipe()
    text = "x" * 200_000

    original = client.reader.read

    def read_later() -> bytes:
        os.read(pause, 1)
        monkeypatch.undo()
        return bytes(original())

    monkeypatch.setattr(client.reader, "read", read_later)
    ids = [client.start("test/echo", {"text": text}) for _ in range(40)]
    client.start("test/write", {"text": "while nobody reads"}, id="w")
    os.write(resume, b"xx")
    for id in ids:
        assert client.response(id)["result"]["size"] == len(text)
    assert "wrote while nobody reads" in client.response("w")["result"]["events"]
    client.close()


def test_opening_delays_requests_and_not_the_greeting(fake_server: Spawn, tmp_path: Path) -> None:
    with fake_server() as client:
        client.initialize(tmp_path, options={"openSeconds": 0.5, "startSeconds": 0.2})
        assert f"open {tmp_path} False" in client.call("test/seen")["events"]


def test_three_thousand_pipelined_requests_are_all_answered(client: Client) -> None:
    count = 3000
    body = b"".join(
        client.frame({"jsonrpc": "2.0", "id": f"m{n}", "method": "test/echo", "params": {"text": str(n)}})
        for n in range(count)
    )
    client.send_bytes(body)
    for n in range(count):
        assert client.response(f"m{n}")["result"]["text"] == str(n)
