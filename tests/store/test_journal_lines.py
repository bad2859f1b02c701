"""Lines of a journal that was damaged, and how far they say was learned."""

from __future__ import annotations

import msgspec
import pytest

from sidecar.store.journals import learned_upto, read_lines


class Line(msgspec.Struct):
    kind: str
    upto: int = 0
    given: object = None


DECODER = msgspec.json.Decoder(Line)
GOOD = b'{"kind":"tool"}\n'


@pytest.mark.parametrize(
    "broken",
    [
        b'{"kind":"to\n',
        b"\0" * 4_096 + b"\n",
        b'{"kind":"tool","given":' + b"[" * 100_000 + b"\n",
        b'{"kind":"tool","given":"\xff\xfe"}\n',
        b'{"kind":7}\n',
        b'{"upto":1}\n',
        b"[]\n",
        b"\n",
    ],
)
def test_a_broken_line_is_left_out_and_the_others_keep_their_place(broken: bytes) -> None:
    lines = read_lines(GOOD + broken + GOOD + GOOD[:7], DECODER)
    assert [(start, raw) for start, raw, _ in lines] == [(0, GOOD), (len(GOOD) + len(broken), GOOD)]


def test_a_note_of_bytes_behind_itself_does_not_count() -> None:
    notes = (b'{"kind":"learned","upto":%d}\n' % upto for upto in (16, 5, 4_000))
    assert learned_upto(read_lines(GOOD + b"".join(notes), DECODER)) == 16
    assert learned_upto(read_lines(GOOD, DECODER)) == 0
