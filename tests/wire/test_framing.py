"""The frame decoder: any chunking gives the same events, and garbage never costs a later good frame."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.wire.framing import BadFrame, FrameDecoder, MalformedBody
from sidecar.wire.messages import Request, parse


def good(number: int = 1, extra: bytes = b"{}") -> bytes:
    body = b'{"jsonrpc":"2.0","id":%d,"method":"m","params":%b}' % (number, extra)
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def decode(data: bytes, cuts: list[int] | None = None) -> list[object]:
    decoder = FrameDecoder(parse)
    events: list[object] = []
    positions = sorted({min(cut, len(data)) for cut in cuts or []} | {0, len(data)})
    for start, end in itertools.pairwise(positions):
        events += decoder.feed(data[start:end])
    return events


def ids(events: Sequence[object]) -> list[object]:
    return [event.id for event in events if isinstance(event, Request)]


def faults(events: Sequence[object]) -> list[str]:
    return [event.fault for event in events if isinstance(event, BadFrame)]


def test_frames_in_one_chunk_and_byte_by_byte() -> None:
    data = good(1) + good(2) + good(3)
    assert ids(decode(data)) == ids(decode(data, list(range(len(data))))) == [1, 2, 3]


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: %d\r\n\r\n",
        b"content-length: %d\r\n\r\n",
        b"CONTENT-LENGTH:%d\r\n\r\n",
        b"Content-Length:\t%d \r\n\r\n",
        b"Content-Length: %d\n\n",
        b"Content-Length: 000%d\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\r\nContent-Type: text/plain; charset=latin-1\r\n\r\n",
        b"X-Unknown: 1\r\nContent-Length: %d\r\nX-Content-Length: 7\r\n\r\n",
        b"X-Content-Length: 7\r\nContent-Length: %d\r\n\r\n",
        b"\r\n\r\nContent-Length: %d\r\n\r\n",
    ],
)
def test_headers_are_understood_in_every_spelling(header: bytes) -> None:
    body = b'{"jsonrpc":"2.0","id":7,"method":"m"}'
    assert ids(decode(header % len(body) + body + good(8))) == [7, 8]


def test_a_header_inside_of_a_string_is_text() -> None:
    extra = b'{"a":"Content-Length: 5\\r\\n\\r\\n","b":"}Content-Length: 9"}'
    assert ids(decode(good(1, extra) + good(2))) == [1, 2]
    assert faults(decode(good(1, extra) + good(2))) == []


@pytest.mark.parametrize("surplus", [1, 5, 14, 17, 19, 20, 40, 75, 100, 10_000, 60_000_000])
def test_a_length_that_is_too_long_loses_nothing(surplus: int) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"m"}'
    data = b"Content-Length: %d\r\n\r\n%b" % (len(body) + surplus, body)
    events = decode(data + b"".join(good(n) for n in range(2, 22)))
    assert ids(events) == list(range(1, 22))
    assert faults(events) == ["length"]


@pytest.mark.parametrize("missing", [1, 2, 10, 36])
def test_a_length_that_is_too_short_costs_one_message(missing: int) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"m"}'
    events = decode(b"Content-Length: %d\r\n\r\n%b" % (len(body) - missing, body) + good(2))
    assert ids(events) == [2]
    assert faults(events) == ["body"]


def test_a_truncated_body_is_given_up_when_the_next_header_comes() -> None:
    events = decode(b'Content-Length: 5000\r\n\r\n{"jsonrpc":"2.0","id":1,"me' + good(2))
    assert (ids(events), faults(events)) == ([2], ["body"])


def test_a_message_above_the_limit_is_skipped() -> None:
    decoder = FrameDecoder(parse, max_body=100)
    events = decoder.feed(good(1, b'"' + b"x" * 1000 + b'"') + good(2))
    assert (ids(events), faults(events)) == ([2], ["tooLarge"])


def test_a_header_without_end_does_not_fill_the_memory() -> None:
    decoder = FrameDecoder(parse)
    for _ in range(200):
        decoder.feed(b"x" * 10_000)
    assert len(decoder._buffer) < 20_000
    assert ids(decoder.feed(good(1))) == [1]


def test_noise_is_reported_once_per_run() -> None:
    assert faults(decode(b"a\r\nb\r\nc\r\n" + good(1) + b"d\r\ne" + good(2))) == ["noise", "noise"]


def test_a_large_message_in_small_pieces() -> None:
    data = good(1, b'{"t":"' + b"content-length " * 1_000_000 + b'"}')
    decoder = FrameDecoder(parse)
    events: list[object] = []
    for start in range(0, len(data), 4096):
        events += decoder.feed(data[start : start + 4096])
    assert ids(events) == [1]


def test_the_parser_decides_what_is_malformed() -> None:
    def refuse(body: bytes) -> bytes:
        raise MalformedBody("no")

    assert FrameDecoder(refuse).feed(b"Content-Length: 2\r\n\r\n{}") == [BadFrame("body", "no")]


pieces = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [
            b"Content-Length: ",
            b"content-length:",
            b"5",
            b"-1",
            b"999999999999",
            b"70000000",
            b"\r\n",
            b"\n",
            b"\r\n\r\n",
            b"{}",
            b'{"a":1}',
            b'"Content-Length: 5\\r\\n\\r\\n"',
            b"}",
            b"[",
            b"X-Y: z\r\n",
            b"Content-Type: a; charset=utf-16\r\n",
            b'{"jsonrpc":"2.0","id":900,"method":"g"}',
        ]
    ),
    st.integers(0, 200).map(lambda n: b"Content-Length: %d\r\n\r\n" % n),
)
garbage = st.lists(pieces, max_size=12).map(b"".join)
cuts = st.lists(st.integers(0, 2000), max_size=30)


@given(garbage, cuts)
def test_garbage_never_costs_a_later_frame(noise: bytes, where: list[int]) -> None:
    events = decode(noise + good(1) + good(2) + good(3), where)
    assert ids(events)[-3:] == [1, 2, 3]


@given(st.lists(st.one_of(garbage, st.integers(1, 99).map(good)), max_size=6).map(b"".join), cuts)
def test_chunks_do_not_matter(data: bytes, where: list[int]) -> None:
    whole, cut = decode(data), decode(data, where)
    assert ids(whole) == ids(cut)
    assert faults(whole) == faults(cut)
