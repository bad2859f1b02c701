"""Frames in pieces, unusual headers and wrong lengths; for garbage see `tests/reliability/garbage.py`."""

from __future__ import annotations

import pytest

from tests.client.stdio_client import Client
from tests.conftest import Spawn

BODY = b'{"jsonrpc":"2.0","id":"lost","method":"test/echo","params":{"text":"lost"}}'


def framed(header: bytes, body: bytes = BODY) -> bytes:
    return header.replace(b"<n>", b"%d" % len(body)) + b"\r\n\r\n" + body


def ask(client: Client) -> None:
    waiting = [(client.start("test/echo", {"text": f"t{n}"}), f"t{n}") for n in range(20)]
    for id, text in waiting:
        assert client.response(id)["result"]["text"] == text


@pytest.mark.parametrize("size", [1, 7])
def test_frames_split_into_pieces(fake_server: Spawn, size: int) -> None:
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
def test_unusual_headers_are_understood(fake_server: Spawn, header: bytes) -> None:
    with fake_server() as client:
        client.initialize()
        client.send_bytes(header.replace(b"<n>", b"%d" % len(BODY)) + BODY)
        assert client.response("lost")["result"]["text"] == "lost"
        ask(client)


def test_a_message_above_the_limit_is_answered(fake_server: Spawn) -> None:
    with fake_server() as client:
        client.initialize()
        client.send_bytes(b"Content-Length: 70000000\r\n\r\n" + b" " * 70_000_000)
        error = client.response(None)["error"]
        assert error["code"] == -32600
        assert "70000000" in error["message"]
        ask(client)


def test_a_too_long_length_is_answered_once_the_next_message_comes(fake_server: Spawn) -> None:
    with fake_server() as client:
        client.initialize()
        client.send_bytes(framed(b"Content-Length: 60000000"))
        ask(client)
        assert client.response("lost")["result"]["text"] == "lost"
