"""`textDocument/formatting` of MEMORY.md, without changing its meaning; other documents are left alone.

A client that supports registration registers us for the memory file alone: a formatter for every document would compete
with the formatters of languages.
"""

from __future__ import annotations

import logging
from difflib import SequenceMatcher
from typing import Final

from lsprotocol import types

from sidecar.lsp.features.asking import Asking
from sidecar.lsp.features.pages import PageInEditor, on_page
from sidecar.lsp.features.requests_to_client import register_with_client
from sidecar.lsp.language_server import SidecarServer
from sidecar.lsp.positions import position, split_lines
from sidecar.memory_file.text.formatting import format_text

log = logging.getLogger(__name__)

REGISTRATION: Final = "memory-sidecar-formatting"


def register(server: SidecarServer) -> None:
    def formatted(params: types.DocumentFormattingParams) -> Asking[list[types.TextEdit] | None]:
        return (yield from on_page(server, params.text_document.uri, _edits))

    server.feature(types.TEXT_DOCUMENT_FORMATTING)(formatted)


def _edits(page: PageInEditor) -> list[types.TextEdit]:
    """Return edits that replace only the lines that differ, so that cursors and marks elsewhere stay."""
    if page.view.form != "file":
        return []
    formatted_lines = split_lines(format_text("".join(page.lines)))
    matcher = SequenceMatcher(None, page.lines, formatted_lines, autojunk=False)
    return [
        types.TextEdit(
            types.Range(position(page.lines, first, 0, page.encoding), position(page.lines, last, 0, page.encoding)),
            "".join(formatted_lines[start:end]),
        )
        for operation, first, last, start, end in matcher.get_opcodes()
        if operation != "equal"
    ]


async def register_formatting(server: SidecarServer) -> None:
    """Register as the formatter of our Markdown files, if the client supports registration."""
    if not server.client.registers_formatting:
        return
    files = types.TextDocumentFilterPattern(scheme="file", pattern="**/MEMORY.md")
    options = types.DocumentFormattingRegistrationOptions(document_selector=[files])
    if not await register_with_client(server, REGISTRATION, types.TEXT_DOCUMENT_FORMATTING, options):
        log.info("The client does not register the formatting of MEMORY.md.")
