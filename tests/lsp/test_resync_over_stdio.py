"""After each of 50 kinds of garbage, the next 20 good requests to the same process are all answered."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.client.stdio_client import Client

BODY = b'{"jsonrpc":"2.0","id":"lost","method":"test/echo","params":{"text":"lost"}}'
NOISE = random.Random(7)


def framed(header: bytes, body: bytes = BODY) -> bytes:
    return header.replace(b"<n>", b"%d" % len(body)) + b"\r\n\r\n" + body


GARBAGE: dict[str, bytes] = {
    "no length": framed(b"Content-Type: application/json"),
    "negative length": framed(b"Content-Length: -5"),
    "negative real length": framed(b"Content-Length: -<n>"),
    "zero length": framed(b"Content-Length: 0"),
    "huge length": framed(b"Content-Length: 99999999999999"),
    "length beyond any integer": framed(b"Content-Length: " + b"9" * 5000),
    "length just above the limit": framed(b"Content-Length: 67108865"),
    "length just below the limit": framed(b"Content-Length: 67108864"),
    "word as length": framed(b"Content-Length: many"),
    "hexadecimal length": framed(b"Content-Length: 0x4B"),
    "float length": framed(b"Content-Length: 75.0"),
    "length with sign": framed(b"Content-Length: +<n>"),
    "length with underscore": framed(b"Content-Length: 7_5"),
    "empty length": framed(b"Content-Length: "),
    "length with unit": framed(b"Content-Length: <n> bytes"),
    "two lengths in one": framed(b"Content-Length: <n>, <n>"),
    "no colon": framed(b"Content-Length <n>"),
    "equals sign": framed(b"Content-Length=<n>"),
    "misspelt name": framed(b"Content-Lenght: <n>"),
    "name with space": framed(b"Content Length: <n>"),
    "leading space": framed(b" Content-Type: x\r\n Content-Length: -1"),
    "conflicting lengths": framed(b"Content-Length: <n>\r\nContent-Length: 3"),
    "length one too short": framed(b"Content-Length: %d" % (len(BODY) - 1)),
    "length much too short": framed(b"Content-Length: 5"),
    "length one too long": framed(b"Content-Length: %d" % (len(BODY) + 1)),
    "length into the next header": framed(b"Content-Length: %d" % (len(BODY) + 18)),
    "length into the next body": framed(b"Content-Length: %d" % (len(BODY) + 40)),
    "length over many frames": framed(b"Content-Length: %d" % (len(BODY) + 700)),
    "length for ever": framed(b"Content-Length: 60000000"),
    "truncated body": framed(b"Content-Length: <n>")[:-20],
    "truncated body, long length": b"Content-Length: 5000000\r\n\r\n" + BODY[:30],
    "header alone": b"Content-Length: 75\r\n\r\n",
    "header without blank line": b"Content-Length: 75\r\n",
    "header without line end": b"Content-Length: 75",
    "half a header": b"Content-Len",
    "half a name and line end": b"Content-\r\n",
    "blank lines": b"\r\n" * 50,
    "bare line feeds": b"\n" * 50,
    "bare carriage returns": b"\r" * 50,
    "carriage returns as line ends": b"Content-Length: 75\r\r" + BODY,
    "JSON without header": BODY,
    "JSON lines": BODY + b"\n" + BODY + b"\n",
    "pretty JSON without header": b'{\r\n  "jsonrpc": "2.0",\r\n  "id": "lost"\r\n}\r\n',
    "HTTP request": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{]",
    "log lines": b"INFO starting\nWARNING: deprecated\nTraceback (most recent call last):\n",
    "escape codes": b"\x1b[31mred\x1b[0m\r\n",
    "null bytes": b"\0" * 1000,
    "binary noise": NOISE.randbytes(5000),
    "binary noise with line ends": b"\r\n\r\n".join(NOISE.randbytes(50) for _ in range(50)),
    "binary body": framed(b"Content-Length: <n>", NOISE.randbytes(300)),
    "UTF-16 body": framed(
        b"Content-Type: application/vscode-jsonrpc; charset=utf-16\r\nContent-Length: <n>",
        BODY.decode().encode("utf-16"),
    ),
    "header longer than a line": framed(b"X-Long: " + b"a" * 20_000 + b"\r\nContent-Length: <n>"),
    "too many headers": framed(b"X-A: b\r\n" * 10_000 + b"Content-Length: <n>"),
    "long noise without line end": b"z" * 300_000,
    "text that quotes a header": framed(
        b"Content-Length: <n>", b"{ \"a\": 'Content-Length: 50\\r\\n\\r\\n' }"
    ),
    "header within a broken body": framed(b"Content-Length: <n>", b"{'Content-Length: 9\r\n\r\n{\"a\": 1}'}"),
    "byte order mark": framed(b"Content-Length: <n>", b"\xef\xbb\xbf{") + b"\xef\xbb\xbf",
}


def test_there_are_enough_kinds() -> None:
    assert len(GARBAGE) >= 50


def settle(client: Client) -> None:
    """Take away what the garbage was answered with: errors under no id, or the request in it after all."""
    kept = []
    with client.reader.changed:
        for message in client.reader.messages:
            if message.get("id", "") is None:
                assert message["error"]["code"] in (-32700, -32600)
            elif message.get("id") != "lost":
                kept.append(message)
        client.reader.messages[:] = kept


def ask(client: Client) -> None:
    waiting = [(client.start("test/echo", {"text": f"t{n}"}), f"t{n}") for n in range(20)]
    for id, text in waiting:
        assert client.response(id)["result"]["text"] == text


def test_twenty_requests_after_each_kind_of_garbage(fake_server: Any) -> None:
    with fake_server() as client:
        client.initialize()
        for name, data in GARBAGE.items():
            client.send_bytes(data)
            try:
                ask(client)
            except AssertionError as error:
                raise AssertionError(f"after {name}: {error}") from error
            settle(client)


@pytest.mark.parametrize("size", [1, 7])
def test_frames_split_into_pieces(fake_server: Any, size: int) -> None:
    with fake_server() as client:
        client.initialize()
        data = Client.frame(BODY)
        for start in range(0, len(data), size):
            client.send_bytes(data[start : start + size])
        assert client.response("lost")["result"]["text"] == "lost"


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: <n>\r\n\r\n",
        b"CONTENT-LENGTH:<n>\r\n\r\n",
        b"Content-Length: <n>\n\n",
        b"X-Other: 1\r\nContent-Length: <n>\r\nX-Content-Length: 3\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=latin-1\r\nContent-Length: <n>\r\n\r\n",
    ],
)
def test_unusual_headers_are_understood(fake_server: Any, header: bytes) -> None:
    with fake_server() as client:
        client.initialize()
        client.send_bytes(header.replace(b"<n>", b"%d" % len(BODY)) + BODY)
        assert client.response("lost")["result"]["text"] == "lost"
        ask(client)


def test_a_message_above_the_limit_is_answered(fake_server: Any) -> None:
    with fake_server() as client:
        client.initialize()
        client.send_bytes(b"Content-Length: 70000000\r\n\r\n" + b" " * 70_000_000)
        error = client.response(None)["error"]
        assert error["code"] == -32600
        assert "70000000" in error["message"]
        ask(client)


def test_a_too_long_length_is_answered_once_the_next_message_comes(fake_server: Any) -> None:
    with fake_server() as client:
        client.initialize()
        client.send_bytes(framed(b"Content-Length: 60000000"))
        ask(client)
        assert client.response("lost")["result"]["text"] == "lost"
