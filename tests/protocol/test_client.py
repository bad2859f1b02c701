"""Our small client, against servers that behave and servers that do not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from protocol.client import Client, ServerGone, WireError

_SERVER = """
import json, sys
def send(message, head="Content-Length"):
    data = json.dumps(message).encode()
    sys.stdout.buffer.write(f"{head}: {len(data)}\\r\\n\\r\\n".encode() + data)
    sys.stdout.buffer.flush()
def receive():
    length = 0
    while (line := sys.stdin.buffer.readline().strip()):
        length = int(line.partition(b":")[2])
    return json.loads(sys.stdin.buffer.read(length))
"""


def _client(tmp_path: Path, body: str) -> Client:
    script = tmp_path / "server.py"
    script.write_text(_SERVER + body, encoding="utf-8")
    return Client([sys.executable, str(script)], os.environ)


def test_answers_arrive_among_other_messages(tmp_path: Path) -> None:
    body = """
asked = receive()
send({"jsonrpc": "2.0", "method": "window/logMessage", "params": {"type": 3, "message": "hi"}})
send({"jsonrpc": "2.0", "id": "s1", "method": "workspace/configuration", "params": {"items": [{}, {}]}})
answer = receive()
send({"jsonrpc": "2.0", "id": 999, "result": "nobody asked"})
send({"jsonrpc": "2.0", "id": asked["id"], "result": answer["result"]}, head="content-length")
"""
    with _client(tmp_path, body) as client:
        assert client.request("any/thing", {}) == [None, None]
        said = client.wait("window/logMessage", timeout=90)
        assert said is not None
        assert b"hi" in bytes(said.params)
        assert client.wait("never/said", timeout=0.1) is None


def test_an_error_is_raised_with_its_code(tmp_path: Path) -> None:
    body = """
send({"jsonrpc": "2.0", "id": receive()["id"], "error": {"code": -32602, "message": "no", "data": {"path": "$.x"}}})
"""
    with _client(tmp_path, body) as client, pytest.raises(WireError, match="no") as caught:
        client.request("any/thing", {})
    assert (caught.value.code, caught.value.data) == (-32602, {"path": "$.x"})


@pytest.mark.parametrize(
    "body",
    [
        "receive(); sys.exit('last words')",
        "receive(); print('a stray print'); sys.stdout.flush(); receive()",
        "receive(); sys.stdout.write('Content-Length: x\\r\\n\\r\\n'); sys.stdout.flush(); receive()",
        "receive(); sys.stdout.write('Content-Length: 99999999999\\r\\n\\r\\n'); sys.stdout.flush(); receive()",
        "receive(); sys.stdout.write('Content-Length: 3\\r\\n\\r\\n{]}'); sys.stdout.flush(); receive()",
    ],
)
def test_a_server_that_dies_or_babbles_ends_the_wait(tmp_path: Path, body: str) -> None:
    with _client(tmp_path, body) as client, pytest.raises(ServerGone) as caught:
        client.request("any/thing", {}, timeout=60)
    assert "not answered" not in str(caught.value)


def test_the_last_words_are_told(tmp_path: Path) -> None:
    body = "receive(); sys.stderr.write('cannot go on\\n'); sys.exit(3)"
    with _client(tmp_path, body) as client, pytest.raises(ServerGone, match="cannot go on"):
        client.request("any/thing", {}, timeout=60)


def test_silence_ends_at_the_time_limit(tmp_path: Path) -> None:
    with _client(tmp_path, "receive(); receive()") as client, pytest.raises(ServerGone, match="not answered"):
        client.request("any/thing", {}, timeout=0.3)
    assert client.close() is not None


def test_a_server_that_will_not_end_is_killed(tmp_path: Path) -> None:
    with _client(tmp_path, "import time\nwhile True: time.sleep(1)") as client:
        assert client.close(timeout=0.5) != 0
