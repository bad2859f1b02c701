"""`textDocument/documentSymbol` of MEMORY.md: its sections and entries; other documents have no symbols of ours."""

from __future__ import annotations

from lsprotocol import types

from sidecar.engine.editor.page import EntryView
from sidecar.lsp.features.asking import Asking
from sidecar.lsp.features.pages import PageInEditor, on_page
from sidecar.lsp.features.wording import title
from sidecar.lsp.language_server import SidecarServer
from sidecar.lsp.positions import whole_lines

Symbols = list[types.DocumentSymbol] | list[types.SymbolInformation]


def register(server: SidecarServer) -> None:
    def symbols(params: types.DocumentSymbolParams) -> Asking[Symbols | None]:
        uri = params.text_document.uri
        nested = server.client.nested_symbols
        return (yield from on_page(server, uri, lambda page: _nested(page) if nested else _flat(page, uri)))

    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(symbols)


def _nested(page: PageInEditor) -> list[types.DocumentSymbol]:
    sections = page.view.sections
    children: list[list[types.DocumentSymbol]] = [[] for _ in sections]
    symbols = [
        types.DocumentSymbol(
            name=title(section.title),
            kind=types.SymbolKind.Namespace,
            range=page.range(section.first, section.last),
            selection_range=page.range(section.first, section.first),
            children=entries,
        )
        for section, entries in zip(sections, children, strict=True)
    ]
    for entry in page.view.entries:
        symbol = types.DocumentSymbol(
            name=title(entry.title),
            detail=_detail(entry),
            kind=types.SymbolKind.String,
            range=page.range(entry.first, entry.last),
            selection_range=page.range(entry.first, entry.first),
        )
        around = [
            entries
            for section, entries in zip(sections, children, strict=True)
            if section.first <= entry.first and entry.last <= section.last
        ]
        (around[-1] if around else symbols).append(symbol)
    return sorted(symbols, key=lambda item: item.range.start.line)


def _flat(page: PageInEditor, uri: str) -> list[types.SymbolInformation]:
    return [
        types.SymbolInformation(
            location=types.Location(uri, whole_lines(page.lines, entry.first, entry.last, page.encoding)),
            name=title(entry.title),
            kind=types.SymbolKind.String,
            container_name=_detail(entry),
        )
        for entry in page.view.entries
    ]


def _detail(entry: EntryView) -> str:
    status = entry.record.status if entry.record is not None else "not in memory yet"
    kind = entry.category or entry.type
    return kind if status == "active" else f"{kind}, {status}"
