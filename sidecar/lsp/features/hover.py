"""`textDocument/hover`: memories about the symbol under the cursor, or the state of an entry of MEMORY.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import msgspec
from lsprotocol import types

from sidecar.engine.editor.mentions import bare_name
from sidecar.engine.editor.views import FacetView, FileView, MemoryView, SymbolView
from sidecar.lsp.client_info import SECTION
from sidecar.lsp.features import wording
from sidecar.lsp.features.asking import Asking, ask_engine
from sidecar.lsp.language_server import SidecarServer
from sidecar.lsp.positions import position, split_lines, to_index, whole_lines, without_line_end

if TYPE_CHECKING:
    from sidecar.engine.editor.queries import EditorQueries

WORD = re.compile(r"[^\W\d]\w*")
MAX_HOVER_MEMORIES = 5


def register(server: SidecarServer) -> None:
    def hover(params: types.HoverParams) -> Asking[types.Hover | None]:
        uri, cursor = params.text_document.uri, params.position
        lines = server.documents.lines(uri)
        return (yield from ask_engine(server, lambda editor: HoverRequest(server, editor, uri, lines).hover(cursor)))

    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)


class HoverRequest:
    """One hover request; `lines` of None stand for the text on disk."""

    def __init__(self, server: SidecarServer, editor: EditorQueries, uri: str, lines: list[str] | None) -> None:
        self._markdown = server.client.markdown
        self._links_commands = server.client.markdown and server.client.links_commands
        self._encoding = server.documents.encoding
        self._editor = editor
        self._uri = uri
        self._lines = lines if lines is not None else lines_of(editor, uri)

    def hover(self, cursor: types.Position) -> types.Hover | None:
        lines = self._lines
        if lines is None or cursor.line >= len(lines):
            return None
        if self._editor.is_page(self._uri):
            return self._hover_of_entry(lines, cursor.line)
        line = without_line_end(lines[cursor.line])
        index = to_index(line, cursor.character, self._encoding)
        word = next((match for match in WORD.finditer(line) if match.start() <= index <= match.end()), None)
        if word is None:
            return None
        view = self._editor.file(self._uri, "".join(lines))
        parts = self._about_symbol_here(view, word.group(), cursor.line) if view is not None else []
        if not parts:
            parts = self._about_symbol_elsewhere(word.group())
        if not parts:
            return None
        where = types.Range(
            position(lines, cursor.line, word.start(), self._encoding),
            position(lines, cursor.line, word.end(), self._encoding),
        )
        return self._as_hover(parts, where)

    def _about_symbol_here(self, view: FileView, word: str, line: int) -> list[str]:
        symbol = symbol_named(view.symbols, word, line)
        names = {symbol.name} if symbol is not None else set()

        def about(symbols: Sequence[str]) -> bool:
            return any(name in names or (not names and bare_name(name) == word) for name in symbols)

        memories = [memory for memory in view.memories if about(memory.symbols)]
        if symbol is not None and symbol.first == line:
            memories += [memory for memory in view.memories if memory.whole and not memory.symbols]
        facets = [facet for facet in view.facets if about(facet.symbols) or word in facet.identifiers]
        return [*self._memories(memories, word), *self._facets(facets)]

    def _about_symbol_elsewhere(self, word: str) -> list[str]:
        naming = self._editor.memories_naming(self._uri, word)
        return self._memories([memory for _, _, memory in naming], word, [(path, uri) for path, uri, _ in naming])

    def _memories(self, memories: Sequence[MemoryView], word: str, files: Sequence[tuple[str, str]] = ()) -> list[str]:
        parts = list[str]()
        for number, memory in enumerate(memories[:MAX_HOVER_MEMORIES]):
            parts.append(self._memory_head(memory, files[number : number + 1]))
            parts += self._tracker_states(memory)
            parts.append(wording.block(wording.body(memory.name, memory.content), self._markdown))
        if len(memories) > MAX_HOVER_MEMORIES:
            more = f"{len(memories) - MAX_HOVER_MEMORIES} more"
            parts.append(_command(more, "searchMemories", word) if self._links_commands else more)
        return parts

    def _memory_head(self, memory: MemoryView, files: Sequence[tuple[str, str]] = ()) -> str:
        """Return a line about a memory: kind, dates, and links to the memory, its files and its entry in MEMORY.md."""
        parts = [self._strong("Memory"), wording.head(memory, self._editor.now(), self._markdown)]
        for path, uri in files:
            text = wording.code(path, self._markdown)
            parts.append(wording.link(text, uri) if self._markdown else text)
        if self._links_commands:
            arguments = {"id": memory.id, "folder": self._editor.workspace_uri_of(memory.id)}
            parts.append(_command("Open", "view.open", arguments))
        place = self._editor.place(memory.id) if self._markdown else None
        if place is not None and place.uri not in (self._uri, *(uri for _, uri in files)):
            name = wording.code(unquote(place.uri.rpartition("/")[2]), True)
            parts.append(wording.link(name, f"{place.uri}#L{place.first + 1}"))
        return " · ".join(parts)

    def _tracker_states(self, memory: MemoryView) -> list[str]:
        parts = []
        for item in self._editor.tracked(self._uri, memory.marks[:MAX_HOVER_MEMORIES]):
            text = wording.title(item.title, 100)
            mark, item_title = wording.code(item.mark, self._markdown), wording.code(text, self._markdown)
            parts.append(f"{mark} is {wording.article(item.state, item.kind)}: {item_title}")
        return parts

    def _facets(self, facets: Sequence[FacetView]) -> list[str]:
        now, parts = self._editor.now(), list[str]()
        for facet in facets[:MAX_HOVER_MEMORIES]:
            state = "" if facet.holds else " · of an earlier version, may hold no more"
            parts.append(f"{self._strong('Fact')} · learned {wording.dated(facet.at, now)}{state}")
            parts.append(wording.block(wording.facet_lines(facet), self._markdown))
        return parts

    def _hover_of_entry(self, lines: list[str], line: int) -> types.Hover | None:
        page = self._editor.page(self._uri, "".join(lines))
        entry = next((entry for entry in page.entries if entry.first <= line <= entry.last), None) if page else None
        memory = self._editor.memory(entry.id) if entry is not None and entry.id is not None else None
        if entry is None or memory is None:
            return None
        parts = [self._memory_head(memory), *self._tracker_states(memory)]
        return self._as_hover(parts, whole_lines(lines, entry.first, entry.last, self._encoding))

    def _as_hover(self, parts: Sequence[str], where: types.Range) -> types.Hover:
        kind = types.MarkupKind.Markdown if self._markdown else types.MarkupKind.PlainText
        joint = "\n\n" if self._markdown else "\n"
        return types.Hover(types.MarkupContent(kind, joint.join(parts)), where)

    def _strong(self, text: str) -> str:
        return f"**{text}**" if self._markdown else text


def _command(label: str, command: str, argument: object) -> str:
    arguments = quote(msgspec.json.encode([argument]).decode(), safe="")
    return wording.link(label, f"command:{SECTION}.{command}?{arguments}")


def symbol_named(symbols: Sequence[SymbolView], word: str, line: int) -> SymbolView | None:
    """Return the symbol defined on this line, else the innermost around the line, else the only symbol of that name."""
    same = [symbol for symbol in symbols if symbol.bare == word]
    here = [symbol for symbol in same if symbol.first == line]
    around = [symbol for symbol in same if symbol.first <= line <= symbol.last]
    candidates = here or sorted(around, key=lambda symbol: symbol.last - symbol.first)
    return candidates[0] if candidates else same[0] if len(same) == 1 else None


def lines_of(editor: EditorQueries, uri: str) -> list[str] | None:
    text = editor.text(uri)
    return split_lines(text) if text is not None else None
