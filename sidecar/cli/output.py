"""What commands print: JSON as on the wire, tables for a terminal or a pipe, text without control characters.

rich draws tables on a terminal only. A pipe, where an agent or a script reads, gets aligned columns without colours and
with nothing cut.
"""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click
import msgspec

from sidecar.cli.failure import warn

if TYPE_CHECKING:
    from rich.console import Console

    from protocol.memories import Memory, Redaction, Similar

SHORT_ID = 8


class Row(NamedTuple):
    """The cells of a table's row, and text to put below it."""

    cells: Sequence[str]
    below: str = ""


def print_json(result: object) -> None:
    """Print a wire result, indented on a terminal and on one line into a pipe."""
    data = msgspec.json.encode(result)
    if is_terminal():
        data = msgspec.json.format(data, indent=2)
    sys.stdout.flush()
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def print_text(text: str) -> None:
    """Print text with a line break at its end; on a terminal, without characters that control it."""
    click.echo(plain(text) if is_terminal() else text, nl=not text.endswith("\n"))


def print_note(text: str) -> None:
    """Print a remark beside the result, on stderr."""
    click.echo(plain(text), err=True)


def print_table(columns: Sequence[str], rows: Sequence[Row]) -> None:
    cleaned = [Row([one_line(cell) for cell in row.cells], one_line(row.below)) for row in rows]
    if is_terminal():
        _print_drawn(columns, cleaned)
    else:
        _print_aligned(columns, cleaned)


def is_terminal() -> bool:
    """Return True if a person is looking at stdout."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def console() -> Console:
    """Return a rich console on stdout that respects `NO_COLOR` and uses 80 columns without a terminal."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else int(os.environ.get("COLUMNS", "") or 80)
    return Console(width=width, highlight=False, soft_wrap=False)


def short_id(id: str) -> str:
    """Return the end of an id, which is random; its beginning is a time."""
    return id[-SHORT_ID:]


def titled(said: str, memory: Memory | Similar, *marks: str) -> str:
    """Return what happened to a memory in one line: its name, then its id and other marks."""
    return f"{said}: {one_line(memory.name)}  [{', '.join((short_id(memory.id), *marks))}]"


def print_redactions(redactions: Sequence[Redaction]) -> None:
    """Print what was removed from a memory."""
    for redaction in redactions:
        times = "" if redaction.count == 1 else f" ({redaction.count} times)"
        warn(f"taken out of {redaction.field} before it was stored: {redaction.kind}{times}.")


def waiting(count: int) -> str:
    """Say how many candidates wait."""
    return f"{count} candidate{'' if count == 1 else 's'} wait{'s' if count == 1 else ''} to be confirmed"


def plain(text: str) -> str:
    """Remove what could move the cursor, change colours or otherwise control a terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else ascii(char)[1:-1] for char in text)


def one_line(text: str) -> str:
    """Do the same, and put it on one line."""
    return plain(" ".join(text.split()))


def shorten(text: str, width: int) -> str:
    """Return one line of at most `width` columns, with an ellipsis if it was cut."""
    text = one_line(text)
    if columns_of(text) <= width:
        return text
    kept = ""
    for char in text:
        if columns_of(kept + char) > width - 1:
            break
        kept += char
    return kept.rstrip() + "…"


def columns_of(text: str) -> int:
    """Return how many terminal columns the text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _print_aligned(columns: Sequence[str], rows: Sequence[Row]) -> None:
    lines = [list(columns), *(list(row.cells) for row in rows)]
    widths = [max(columns_of(line[index]) for line in lines) for index in range(len(columns))]
    for line, below in zip(lines, ["", *(row.below for row in rows)], strict=True):
        padded = [cell + " " * (width - columns_of(cell)) for cell, width in zip(line, widths, strict=True)]
        click.echo("  ".join(padded).rstrip())
        if below:
            click.echo(" " * (widths[0] + 2) + below)


def _print_drawn(columns: Sequence[str], rows: Sequence[Row]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        table.add_column(column, style="dim" if index == 0 else "", no_wrap=index == 0, overflow="fold")
    room = max(24, shutil.get_terminal_size().columns - 40)
    for row in rows:
        cells = [Text(cell) for cell in row.cells]
        if row.below:
            cells[1] = Text.assemble((row.cells[1], "bold"), "\n", (shorten(row.below, room), "dim"))
        table.add_row(*cells)
    console().print(table)
