"""`textDocument/codeAction`: remember the selection or a symbol, act on memories, repair MEMORY.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from sidecar.engine.editor.page import EntryView, PageProblem, PageView
from sidecar.engine.editor.views import FileView, SymbolView
from sidecar.lsp.features.asking import Asking, ask_engine
from sidecar.lsp.features.commands import command
from sidecar.lsp.features.diagnostics import as_diagnostic
from sidecar.lsp.features.hover import lines_of
from sidecar.lsp.features.wording import title
from sidecar.lsp.language_server import SidecarServer
from sidecar.lsp.positions import position, to_index, without_line_end

if TYPE_CHECKING:
    from sidecar.engine.editor.queries import EditorQueries

QUICK_FIX: Final = types.CodeActionKind.QuickFix.value
REMEMBER: Final = "refactor.memorySidecar.remember"
MEMORY: Final = "refactor.memorySidecar.memory"
MAX_SELECTED: Final = 8_000
MAX_MEMORIES: Final = 5
_PROSE: Final = ("markdown", "plaintext", "restructuredtext", "asciidoc", "org", "git-commit", "gitcommit")

Actions = Iterator[types.CodeAction]


def register(server: SidecarServer) -> None:
    def actions(params: types.CodeActionParams) -> Asking[list[types.CodeAction | types.Command] | None]:
        document = server.documents.get(params.text_document.uri)
        lines = document.lines if document is not None else None
        language = document.language if document is not None else ""
        offered = CodeActions(server, params, lines, language)
        return (yield from ask_engine(server, offered.all))

    options = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, REMEMBER, MEMORY])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(actions)


class CodeActions:
    def __init__(
        self, server: SidecarServer, params: types.CodeActionParams, lines: list[str] | None, language: str
    ) -> None:
        self._server = server
        self._uri = params.text_document.uri
        self._range = params.range
        self._context = params.context
        self._lines = lines
        self._language = language
        self._encoding = server.documents.encoding

    def all(self, editor: EditorQueries) -> list[types.CodeAction | types.Command]:
        """Return every action that the client requests and can carry out."""
        lines = self._lines if self._lines is not None else lines_of(editor, self._uri)
        if lines is None:
            return []
        if editor.is_page(self._uri):
            page = editor.page(self._uri, "".join(lines))
            actions = list(self._in_page(page, lines)) if page is not None else []
        else:
            actions = list(self._in_file(editor, lines))
        wanted = [action for action in actions if self._is_requested(action)]
        if self._server.client.literal_actions:
            return list(wanted)
        return [action.command for action in wanted if action.command is not None]

    def _is_requested(self, action: types.CodeAction) -> bool:
        kind = str(getattr(action.kind, "value", action.kind))
        only = [str(getattr(requested, "value", requested)) for requested in self._context.only or []]
        if only:
            return any(requested == "" or kind == requested or kind.startswith(f"{requested}.") for requested in only)
        automatic = self._context.trigger_kind == types.CodeActionTriggerKind.Automatic
        return kind == QUICK_FIX or not automatic

    # -- in a source file ------------------------------------------------------------------------------------

    def _in_file(self, editor: EditorQueries, lines: list[str]) -> Actions:
        where = editor.file(self._uri, "".join(lines))
        if where is None:
            return
        selected = self._selected_text(lines)
        if selected.strip() and len(selected) <= MAX_SELECTED:
            yield self._remember_selection(where, selected)
        line = self._range.start.line
        around = [symbol for symbol in where.symbols if symbol.first <= line <= symbol.last]
        symbol = min(around, key=lambda symbol: symbol.last - symbol.first) if around else None
        if symbol is not None:
            yield self._remember_symbol(where, symbol)
        concerned = [
            memory
            for memory in where.memories
            if (symbol is not None and symbol.name in memory.symbols) or (line == 0 and memory.whole)
        ]
        for memory in concerned[:MAX_MEMORIES]:
            yield from _on_memory(memory.id, memory.name, memory.status, memory.category)

    def _remember_selection(self, where: FileView, selected: str) -> types.CodeAction:
        content = selected.strip("\r\n")
        if self._language not in _PROSE:
            first, last = self._range.start.line + 1, self._range.end.line + 1
            lines = f"line {first}" if first == last else f"lines {first} to {last}"
            longest = max((len(run) for run in content.split() if set(run) == {"`"}), default=0)
            mark = "`" * max(3, longest + 1)
            content = f"`{where.path}`, {lines}:\n\n{mark}\n{content}\n{mark}"
        arguments = {"content": content, "files": [where.path], "workspaceUri": where.workspace_uri, "open": True}
        return _action("Remember the selection", REMEMBER, "record", arguments)

    def _remember_symbol(self, where: FileView, symbol: SymbolView) -> types.CodeAction:
        text = symbol.doc or symbol.signature
        arguments = {
            "content": f"`{where.path}::{symbol.name}`: {text}",
            "files": [where.path],
            "workspaceUri": where.workspace_uri,
            "open": True,
        }
        return _action(f"Remember something about {title(symbol.name)}", REMEMBER, "record", arguments)

    def _selected_text(self, lines: list[str]) -> str:
        start, end = self._range.start, self._range.end
        if start == end or start.line >= len(lines):
            return ""
        if end.line >= len(lines):
            end = types.Position(len(lines) - 1, 1 << 30)
        first = to_index(lines[start.line], start.character, self._encoding)
        last = to_index(lines[end.line], end.character, self._encoding)
        if start.line == end.line:
            return without_line_end(lines[start.line])[first:last]
        middle = "".join(lines[start.line + 1 : end.line])
        return f"{lines[start.line][first:]}{middle}{lines[end.line][:last]}"

    # -- in the memory file ----------------------------------------------------------------------------------

    def _in_page(self, page: PageView, lines: list[str]) -> Actions:
        first, last = self._range.start.line, self._range.end.line
        here = [problem for problem in page.problems if problem.first <= last and first <= problem.last]
        for number in dict.fromkeys(problem.entry for problem in here):
            yield from self._fixes(page, [problem for problem in here if problem.entry == number], lines)
        for entry in page.entries:
            if entry.first <= last and first <= entry.last and entry.record is not None:
                record = entry.record
                yield from _on_memory(record.id, record.name, record.status, record.category)

    def _fixes(self, page: PageView, problems: Sequence[PageProblem], lines: list[str]) -> Actions:
        diagnostics = [as_diagnostic(problem, lines, self._encoding) for problem in problems]
        id, entry = problems[0].id, problems[0].entry
        if id is not None:
            yield _action("It still holds: verify", QUICK_FIX, "verify", {"id": id}, diagnostics)
            yield _action("Archive this memory", QUICK_FIX, "archive", {"id": id}, diagnostics)
        if entry is not None and page.form == "file" and self._server.client.literal_actions:
            edit = self._removal_edit(page.entries[entry], lines)
            kind = types.CodeActionKind.QuickFix
            yield types.CodeAction(title="Remove this entry", kind=kind, diagnostics=diagnostics, edit=edit)

    def _removal_edit(self, entry: EntryView, lines: list[str]) -> types.WorkspaceEdit:
        start = position(lines, entry.first, 0, self._encoding)
        end = position(lines, entry.last + 1, 0, self._encoding)
        edit = types.TextEdit(types.Range(start, end), "")
        document = self._server.documents.get(self._uri)
        if self._server.client.versioned_edits:
            version = document.version if document is not None else None
            identifier = types.OptionalVersionedTextDocumentIdentifier(uri=self._uri, version=version)
            return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, [edit])])
        return types.WorkspaceEdit(changes={self._uri: [edit]})


def _on_memory(id: str, name: str, status: str, category: str | None) -> Actions:
    called = title(name)
    if status == "suspect":
        yield _action(f"Verify “{called}”", MEMORY, "verify", {"id": id})
    if category == "blocker":
        act = ("Reopen", "reopen") if status == "resolved" else ("Mark resolved", "resolve")
        yield _action(f"{act[0]}: “{called}”", MEMORY, act[1], {"id": id})
    yield _action(f"Archive “{called}”", MEMORY, "archive", {"id": id})


def _action(
    words: str, kind: str, name: str, arguments: dict[str, Any], diagnostics: Sequence[types.Diagnostic] | None = None
) -> types.CodeAction:
    act = types.Command(title=words, command=command(name), arguments=[arguments])
    return types.CodeAction(title=words, kind=kind, command=act, diagnostics=diagnostics)
