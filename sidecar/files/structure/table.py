"""CSV and TSV: columns and the number of rows. Cells below the header are never shown."""

from __future__ import annotations

import csv
import re

from sidecar.files.clean_text import shorten
from sidecar.files.structure.result import Structure, capped
from sidecar.files.structure.values import secret_value
from sidecar.store.records import SymbolRecord

_HEADER_CHARS = 20_000
_SAMPLED_ROWS, _MAX_DESCRIBED_COLUMNS = 50, 8  # a description gives the kinds of few columns, by the first rows
_NUMBER = re.compile(r"[-+]?[\d.,]{1,40}(?:[eE][-+]?\d{1,4})?%?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MAIL = re.compile(r"\S{1,100}@\S{1,100}\.\w{2,}")


def table(text: str, *, delimiter: str | None) -> Structure:
    """Return the columns of a table, numbered if the first row looks like data."""
    first = text[:_HEADER_CHARS].split("\n", 1)[0]
    sign = delimiter or max(",;\t|", key=lambda candidate: (first.count(candidate), candidate == ","))
    partial = False
    try:
        rows = [row for row in csv.reader(text.splitlines(keepends=True), delimiter=sign) if any(map(str.strip, row))]
    except csv.Error:
        rows, partial = [row.split(sign) for row in text.split("\n") if row.strip()], True
    if not rows:
        return Structure(partial=partial)
    titled = not any(_is_data(cell.strip()) for cell in rows[0])
    names = [
        shorten(" ".join(cell.split()), 60) or f"column {number}" if titled else f"column {number}"
        for number, cell in enumerate(rows[0], 1)
    ]
    cells = rows[titled:]
    noun = "row" if len(cells) == 1 else "rows"
    columns = "column" if len(names) == 1 else "columns"
    symbols = [SymbolRecord(kind="column", name=name, start=1, end=1, signature=name) for name in names]
    return Structure(
        doc=f"Table of {len(cells):,} {noun} and {len(names):,} {columns}{_kinds(names, cells[:_SAMPLED_ROWS])}.",
        symbols=capped(symbols, what="columns"),
        partial=partial,
    )


def _kinds(names: list[str], rows: list[list[str]]) -> str:
    """Describe the cells of each column, if there are few columns."""
    described = []
    for at, name in enumerate(names):
        cells = [row[at].strip() for row in rows if at < len(row) and row[at].strip()]
        kinds = {"number" if _NUMBER.fullmatch(cell) else "date" if _DATE.match(cell) else "text" for cell in cells}
        described.append(f"{name} {kinds.pop() if len(kinds) == 1 else 'text' if kinds else 'empty'}")
    return ": " + ", ".join(described) if len(described) <= _MAX_DESCRIBED_COLUMNS and rows else ""


def _is_data(cell: str) -> bool:
    return bool(
        _NUMBER.fullmatch(cell) or _DATE.match(cell) or _MAIL.fullmatch(cell) or len(cell) > 80 or secret_value(cell)
    )
