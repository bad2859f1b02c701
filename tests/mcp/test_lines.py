"""Lines to messages, however the bytes are cut."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sidecar.mcp.lines import LineDecoder
from sidecar.wire.framing import BadFrame
from sidecar.wire.messages import Request

STREAM = (
    b'{"jsonrpc":"2.0","id":1,"method":"a"}\n\r\n{"jsonrpc":"2.0","id":2,"method":"b"}\r\nnoise\n'
    b'[{"jsonrpc":"2.0","id":3,"method":"c"},7]\n{"jsonrpc":"2.0","id":4,"method":"d"}\n'
)


@given(st.lists(st.integers(1, len(STREAM)), max_size=20))
def test_lines_cut_anywhere_give_the_same_messages(cuts: list[int]) -> None:
    whole = LineDecoder().feed(STREAM)
    decoder = LineDecoder()
    places = [0, *sorted(cuts), len(STREAM)]
    parts = [event for start, end in pairwise(places) for event in decoder.feed(STREAM[start:end])]
    assert parts == whole
    assert [event.id for event in whole if isinstance(event, Request)] == [1, 2, 3, 4]


@given(st.binary(max_size=300))
def test_a_request_after_any_bytes_is_read(data: bytes) -> None:
    decoder = LineDecoder()
    decoder.feed(data + b"\n")
    found = decoder.feed(b'{"jsonrpc":"2.0","id":9,"method":"x"}\n')
    assert [event.id for event in found if isinstance(event, Request)] == [9]


def test_a_line_above_the_limit_is_refused_once_and_the_next_is_read() -> None:
    decoder = LineDecoder(max_line=100)
    found = [event for _ in range(50) for event in decoder.feed(b"x" * 10)]
    assert [event.fault for event in found if isinstance(event, BadFrame)] == ["tooLarge"]
    after = decoder.feed(b'x\n{"jsonrpc":"2.0","id":9,"method":"x"}\n')
    assert [event.id for event in after if isinstance(event, Request)] == [9]
