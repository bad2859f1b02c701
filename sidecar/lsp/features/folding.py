"""`textDocument/foldingRange` of MEMORY.md: sections, entries of several lines, comments."""

from __future__ import annotations

from lsprotocol import types

from sidecar.lsp.features.asking import Asking
from sidecar.lsp.features.pages import PageInEditor, on_page
from sidecar.lsp.language_server import SidecarServer


def register(server: SidecarServer) -> None:
    def ranges(params: types.FoldingRangeParams) -> Asking[list[types.FoldingRange] | None]:
        return (yield from on_page(server, params.text_document.uri, _folding_ranges))

    server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)(ranges)


def _folding_ranges(page: PageInEditor) -> list[types.FoldingRange]:
    ranges = [
        (section.first, _without_blank(page, section.first, section.last), "region") for section in page.view.sections
    ]
    if page.view.form == "file":
        ranges += [(entry.first, entry.last, "region") for entry in page.view.entries]
    ranges += [(first, last, "comment") for first, last in page.view.comments]
    return [
        types.FoldingRange(start_line=first, end_line=last, kind=kind)
        for first, last, kind in sorted(ranges)
        if last > first
    ]


def _without_blank(page: PageInEditor, first: int, last: int) -> int:
    last = min(last, len(page.lines) - 1)
    while last > first and not page.lines[last].strip():
        last -= 1
    return last
