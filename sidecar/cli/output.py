"""Print what commands answer: JSON as on the wire, tables for a terminal or a pipe, text.

A terminal that is too narrow for a table's columns gets a block for each row instead. A pipe, from which an agent or a
script reads, always gets aligned columns, without colours and with nothing cut.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click
import msgspec

from sidecar.cli.wording import SHORT_ID_CHARS, printable, printable_line, short_id, title

if TYPE_CHECKING:
    from protocol.memories import Memory, Similar

_FIGURE = re.compile(r"[-+]?[\d,.]+")


class TableRow(NamedTuple):
    """The cells of a table's row, and text to put below it."""

    cells: Sequence[str]
    below: str = ""


def print_json(result: object) -> None:
    """Print a wire result: indented on a terminal, on one line into a pipe."""
    data = msgspec.json.encode(result)
    if is_terminal():
        data = msgspec.json.format(data, indent=2)
    sys.stdout.flush()
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def print_text(text: str) -> None:
    """Print a text that ends in a line break. On a terminal, wrap it and remove control characters."""
    if is_terminal():
        text = wrap_lines(printable(text), shutil.get_terminal_size().columns)
    click.echo(text, nl=not text.endswith("\n"))


def print_line(text: str, *, label: str = "", styled: str = "") -> None:
    """Print a label (`styled`: in colour) and one line of text; on a terminal, wrap the text beside the label."""
    text = printable_line(text)
    available = shutil.get_terminal_size().columns - len(label)
    lines = wrap_line(text, max(20, available)) if is_terminal() else [text]
    click.echo((styled or label) + ("\n" + " " * len(label)).join(lines))


def print_note(text: str) -> None:
    text = printable(text)
    click.echo(wrap_lines(text, shutil.get_terminal_size().columns) if sys.stderr.isatty() else text, err=True)


def wrap_lines(text: str, available: int) -> str:
    """Break long lines between words. Continuations are indented like the text of their line."""
    lines: list[str] = []
    for line in text.split("\n"):
        if display_width(line) <= available:
            lines.append(line)
            continue
        start = re.match(r"\s*(?:[-*] )?", line)
        indent = len(start[0]) if start else 0
        inner = wrap_line(line[indent:], max(20, available - indent))
        lines += [(" " * indent if number else line[:indent]) + part for number, part in enumerate(inner)]
    return "\n".join(lines)


def print_table(columns: Sequence[str], rows: Sequence[TableRow]) -> None:
    rows = [TableRow([printable_line(cell) for cell in row.cells], printable_line(row.below)) for row in rows]
    available = None
    if is_terminal():
        available = shutil.get_terminal_size().columns
        filled = [index for index in range(len(columns)) if index < 2 or any(row.cells[index] for row in rows)]
        columns = [columns[index] for index in filled]
        rows = [TableRow([row.cells[index] for index in filled], row.below) for row in rows]
    lines = [columns, *(row.cells for row in rows)]
    widths = [max(map(display_width, cells)) for cells in zip(*lines, strict=True)]
    if available is not None and sum(widths) + 2 * len(widths) > available:
        _print_blocks(columns, rows, available)
    else:
        _print_aligned(columns, rows, widths, available)


def is_terminal() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def print_titled(verb: str, memory: Memory | Similar, *marks: str) -> None:
    """Print what happened to a memory: its name, then its id and other marks."""
    print_line(f"{verb}: {title(memory.name)} [{', '.join((short_id(memory.id), *marks))}]")


def display_width(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _print_aligned(
    columns: Sequence[str], rows: Sequence[TableRow], widths: Sequence[int], available: int | None
) -> None:
    for number, (cells, below) in enumerate([TableRow(columns), *rows]):
        padded = [cell + " " * (width - display_width(cell)) for cell, width in zip(cells, widths, strict=True)]
        line = "  ".join(padded).rstrip()
        click.echo(line if number else click.style(line, bold=True))
        if below:
            indent = widths[0] + 2
            shown = below if available is None else wrap_line(below, available - indent)[0]
            click.secho(" " * indent + shown, dim=True)


def _print_blocks(columns: Sequence[str], rows: Sequence[TableRow], available: int) -> None:
    """Print the first two cells of each row on a line, then the others; a figure gets the name of its column."""
    indent = min(max(display_width(row.cells[0]) for row in rows), SHORT_ID_CHARS) + 2
    for row in rows:
        head = row.cells[0] + " " * max(2, indent - display_width(row.cells[0]))
        for number, line in enumerate(wrap_line(row.cells[1], max(10, available - display_width(head)))):
            start = " " * indent if number else click.style(head, dim=columns[0] == "id")
            click.echo(start + click.style(line, bold=True))
        names = zip(columns[2:], row.cells[2:], strict=True)
        rest = " · ".join(f"{column} {cell}" if _FIGURE.fullmatch(cell) else cell for column, cell in names if cell)
        for line in wrap_line(rest, available - indent):
            click.echo(" " * indent + line)
        for line in wrap_line(row.below, available - indent)[:2]:
            click.echo(" " * indent + click.style(line, dim=True))


def wrap_line(text: str, width: int) -> list[str]:
    """Return one line of text as lines of at most `width` terminal columns."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        if line and display_width(line) + 1 + display_width(word) > width:
            lines.append(line)
            line = ""
        line = f"{line} {word}" if line else word
        while display_width(line) > width:
            cut = next(end for end in range(len(line), 0, -1) if display_width(line[:end]) <= width or end == 1)
            lines.append(line[:cut])
            line = line[cut:]
    return [*lines, line] if line else lines
