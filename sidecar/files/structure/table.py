"""CSV and TSV: columns and the number of rows. Cells below the header are never shown."""

from __future__ import annotations

import csv
import re

from sidecar.files.clean_text import shorten
from sidecar.files.structure.result import Structure, capped
from sidecar.files.structure.values import secret_value
from sidecar.store.records import SymbolRecord

_HEADER_CHARS = 20_000
_SAMPLED, _FEW = 50, 8  # rows looked at, and columns described
_NUMBER = re.compile(r"[-+]?[\d.,]{1,40}(?:[eE][-+]?\d{1,4})?%?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MAIL = re.compile(r"\S{1,100}@\S{1,100}\.\w{2,}")


def table(text: str, *, delimiter: str | None) -> Structure:
    """Return the columns of a table, numbered if the first row looks like data."""
    window = text[:_HEADER_CHARS]
    first = window.split("\n", 1)[0]
    sign = delimiter or max(",;\t|", key=lambda candidate: (first.count(candidate), candidate == ","))
    partial = False
    try:
        header = next(iter(csv.reader(window.splitlines(keepends=True), delimiter=sign)), [])
    except csv.Error:
        header, partial = first.split(sign), True
    if not any(cell.strip() for cell in header):
        return Structure(partial=partial)
    rows = sum(1 for row in text.split("\n") if row.strip())
    multiline = '"' in text and text.count('"') // 2 > 0 and _multiline(text)
    titled = not any(_is_data(cell.strip()) for cell in header)
    names = [
        shorten(" ".join(cell.split()), 60) or f"column {number}" if titled else f"column {number}"
        for number, cell in enumerate(header, 1)
    ]
    count = max(0, rows - (1 if titled else 0))
    about = "about " if multiline else ""
    noun = "row" if count == 1 else "rows"
    columns = "column" if len(names) == 1 else "columns"
    symbols = [SymbolRecord(kind="column", name=name, start=1, end=1, signature=name) for name in names]
    return Structure(
        doc=f"Table of {about}{count:,} {noun} and {len(names):,} {columns}{_kinds(names, window, sign, titled)}.",
        symbols=capped(symbols, what="columns"),
        partial=partial,
    )


def _kinds(names: list[str], window: str, sign: str, titled: bool) -> str:
    """Return what the cells of each column look like, if there are few columns."""
    try:
        rows = list(csv.reader(window.split("\n")[:_SAMPLED], delimiter=sign))[titled:]
    except csv.Error:
        return ""
    described = []
    for at, name in enumerate(names):
        cells = [row[at].strip() for row in rows if at < len(row) and row[at].strip()]
        kinds = {
            "number" if _NUMBER.fullmatch(cell) else "date" if _DATE.match(cell) else "text"
            for cell in cells[:_SAMPLED]
        }
        described.append(f"{name} {kinds.pop() if len(kinds) == 1 else 'text' if kinds else 'empty'}")
    return ": " + ", ".join(described) if len(described) <= _FEW and any(row for row in rows) else ""


def _is_data(cell: str) -> bool:
    return bool(
        _NUMBER.fullmatch(cell) or _DATE.match(cell) or _MAIL.fullmatch(cell) or len(cell) > 80 or secret_value(cell)
    )


def _multiline(text: str) -> bool:
    """Return whether a quoted cell contains a line break, that is, whether a line has an odd number of quotes."""
    return any(row.count('"') % 2 for row in text.split("\n"))
