"""Combine statements with the comments and other lines about the parts of a file, each in the block that it is in."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from sidecar.store.records import SymbolRecord, every_symbol


def combined(
    found: Sequence[SymbolRecord], existing: Sequence[SymbolRecord], shown: Collection[int], kind: str
) -> tuple[SymbolRecord, ...]:
    """Return the `existing` records that the `found` ones do not show already, and those.

    `shown` are the lines that found records begin at. What is inside a found block becomes a row of this `kind` in it.
    """
    flat = (record for record in every_symbol(found) if not record.children)
    texts = {line: record.signature for record in flat for line in range(record.start, record.end + 1)}
    kept: list[SymbolRecord] = []
    rows = sorted(found, key=lambda record: record.start)
    for record in existing:
        if record.kind != "inside":
            kept.append(record)
        elif record.start not in shown and record.signature not in texts.get(record.start, ""):
            placed = _placed(rows, record, kind)
            rows = placed or rows
            kept += [] if placed else [record]
    return (*kept, *rows)


def _placed(records: Sequence[SymbolRecord], inner: SymbolRecord, kind: str) -> list[SymbolRecord] | None:
    """Return `records` with `inner` among the rows below the statement whose block it is in, or None."""
    for at, record in enumerate(records):
        if record.kind == kind and record.children and record.start < inner.start <= record.end:
            below = _placed(record.children, inner, kind) or [*record.children, replace(inner, kind=kind)]
            below.sort(key=lambda child: child.start)
            return [*records[:at], replace(record, children=tuple(below)), *records[at + 1 :]]
    return None
