"""Jupyter notebooks: headings and definitions of the cells, with the lines of the cells in the file."""

from __future__ import annotations

import re

import msgspec

from sidecar.files.clean_text import shorten
from sidecar.files.structure.json_scan import Node, scan
from sidecar.files.structure.markdown import inline_text
from sidecar.files.structure.result import Lines, Structure, capped, distinct, first_sentence
from sidecar.store.records import SymbolRecord

_HEADING = re.compile(r"(#{1,6})[ \t]{1,8}(\S.{0,400})")
_DEFINITION = re.compile(r"(?:async[ \t]{1,4})?(def|class)[ \t]{1,4}(\w{1,120})([^\n]{0,200})")
_IMPORT = re.compile(r"(?:from[ \t]{1,4}([\w.]{1,200})[ \t]{1,4}import\b|import[ \t]{1,4}([\w.]{1,200}))")
_MAX_CELLS = 5000


class _Cell(msgspec.Struct):
    cell_type: str = "code"
    source: str | list[str] = ""
    input: str | list[str] = ""


_cell = msgspec.json.Decoder(_Cell)


def notebook(text: str) -> Structure:
    """Symbols of a notebook. Outputs are not read; a broken notebook gives the cells that are whole."""
    found = scan(text, depth=2, items=_MAX_CELLS)
    root = found.roots[0] if found.roots else None
    cells = next((node for node in root.children if node.key == "cells"), None) if root else None
    if cells is None:
        return Structure(partial=True)
    lines = Lines(text)
    symbols: list[SymbolRecord] = []
    imports: list[str] = []
    doc: str | None = None
    partial = found.partial
    count = 0
    for node in cells.children:
        cell = _decode(text, node)
        if cell is None:
            partial = True
            continue
        count += 1
        source = cell.source or cell.input
        body = source if isinstance(source, str) else "".join(source)
        start, end = lines.at(node.start), lines.at(max(node.start, node.end - 1))
        if cell.cell_type == "markdown":
            prose = _headings(body, start, end, symbols)
            doc = doc or prose
        elif cell.cell_type == "code":
            _definitions(body, start, end, symbols, imports)
    kinds = f"Notebook of {count:,} cells."
    return Structure(
        doc=f"{doc} {kinds}" if doc else kinds,
        symbols=capped(symbols, what="headings and definitions"),
        imports=distinct(imports),
        partial=partial,
    )


def _decode(text: str, node: Node) -> _Cell | None:
    try:
        return _cell.decode(text[node.start : node.end])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _headings(body: str, start: int, end: int, symbols: list[SymbolRecord]) -> str | None:
    """Adds a cell's headings; the first sentence of its prose, if it has any."""
    prose: list[str] = []
    fenced = False
    for row in body.split("\n")[:2000]:
        if row.startswith("```"):
            fenced = not fenced
        elif not fenced:
            match = _HEADING.match(row)
            if match:
                name = inline_text(match[2])
                if name:
                    symbols.append(
                        SymbolRecord(
                            kind="heading", name=name, start=start, end=end, signature=f"{match[1]} {name}"
                        )
                    )
            elif row.strip() and len(prose) < 5 and not row.startswith(("<", "|", "!", "-")):
                prose.append(inline_text(row))
    return first_sentence(" ".join(prose))


def _definitions(body: str, start: int, end: int, symbols: list[SymbolRecord], imports: list[str]) -> None:
    for row in body.split("\n")[:5000]:
        imported = _IMPORT.match(row)
        if imported and len(imports) < 500:
            imports.append(imported[1] or imported[2])
        match = _DEFINITION.match(row)
        if match:
            kind = "class" if match[1] == "class" else "function"
            signature = shorten(" ".join(row.split()).rstrip(":"), 160)
            public = not match[2].startswith("_")
            symbols.append(
                SymbolRecord(
                    kind=kind, name=match[2], start=start, end=end, signature=signature, public=public
                )
            )
