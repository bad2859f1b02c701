"""`textDocument/completion` in MEMORY.md: section headings, marks, and files and symbols between backticks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from sidecar.lsp.features.pages import PageInEditor, on_page
from sidecar.lsp.features.reading import Asking
from sidecar.lsp.positions import bare, position, to_index
from sidecar.memory_file.text.document import TITLES
from sidecar.store.vocabulary import CATEGORIES

if TYPE_CHECKING:
    from sidecar.lsp.language_server import SidecarServer

MOST: Final = 100

_HEADING: Final = re.compile(r"#{1,6}[ \t]*(?P<word>[^#]*)\Z")
_MARK: Final = re.compile(r"\*\((?:[^()*]*,)?[ \t]*(?P<word>[^()*,]*)\Z")
_FRONT: Final = re.compile(r"(?P<key>[a-z]*)(?P<colon>:[ \t]*)?(?P<word>[^\s]*)\Z")
_KEYS: Final = ("name", "description", "type", "scope", "category", "agent", "tags", "pinned")
_VALUES: Final = {"type": tuple(TITLES), "scope": ("project",), "category": CATEGORIES, "pinned": ("true", "false")}

Found = list[tuple[str, types.CompletionItemKind, str]]


def register(server: SidecarServer) -> None:
    def complete(params: types.CompletionParams) -> Asking[types.CompletionList | None]:
        uri = params.text_document.uri
        return (yield from on_page(server, uri, lambda page: _complete(page, uri, params.position)))

    options = types.CompletionOptions(trigger_characters=["`", "(", ",", "/", ":", "#", "."])
    server.feature(types.TEXT_DOCUMENT_COMPLETION, options)(complete)


def _complete(page: PageInEditor, uri: str, at: types.Position) -> types.CompletionList:
    if at.line >= len(page.lines):
        return types.CompletionList(is_incomplete=False, items=[])
    line = bare(page.lines[at.line])
    index = to_index(line, at.character, page.encoding)
    before = line[:index]
    found: Found = []
    word = before
    if before.count("`") % 2:
        word = before.rpartition("`")[2]
        found = _references(page, uri, word)
    elif _in_front_matter(page, at.line):
        word, found = _front(before)
    elif page.view.form == "file" and (heading := _HEADING.match(before)):
        word = heading["word"]
        found = [(name, types.CompletionItemKind.Module, type) for type, name in TITLES.items()]
    elif mark := _MARK.search(before):
        word = mark["word"]
        marks = [*CATEGORIES, "pinned", "agent: "]
        found = [(name, types.CompletionItemKind.EnumMember, "mark") for name in marks]
    start = position(page.lines, at.line, index - len(word), page.encoding)
    end = position(page.lines, at.line, index, page.encoding)
    items = [
        types.CompletionItem(
            label=label,
            kind=kind,
            detail=detail,
            sort_text=f"{number:04d}",
            filter_text=label,
            text_edit=types.TextEdit(types.Range(start, end), label),
        )
        for number, (label, kind, detail) in enumerate(found[:MOST])
    ]
    return types.CompletionList(is_incomplete=len(found) >= MOST, items=items)


def _references(page: PageInEditor, uri: str, word: str) -> Found:
    path, separator, symbol = word.partition("::")
    if not separator:
        paths = page.editor.paths(uri, word, MOST)
        return [(one, types.CompletionItemKind.File, "file") for one in paths]
    return [
        (f"{path}::{one.name}", types.CompletionItemKind.Reference, one.kind)
        for one in page.editor.symbols(uri, path)
        if one.name.startswith(symbol) or one.bare.startswith(symbol)
    ]


def _front(before: str) -> tuple[str, Found]:
    found = _FRONT.match(before)
    if found is None:
        return "", []
    if found["colon"] is None:
        keys = [(f"{key}: ", types.CompletionItemKind.Property, "") for key in _KEYS]
        return found["key"], keys
    values = _VALUES.get(found["key"], ())
    return found["word"], [(one, types.CompletionItemKind.EnumMember, found["key"]) for one in values]


def _in_front_matter(page: PageInEditor, line: int) -> bool:
    if page.view.form != "page" or not page.lines[0].startswith("---") or line == 0:
        return False
    return not any(one.startswith("---") for one in page.lines[1 : line + 1])
