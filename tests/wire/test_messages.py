"""Envelopes: telling requests, notifications and responses from everything else."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import ErrorData
from sidecar.wire.framing import MalformedBody
from sidecar.wire.messages import Invalid, Notification, Request, Response, error_response, parse, response
from tests.client.json_value import Json


def body(**fields: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **fields}).encode()


@pytest.mark.parametrize("id", [0, 1, -5, 2**53, "", "a", "ü", "0"])
def test_ids_of_requests_keep_their_type(id: object) -> None:
    message = parse(body(id=id, method="m"))
    assert isinstance(message, Request)
    assert message.id == id
    assert type(message.id) is type(id)


@pytest.mark.parametrize("id", [None, True, 1.5, [], {}, 10**30])
def test_a_bad_id_makes_a_message_invalid(id: object) -> None:
    message = parse(body(id=id, method="m"))
    assert isinstance(message, Invalid)
    assert message.id is None


@pytest.mark.parametrize(
    "fields",
    [
        {"id": 4, "method": 5},
        {"id": 4, "method": None},
        {"id": 4, "method": "m", "params": 3},
        {"id": 4, "method": "m", "params": "x"},
        {"id": 4, "method": "m", "jsonrpc": "1.0"},
        {"id": 4, "method": "m", "jsonrpc": 2},
        {"id": 4},
    ],
)
def test_invalid_requests_keep_their_id(fields: dict[str, Json]) -> None:
    message = parse(body(**fields))
    assert isinstance(message, Invalid)
    assert message.id == 4


@pytest.mark.parametrize("text", [b"[]", b'[{"jsonrpc":"2.0","id":1,"method":"m"}]', b"1", b'"x"', b"null"])
def test_non_objects_are_refused(text: bytes) -> None:
    message = parse(text)
    assert isinstance(message, Invalid)
    assert message.id is None


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b"{",
        b"{}x",
        b'{"a":1,}',
        b"0x",
        b"[1",
        b'"a',
        b"\xff\xfe{}",
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\xff"}}',
        b"nul",
        '{"id":1}'.encode("utf-16"),
        b'{"params":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"params":' + b'{"a":' * 100_000,
    ],
)
def test_text_that_is_not_json_is_malformed(text: bytes) -> None:
    with pytest.raises(MalformedBody):
        parse(text)


def test_params_may_be_missing_or_null() -> None:
    for message in (parse(body(method="m")), parse(body(method="m", params=None))):
        assert isinstance(message, Notification)
        assert bytes(message.params) == b"{}"


def test_responses_are_told_from_requests() -> None:
    assert isinstance(parse(body(id="a", result=None)), Response)
    failed = parse(body(id="a", error={"code": 1, "message": "x"}))
    assert isinstance(failed, Response)
    assert failed.error is not None


def test_half_a_surrogate_pair_costs_a_character_and_not_the_request() -> None:
    text = rb'{"jsonrpc":"2.0","id":1,"method":"a\ud83d b\ude00 \ud83d\ude00 \\ud83d \u00e9"}'
    message = parse(text)
    assert isinstance(message, Request)
    assert message.method == "a\ufffd b\ufffd \U0001f600 \\ud83d é"


@given(st.binary(max_size=200))
def test_parse_raises_nothing_else(text: bytes) -> None:
    with contextlib.suppress(MalformedBody):
        assert parse(text) is not None


def test_sent_frames_state_their_length_in_bytes() -> None:
    assert response("ü", b"null").endswith('{"jsonrpc":"2.0","id":"ü","result":null}'.encode())
    head, _, text = error_response(None, -32700, "ü").partition(b"\r\n\r\n")
    assert head == b"Content-Length: %d" % len(text)
    assert json.loads(text) == {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "ü"}}
    assert b'"data":{"path":"$.a"}' in error_response(1, -32602, "x", ErrorData(path="$.a"))
