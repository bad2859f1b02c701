"""Text for a terminal: its width, and that it cannot control one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.cli.output import Row, columns_of, one_line, plain, print_table, shorten


@given(text=st.text(), width=st.integers(2, 40))
def test_shortened_text_fits(text: str, width: int) -> None:
    short = shorten(text, width)
    assert columns_of(short) <= width
    assert "\n" not in short


@given(text=st.text())
def test_nothing_unprintable_is_left(text: str) -> None:
    assert all(char.isprintable() or char in "\n\t" for char in plain(text))
    assert all(char.isprintable() for char in one_line(text))


def test_wide_characters_take_two_columns() -> None:
    assert columns_of("日本") == 4
    assert columns_of("e\u0301") == 1


def test_columns_line_up(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("a", "b"), [Row(("日本", "x")), Row(("long one", "y"), below="under")])
    assert capsys.readouterr().out.splitlines() == ["a         b", "日本      x", "long one  y", "          under"]
