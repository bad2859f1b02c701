"""`textDocument/codeLens`: what is known about a file at its top, and memories above the symbols they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from sidecar.engine.editor.views import FileView, MemoryView
from sidecar.lsp.features.asking import Asking, ask_engine
from sidecar.lsp.features.commands import SHOW_FILE
from sidecar.lsp.features.wording import counted
from sidecar.lsp.language_server import SidecarServer
from sidecar.lsp.positions import position, split_lines

if TYPE_CHECKING:
    from sidecar.engine.editor.queries import EditorQueries


def register(server: SidecarServer) -> None:
    """Register the request and `codeLens/resolve`, which refreshes a title."""

    def lenses(params: types.CodeLensParams) -> Asking[list[types.CodeLens] | None]:
        uri = params.text_document.uri
        lines = server.documents.lines(uri)
        return (yield from ask_engine(server, lambda editor: _lenses_of(server, editor, uri, lines)))

    def resolve(lens: types.CodeLens) -> Asking[types.CodeLens]:
        data: Any = lens.data
        uri = data.get("uri") if isinstance(data, dict) else None
        symbol = data.get("symbol") if isinstance(data, dict) else None
        if not isinstance(uri, str) or not (symbol is None or isinstance(symbol, str)):
            return lens
        lines = server.documents.lines(uri)
        text = "".join(lines) if lines is not None else None
        resolved = yield from ask_engine(server, lambda editor: _resolved(editor, lens, uri, symbol, text))
        return resolved or lens

    server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))(lenses)
    server.feature(types.CODE_LENS_RESOLVE)(resolve)


def _lenses_of(server: SidecarServer, editor: EditorQueries, uri: str, lines: list[str] | None) -> list[types.CodeLens]:
    if editor.is_page(uri):
        return []
    text = "".join(lines) if lines is not None else None
    view = editor.file(uri, text)
    if view is None:
        return []
    lines = lines if lines is not None else split_lines(editor.text(uri) or "")
    lenses = []
    for name, first in [(None, 0), *((symbol.name, symbol.first) for symbol in view.symbols)]:
        title = _title(view, name)
        if title:
            start = position(lines, first, 0, server.documents.encoding)
            data = {"uri": uri} if name is None else {"uri": uri, "symbol": name}
            command = _command(title, data)
            lenses.append(types.CodeLens(range=types.Range(start, start), command=command, data=data))
    return lenses


def _resolved(
    editor: EditorQueries, lens: types.CodeLens, uri: str, symbol: str | None, text: str | None
) -> types.CodeLens:
    view = editor.file(uri, text)
    title = _title(view, symbol) if view is not None else ""
    data = {"uri": uri} if symbol is None else {"uri": uri, "symbol": symbol}
    command = _command(title or "no memories any more", data)
    return types.CodeLens(range=lens.range, command=command, data=lens.data)


def _command(title: str, data: dict[str, str]) -> types.Command:
    return types.Command(title=title, command=SHOW_FILE, arguments=[data])


def _title(view: FileView, symbol: str | None) -> str:
    if symbol is not None:
        return _counts([memory for memory in view.memories if symbol in memory.symbols])
    holding = sum(facet.holds for facet in view.facets)
    parts = [_counts(view.memories)]
    if holding:
        parts.append(counted(holding, "fact"))
    if len(view.facets) > holding:
        parts.append(f"{counted(len(view.facets) - holding, 'fact')} to verify")
    labels = [part for part in parts if part]
    if view.origin is not None and (labels or view.origin != "structural"):
        labels.append("summary partial" if view.partial else "summary fresh")
    return " · ".join(labels)


def _counts(memories: Sequence[MemoryView]) -> str:
    open = [memory for memory in memories if memory.status != "resolved"]
    suspect = sum(memory.status == "suspect" for memory in open)
    if not open:
        return ""
    return counted(len(open), "memory", "memories") + (f" · {suspect} suspect" if suspect else "")
