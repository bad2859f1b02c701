"""`textDocument/completion` in MEMORY.md: section headings, marks, and files and symbols between backticks."""

from __future__ import annotations

import re
from typing import Final

from lsprotocol import types

from sidecar.lsp.features.asking import Asking
from sidecar.lsp.features.pages import PageInEditor, on_page
from sidecar.lsp.language_server import SidecarServer
from sidecar.lsp.positions import position, to_index, without_line_end
from sidecar.memory_file.text.document import TITLES
from sidecar.store.vocabulary import CATEGORIES

MAX_COMPLETIONS: Final = 100

_HEADING: Final = re.compile(r"#{1,6}[ \t]*(?P<word>[^#]*)\Z")
_MARK: Final = re.compile(r"\*\((?:[^()*]*,)?[ \t]*(?P<word>[^()*,]*)\Z")
_FRONT_MATTER: Final = re.compile(r"(?P<key>[a-z]*)(?P<colon>:[ \t]*)?(?P<word>[^\s]*)\Z")
_KEYS: Final = ("name", "description", "type", "scope", "category", "agent", "tags", "pinned")
_VALUES: Final = {"type": tuple(TITLES), "scope": ("project",), "category": CATEGORIES, "pinned": ("true", "false")}

Choices = list[tuple[str, types.CompletionItemKind, str]]


def register(server: SidecarServer) -> None:
    def complete(params: types.CompletionParams) -> Asking[types.CompletionList | None]:
        uri = params.text_document.uri
        return (yield from on_page(server, uri, lambda page: _completions(page, uri, params.position)))

    options = types.CompletionOptions(trigger_characters=["`", "(", ",", "/", ":", "#", "."])
    server.feature(types.TEXT_DOCUMENT_COMPLETION, options)(complete)


def _completions(page: PageInEditor, uri: str, cursor: types.Position) -> types.CompletionList:
    if cursor.line >= len(page.lines):
        return types.CompletionList(is_incomplete=False, items=[])
    line = without_line_end(page.lines[cursor.line])
    index = to_index(line, cursor.character, page.encoding)
    before = line[:index]
    choices: Choices = []
    word = before
    if before.count("`") % 2:
        word = before.rpartition("`")[2]
        choices = _references(page, uri, word)
    elif _in_front_matter(page, cursor.line):
        word, choices = _front_matter_choices(before)
    elif page.view.form == "file" and (heading := _HEADING.match(before)):
        word = heading["word"]
        choices = [(name, types.CompletionItemKind.Module, type) for type, name in TITLES.items()]
    elif mark := _MARK.search(before):
        word = mark["word"]
        marks = [*CATEGORIES, "pinned", "agent: "]
        choices = [(name, types.CompletionItemKind.EnumMember, "mark") for name in marks]
    start = position(page.lines, cursor.line, index - len(word), page.encoding)
    end = position(page.lines, cursor.line, index, page.encoding)
    items = [
        types.CompletionItem(
            label=label,
            kind=kind,
            detail=detail,
            sort_text=f"{number:04d}",
            filter_text=label,
            text_edit=types.TextEdit(types.Range(start, end), label),
        )
        for number, (label, kind, detail) in enumerate(choices[:MAX_COMPLETIONS])
    ]
    return types.CompletionList(is_incomplete=len(choices) >= MAX_COMPLETIONS, items=items)


def _references(page: PageInEditor, uri: str, word: str) -> Choices:
    path, separator, symbol = word.partition("::")
    if not separator:
        paths = page.editor.paths(uri, word, MAX_COMPLETIONS)
        return [(name, types.CompletionItemKind.File, "file") for name in paths]
    return [
        (f"{path}::{found_symbol.name}", types.CompletionItemKind.Reference, found_symbol.kind)
        for found_symbol in page.editor.symbols(uri, path)
        if found_symbol.name.startswith(symbol) or found_symbol.bare.startswith(symbol)
    ]


def _front_matter_choices(before: str) -> tuple[str, Choices]:
    match = _FRONT_MATTER.match(before)
    if match is None:
        return "", []
    if match["colon"] is None:
        keys = [(f"{key}: ", types.CompletionItemKind.Property, "") for key in _KEYS]
        return match["key"], keys
    values = _VALUES.get(match["key"], ())
    return match["word"], [(value, types.CompletionItemKind.EnumMember, match["key"]) for value in values]


def _in_front_matter(page: PageInEditor, line: int) -> bool:
    if page.view.form != "page" or not page.lines[0].startswith("---") or line == 0:
        return False
    return not any(text.startswith("---") for text in page.lines[1 : line + 1])
