"""Plain values that an editor displays: memories, facts and symbols beside a file."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

import msgspec

from sidecar.engine.editor.mentions import bare_name
from sidecar.files.graph.links import distinctiveness
from sidecar.files.symbols.hashes import dotted_symbols, full_name
from sidecar.memories.render import suspicion
from sidecar.store.records import ContentRecord, FacetRecord, MemoryRecord

_TRACKED: Final = ("issue", "mergeRequest", "epic")
_MIN_DISTINCTIVENESS: Final = 0.5


class MemoryView(msgspec.Struct, frozen=True):
    """One memory beside a file: `symbols` are those of the file that it names; `whole` if it is about the whole file.

    `doubt` says why the memory would be suspect, `marks` are the tracker items in its text (`#12`). Times in epoch
    milliseconds.
    """

    id: str
    name: str
    content: str
    type: str
    scope: str
    category: str | None
    status: str
    source: str
    created_at: int
    updated_at: int
    verified_at: int | None
    author: str | None = None
    symbols: tuple[str, ...] = ()
    whole: bool = False
    doubt: str = ""
    marks: tuple[str, ...] = ()


class TrackedView(msgspec.Struct, frozen=True):
    """The last known state of an issue, a merge request or an epic."""

    mark: str
    kind: str
    state: str
    title: str


class FacetView(msgspec.Struct, frozen=True):
    """One fact about a file; `holds` is False if it was learned from an earlier content and may be outdated."""

    text: str
    symbols: tuple[str, ...]
    identifiers: tuple[str, ...]
    at: int
    holds: bool


class SymbolView(msgspec.Struct, frozen=True):
    """A symbol of a file, by its dotted name; lines from 0, both ends included."""

    name: str
    first: int
    last: int
    kind: str
    signature: str
    doc: str | None

    @property
    def bare(self) -> str:
        return bare_name(self.name)


class FileView(msgspec.Struct, frozen=True):
    """What is known about a file; `origin` of its summary is `structural`, `model`, `aggregated` or None."""

    uri: str
    workspace_uri: str
    path: str
    memories: tuple[MemoryView, ...]
    facets: tuple[FacetView, ...]
    symbols: tuple[SymbolView, ...]
    origin: str | None
    partial: bool = False


class MemoryPlace(msgspec.Struct, frozen=True):
    """Where a memory can be shown: lines of a file, from 0."""

    uri: str
    first: int = 0
    last: int = 0


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
