"""`workspace/symbol`: matching memories, at their place in MEMORY.md or else in the first file they name.

A memory without a place is not listed, because an editor could not go to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsprotocol import types

from sidecar.engine.editor.views import MemoryPlace, MemoryView
from sidecar.lsp.features.asking import Asking, ask_engine
from sidecar.lsp.features.wording import dated, title
from sidecar.lsp.language_server import SidecarServer

if TYPE_CHECKING:
    from sidecar.engine.editor.queries import EditorQueries

MAX_SYMBOLS: Final = 50
_MAX_QUERY_CHARS: Final = 1_000


def register(server: SidecarServer) -> None:
    def symbols(params: types.WorkspaceSymbolParams) -> Asking[list[types.SymbolInformation] | None]:
        query = params.query[:_MAX_QUERY_CHARS]
        return (yield from ask_engine(server, lambda editor: _symbols_of(editor, query)))

    server.feature(types.WORKSPACE_SYMBOL)(symbols)


def _symbols_of(editor: EditorQueries, query: str) -> list[types.SymbolInformation]:
    now = editor.now()
    return [_symbol(memory, place, now) for memory, place in editor.search(query, MAX_SYMBOLS)]


def _symbol(memory: MemoryView, place: MemoryPlace, now: int) -> types.SymbolInformation:
    state = "" if memory.status == "active" else f", {memory.status}"
    start = types.Position(place.first, 0)
    return types.SymbolInformation(
        name=title(memory.name, 100),
        kind=types.SymbolKind.String,
        container_name=f"{memory.category or memory.type}, {memory.scope}{state}, {dated(memory.updated_at, now)}",
        location=types.Location(place.uri, types.Range(start, start)),
    )
