"""The test client itself: it must notice what a test forgot."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.client.stdio_client import Client, Unanswered


@pytest.fixture
def pair() -> Iterator[tuple[Client, int]]:
    """A client, and the descriptor on which a server would write to it."""
    source, server = os.pipe()
    ignored, sink = os.pipe()
    client = Client(source, sink, ignore=["ignorable"])
    yield client, server
    client.hang_up()
    os.close(ignored)


def test_a_second_response_is_noticed(pair: tuple[Client, int]) -> None:
    client, server = pair
    frame = client.frame({"jsonrpc": "2.0", "id": 1, "result": None})
    os.write(server, frame + frame)
    client.response(1)
    os.close(server)
    client.reader.join(20)
    with pytest.raises(AssertionError, match="unconsumed"):
        client.check_consumed()


def test_bytes_that_are_no_frame_are_noticed(pair: tuple[Client, int]) -> None:
    client, server = pair
    os.write(server, b"a stray print\n")
    os.close(server)
    client.reader.join(20)
    with pytest.raises(AssertionError, match="not frames"):
        client.check_consumed()


def test_ignorable_messages_are_not(pair: tuple[Client, int]) -> None:
    client, server = pair
    os.write(server, client.frame({"jsonrpc": "2.0", "method": "ignorable"}))
    os.close(server)
    client.reader.join(20)
    client.check_consumed()


def test_waiting_for_a_server_that_ended_fails_at_once(pair: tuple[Client, int]) -> None:
    client, server = pair
    os.close(server)
    with pytest.raises(Unanswered):
        client.response(1)
