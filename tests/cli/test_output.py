"""Text for a terminal: its width, and that it cannot control one."""

from __future__ import annotations

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.cli import output
from sidecar.cli.output import TableRow, display_width, print_table, wrap_line
from sidecar.cli.wording import printable, printable_line


@given(text=st.text())
def test_nothing_unprintable_is_left(text: str) -> None:
    assert all(char.isprintable() or char in "\n\t" for char in printable(text))
    assert all(char.isprintable() for char in printable_line(text))


def test_wide_characters_take_two_columns() -> None:
    assert display_width("日本") == 4
    assert display_width("e\u0301") == 1


def test_columns_of_a_piped_table_line_up(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("a", "b"), [TableRow(("日本", "x")), TableRow(("long one", "y"), below="under")])
    assert capsys.readouterr().out.splitlines() == ["a         b", "日本      x", "long one  y", "          under"]


_COLUMNS = ("id", "name", "type", "scope", "age", "score", "why")
_NAME = "Release waits for the signing key of the new build machine"
_ROW = ("f0a1ad6d", _NAME, "project/blocker", "project", "16 seconds ago", "0.98", "matches: build, key, signing")


@pytest.mark.parametrize("columns", [40, 80, 100, 120, 200])
@pytest.mark.parametrize("name", [_NAME, "日本語の長い名前がここにあります" * 3])
def test_a_table_fits_its_terminal_and_breaks_no_short_word(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int, name: str
) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    print_table(_COLUMNS, [TableRow((_ROW[0], name, *_ROW[2:]), below="It is blocked until the key is rotated. " * 3)])
    shown = click.unstyle(capsys.readouterr().out)
    lines = shown.splitlines()
    assert all(display_width(line.rstrip()) <= columns for line in lines)
    for word in " ".join([*_ROW[:1], *_ROW[2:5], name if name == _NAME else ""]).split():
        assert any(word in line for line in lines)
    assert ("score 0.98" in " ".join(shown.split())) == (columns < 200)


@given(text=st.text(), width=st.integers(2, 30))
def test_wrapped_text_has_every_word_and_fits(text: str, width: int) -> None:
    lines = wrap_line(text, width)
    assert all(display_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
