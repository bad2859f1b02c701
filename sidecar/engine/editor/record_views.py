"""Make the values that an editor displays from the records of memories, facts and files."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from sidecar.engine.editor.views import FacetView, MemoryView, SymbolView
from sidecar.files.graph.links import distinctiveness
from sidecar.files.symbols.hashes import dotted_symbols, full_name
from sidecar.memories.index.judging import suspicion
from sidecar.store.records import ContentRecord, FacetRecord, MemoryRecord

_TRACKED: Final = ("issue", "mergeRequest", "epic")
_MIN_DISTINCTIVENESS: Final = 0.5


def _is_distinctive(symbol: str) -> bool:
    """Return whether a name without its file says what is meant: `Cart.add` and `parse_args` do, `run` does not."""
    return "." in symbol or distinctiveness(symbol) >= _MIN_DISTINCTIVENESS


def symbols_of(content: ContentRecord) -> tuple[SymbolView, ...]:
    return tuple(
        SymbolView(name, symbol.start - 1, symbol.end - 1, symbol.kind, symbol.signature, symbol.doc)
        for name, symbol in dotted_symbols(content.symbols)
    )


def facets_of(records: Iterable[FacetRecord], holds: bool) -> list[FacetView]:
    return [
        FacetView(facet.text, tuple(name for name, _ in facet.symbols), facet.identifiers, facet.at, holds)
        for facet in records
    ]


def view_of(record: MemoryRecord, path: str, file_symbols: Collection[str] = ()) -> MemoryView:
    """Return a memory beside the file that defines `file_symbols`, from which its symbols take their dotted names.

    A symbol that the memory names without a file counts if the file defines it and its name is distinctive.
    """
    here = [reference for reference in record.references if reference.path == path]
    names = [full_name(reference.symbol, file_symbols) or reference.symbol for reference in here if reference.symbol]
    without_path = (reference.symbol for reference in record.references if reference.path is None)
    alone = [symbol for symbol in without_path if symbol and _is_distinctive(symbol)]
    names += [full for symbol in alone if (full := full_name(symbol, file_symbols)) is not None]
    return MemoryView(
        id=record.id,
        name=record.name,
        content=record.content,
        type=record.type,
        scope=record.scope,
        category=record.category,
        status=record.status,
        source=record.source,
        created_at=record.created_at,
        updated_at=record.updated_at,
        verified_at=record.verified_at,
        author=record.author,
        symbols=tuple(dict.fromkeys(names)),
        whole=path in record.files or any(reference.symbol is None for reference in here),
        doubt=suspicion(record.references),
        marks=tuple(dict.fromkeys(reference.text for reference in record.references if reference.kind in _TRACKED)),
    )
