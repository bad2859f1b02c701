"""Helpers for the features of MEMORY.md and its pages, which answer null for every other document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types

from sidecar.engine.editor.page import PageView
from sidecar.lsp.features.asking import Asking, ask_engine
from sidecar.lsp.features.hover import lines_of
from sidecar.lsp.language_server import SidecarServer
from sidecar.lsp.positions import Encoding, whole_lines

if TYPE_CHECKING:
    from sidecar.engine.editor.queries import EditorQueries

T = TypeVar("T")


@dataclass(frozen=True)
class PageInEditor:
    """A memory file or page in its current state."""

    view: PageView
    lines: list[str]
    encoding: Encoding
    editor: EditorQueries

    def range(self, first: int, last: int) -> types.Range:
        return whole_lines(self.lines, first, last, self.encoding)


def on_page(server: SidecarServer, uri: str, work: Callable[[PageInEditor], T]) -> Asking[T | None]:
    """Run `work` on a memory file or page; return None for every other document."""
    open_lines = server.documents.lines(uri)

    def answer(editor: EditorQueries) -> T | None:
        if not editor.is_page(uri):
            return None
        lines = open_lines if open_lines is not None else lines_of(editor, uri)
        view = editor.page(uri, "".join(lines)) if lines is not None else None
        if view is None or lines is None:
            return None
        return work(PageInEditor(view, lines, server.documents.encoding, editor))

    return (yield from ask_engine(server, answer))
