"""Jupyter notebooks: headings of the cells with their lines in the file, and the code as one text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from sidecar.files.clean_text import shorten
from sidecar.files.structure.markdown import inline_text
from sidecar.files.structure.result import Structure, capped, first_sentence
from sidecar.store.records import SymbolRecord

_HEADING = re.compile(r"(#{1,6})[ \t]{1,8}(\S.{0,400})")
_MAGIC = re.compile(r"\s*[%!?]|.*\?\s*$")
_OTHER = re.compile(r"\s*%%(?!time|capture|prun|memit|px)\w")
_MAX_CELLS: Final = 5000
_MAX_ROWS: Final = 100_000
_LANGUAGES: Final = {"c#": "csharp", "c++": "cpp", "c++17": "cpp", "sos": "python", "ipython": "python"}


class _Cell(msgspec.Struct):
    cell_type: str = "code"
    source: msgspec.Raw = msgspec.Raw(b'""')
    input: msgspec.Raw = msgspec.Raw(b'""')


class _KernelName(msgspec.Struct, frozen=True):
    language: str = ""
    name: str = ""


class _Metadata(msgspec.Struct, frozen=True):
    kernelspec: _KernelName = _KernelName()
    language_info: _KernelName = _KernelName()


class _Notebook(msgspec.Struct):
    cells: list[msgspec.Raw] = []
    metadata: _Metadata = _Metadata()


class Cell(NamedTuple):
    kind: str
    rows: list[tuple[int, str]]


class Code(NamedTuple):
    """The code of all cells as one text, with each line's number in the file; `whole` has the prose, too."""

    language: str
    code: str
    lines: tuple[int, ...]
    whole: str


_notebook = msgspec.json.Decoder(_Notebook)
_cell = msgspec.json.Decoder(_Cell)
_rows = msgspec.json.Decoder(list[msgspec.Raw])
_text = msgspec.json.Decoder(str)
_FAULTS: Final = (msgspec.MsgspecError, UnicodeError, RecursionError)


def notebook(text: str) -> Structure:
    """Return a notebook's headings; skip outputs."""
    cells, _, partial = _read(text)
    symbols: list[SymbolRecord] = []
    doc: str | None = None
    for cell in cells:
        if cell.kind == "markdown":
            prose = _headings(cell.rows, symbols)
            doc = doc or prose
    kinds = f"Notebook of {len(cells):,} cells."
    return Structure(doc=f"{doc} {kinds}" if doc else kinds, symbols=capped(symbols, what="headings"), partial=partial)


def code_of_cells(text: str) -> Code:
    """Return a notebook's code without its shell and magic commands."""
    cells, language, _ = _read(text)
    rows: list[tuple[int, str]] = []
    for cell in cells:
        if cell.kind != "code" or not cell.rows or _OTHER.match(cell.rows[0][1]):
            continue
        rows += [(line, "" if _MAGIC.match(row) else row) for line, row in cell.rows]
    rows = rows[:_MAX_ROWS]
    whole = "\n".join(row for cell in cells for _, row in cell.rows)
    return Code(language, "\n".join(row for _, row in rows), tuple(line for line, _ in rows), whole)


def _read(text: str) -> tuple[list[Cell], str, bool]:
    """Return the cells, the language of their code, and whether something could not be read."""
    data = text.encode("utf-8", "replace")
    language, partial = "python", False
    try:
        whole = _notebook.decode(data)
        raws = [bytes(raw) for raw in whole.cells]
        named = whole.metadata.language_info.name or whole.metadata.kernelspec.language or language
        language = _LANGUAGES.get(named.lower(), named.lower())
    except _FAULTS:
        return [], language, True
    cells: list[Cell] = []
    for line, raw in _with_lines(data, raws[:_MAX_CELLS], 1):
        try:
            cells.append(_read_cell(raw, line))
        except _FAULTS:
            partial = True
    return cells, language, partial


def _with_lines(data: bytes, parts: Sequence[bytes], line: int) -> Iterator[tuple[int, bytes]]:
    """Yield the parts of a text, which are given in order, with their lines."""
    at = 0
    for part in parts:
        place = max(data.find(part, at), at)
        line += data.count(b"\n", at, place)
        yield line, part
        line += part.count(b"\n")
        at = place + len(part)


def _read_cell(raw: bytes, line: int) -> Cell:
    cell = _cell.decode(raw)
    source = bytes(cell.source)
    if len(source) < 3:
        source = bytes(cell.input)
    at = max(raw.rfind(source), 0)
    line += raw.count(b"\n", 0, at)
    if not source.startswith(b"["):
        return Cell(cell.cell_type, [(line, row) for row in _text.decode(source).split("\n")])
    parts = _with_lines(source, [bytes(part) for part in _rows.decode(source)], line)
    rows = [(at, row) for at, part in parts for row in _text.decode(part).removesuffix("\n").split("\n")]
    return Cell(cell.cell_type, rows)


def _headings(rows: list[tuple[int, str]], symbols: list[SymbolRecord]) -> str | None:
    """Add a cell's headings to `symbols`; return the first sentence of its prose, if any."""
    prose: list[str] = []
    fenced = False
    for line, row in rows[:2000]:
        if row.startswith("```"):
            fenced = not fenced
        elif not fenced:
            match = _HEADING.match(row)
            if match:
                name = shorten(inline_text(match[2]), 120)
                if name:
                    symbols.append(
                        SymbolRecord(kind="heading", name=name, start=line, end=line, signature=f"{match[1]} {name}")
                    )
            elif row.strip() and len(prose) < 5 and not row.startswith(("<", "|", "!", "-")):
                prose.append(inline_text(row))
    return first_sentence(" ".join(prose))
