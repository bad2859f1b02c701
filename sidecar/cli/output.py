"""What commands print: JSON as on the wire, tables for a terminal or a pipe, text without control characters.

rich draws tables on a terminal only, and below 120 columns a table that does not fit is stacked, one block per row. A
pipe, where an agent or a script reads, gets aligned columns without colours and with nothing cut.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click
import msgspec

from sidecar.cli.failure import warn

if TYPE_CHECKING:
    from protocol.memories import Memory, Redaction, Similar

SHORT_ID = 8
_MIN_TABLE_COLUMNS = 120
_MAX_UNBROKEN_COLUMNS = 24
"""A column that is nowhere wider keeps its words whole in a drawn table."""

_DIGEST = re.compile(r" \([0-9a-f]{6}\)$")
_FIGURE = re.compile(r"[-+]?[\d,.]+")


class TableRow(NamedTuple):
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
    """Print text with a line break at its end; on a terminal, wrapped between words and without control characters."""
    if is_terminal():
        text = wrap_lines(printable(text), shutil.get_terminal_size().columns)
    click.echo(text, nl=not text.endswith("\n"))


def print_line(text: str, *, label: str = "", styled: str = "") -> None:
    """Print a label and one line of text; on a terminal, wrapped between words and indented below the text.

    `styled` is the label with its colours.
    """
    text = printable_line(text)
    available = shutil.get_terminal_size().columns if is_terminal() else 0
    indent = len(label) or 2
    lines = wrap_line(text, max(20, available - indent), max(20, available - len(label))) if available else [text]
    click.echo("\n".join([(styled or label) + (lines or [""])[0], *(" " * indent + line for line in lines[1:])]))


def print_note(text: str) -> None:
    """Print a remark on stderr."""
    text = printable(text)
    click.echo(wrap_lines(text, shutil.get_terminal_size().columns) if sys.stderr.isatty() else text, err=True)


def wrap_lines(text: str, available: int) -> str:
    """Break lines that are too long between words, the rest indented as the line's text is."""
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
    cleaned = [TableRow([printable_line(cell) for cell in row.cells], printable_line(row.below)) for row in rows]
    if not is_terminal():
        _print_aligned(columns, cleaned)
        return
    available = shutil.get_terminal_size().columns
    filled = [index for index in range(len(columns)) if index < 2 or any(row.cells[index] for row in cleaned)]
    columns = [columns[index] for index in filled]
    cleaned = [TableRow([row.cells[index] for index in filled], row.below) for row in cleaned]
    lines = [columns, *(row.cells for row in cleaned)]
    widths = [max(display_width(line[index]) for line in lines) for index in range(len(columns))]
    if available < _MIN_TABLE_COLUMNS and sum(widths) + 3 * len(widths) > available:
        _print_stacked(columns, cleaned, available)
    else:
        _print_drawn(columns, cleaned, widths)


def is_terminal() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def short_id(id: str) -> str:
    """Return the end of an id, which is random; its beginning is a time."""
    return id[-SHORT_ID:]


def title(name: str) -> str:
    """Return a memory's name on one line, without the digest that distinguishes two derived names."""
    return _DIGEST.sub("", printable_line(name))


def print_titled(verb: str, memory: Memory | Similar, *marks: str) -> None:
    """Print what happened to a memory: its name, then its id and other marks."""
    print_line(f"{verb}: {title(memory.name)} [{', '.join((short_id(memory.id), *marks))}]")


def print_redactions(redactions: Sequence[Redaction]) -> None:
    for redaction in redactions:
        times = "" if redaction.count == 1 else f" ({redaction.count} times)"
        warn(f"removed from {redaction.field} before it was stored: {redaction.kind}{times}.")


def counted(count: int, singular: str, many: str = "") -> str:
    """Return a count with its noun, such as `1 memory`; the plural adds an s if it is not given."""
    return f"{count:,} {singular if count == 1 else many or f'{singular}s'}"


def candidates_waiting(count: int) -> str:
    return f"{counted(count, 'candidate waits', 'candidates wait')} to be confirmed"


def printable(text: str) -> str:
    """Remove what could move the cursor, change colours or otherwise control a terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else ascii(char)[1:-1] for char in text)


def printable_line(text: str) -> str:
    return printable(" ".join(text.split()))


def unescape_fence(text: str) -> str:
    """Return text that was made for a model's fence with its `<` as a person writes it."""
    return text.replace("&lt;", "<")


def display_width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _print_aligned(columns: Sequence[str], rows: Sequence[TableRow]) -> None:
    lines = [list(columns), *(list(row.cells) for row in rows)]
    widths = [max(display_width(line[index]) for line in lines) for index in range(len(columns))]
    for line, below in zip(lines, ["", *(row.below for row in rows)], strict=True):
        padded = [cell + " " * (width - display_width(cell)) for cell, width in zip(line, widths, strict=True)]
        click.echo("  ".join(padded).rstrip())
        if below:
            click.echo(" " * (widths[0] + 2) + below)


def _print_stacked(columns: Sequence[str], rows: Sequence[TableRow], available: int) -> None:
    """Print the first two cells of a row on a line of their own, then the others, a figure with its column's name."""
    first = max(display_width(row.cells[0]) for row in rows)
    indent = min(first, SHORT_ID) + 2
    for row in rows:
        head = row.cells[0] + " " * (max(2, indent - display_width(row.cells[0])))
        for number, line in enumerate(wrap_line(row.cells[1], available - indent, available - display_width(head))):
            start = " " * indent if number else click.style(head, dim=columns[0] == "id")
            click.echo(start + click.style(line, bold=True))
        names = zip(columns[2:], row.cells[2:], strict=True)
        rest = [f"{column} {cell}" if _FIGURE.fullmatch(cell) else cell for column, cell in names if cell]
        for line in wrap_line(" · ".join(rest), available - indent):
            click.echo(" " * indent + line)
        for line in wrap_line(row.below, available - indent)[:2]:
            click.echo(" " * indent + click.style(line, dim=True))


def wrap_line(text: str, width: int, first: int | None = None) -> list[str]:
    """Return one line of text as lines of at most `width` terminal columns, the first of at most `first`."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        available = first if first is not None and not lines else width
        if line and display_width(line) + 1 + display_width(word) > available:
            lines.append(line)
            line, available = "", width
        line = f"{line} {word}" if line else word
        while display_width(line) > available:
            cut = next(end for end in range(len(line), 0, -1) if display_width(line[:end]) <= available or end == 1)
            cut = line.rfind("/", 1, cut) + 1 or cut  # a path
            lines.append(line[:cut])
            line, available = line[cut:], width
    return [*lines, line] if line else lines


def _print_drawn(columns: Sequence[str], rows: Sequence[TableRow], widths: Sequence[int]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        unbroken = index == 0 or widths[index] <= _MAX_UNBROKEN_COLUMNS
        table.add_column(column, style="dim" if column == "id" else "", no_wrap=unbroken, overflow="fold")
    available = max(24, shutil.get_terminal_size().columns - 40)
    for row in rows:
        cells = [Text(cell) for cell in row.cells]
        if row.below:
            below = Text(row.below, "dim")
            below.truncate(available, overflow="ellipsis")
            cells[1] = Text.assemble((row.cells[1], "bold"), "\n", below)
        table.add_row(*cells)
    Console(highlight=False).print(table)
