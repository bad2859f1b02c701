"""Every language's sample gives exactly the outline that stands beside it.

`samples/<file>.outline` is the record as text, reviewed by hand: a head, then one line a symbol, members
indented: `+` (public) or `-`, kind, name, lines, signature, doc.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from sidecar.files.language import CODE
from sidecar.files.outline import RECIPE, outline
from sidecar.store.records import ContentRecord, SymbolRecord

SAMPLES = sorted(path for path in (Path(__file__).parent / "samples").iterdir() if path.suffix != ".outline")


def listing(record: ContentRecord) -> str:
    lines = [
        f"language: {record.language}, {record.lines} lines{', partial' if record.partial else ''}",
        f"doc: {record.doc}",
        f"imports: {' '.join(record.imports)}",
        f"entry points: {'; '.join(record.entry_points)}",
    ]

    def add(symbols: Iterable[SymbolRecord], indent: str) -> None:
        for symbol in symbols:
            mark = "+" if symbol.public else "-"
            doc = f" -- {symbol.doc}" if symbol.doc else ""
            lines.append(
                f"{indent}{mark} {symbol.kind} {symbol.name} {symbol.start}-{symbol.end} | {symbol.signature}{doc}"
            )
            add(symbol.children, indent + "  ")

    add(record.symbols, "")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.name))
def test_the_outline_of_a_sample_is_exactly_the_reviewed_one(path: Path) -> None:
    record = outline(path.name, path.read_bytes(), "0" * 32)
    assert listing(record) == path.with_name(path.name + ".outline").read_text(encoding="utf-8")
    assert record.hash == "0" * 32
    assert record.recipe == RECIPE
    assert record.file_tokens > 0


def test_there_is_a_sample_for_every_code_language() -> None:
    assert {outline(path.name, path.read_bytes(), "").language for path in SAMPLES} >= CODE
