"""The text of open documents as the client sees it, for hover and similar features.

Memory is bounded: the text of a long document is not kept, and only the most recently used texts are. Everything runs
on the event loop; no later change touches an `OpenDocument`.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from lsprotocol import types

from sidecar.lsp.positions import Encoding, split_lines, to_index

log = logging.getLogger(__name__)

MAX_CHARACTERS: Final = 1_000_000
"""Maximum characters of one document; files above a million bytes have no file memory either."""

MAX_TEXTS: Final = 64
MAX_KNOWN: Final = 4_096

ContentChange = types.TextDocumentContentChangeEvent


@dataclass(frozen=True)
class OpenDocument:
    """One open document; `lines` keep their line ends and are None when the text is not kept."""

    uri: str
    language: str
    version: int
    lines: list[str] | None


class OpenDocuments:
    """Open documents by URI, the most recently used last."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, OpenDocument] = OrderedDict()
        self.encoding: Encoding = "utf-16"

    def use_encoding(self, encoding: Encoding) -> None:
        """Count characters as client and server have agreed in `initialize`."""
        self.encoding = encoding

    def open(self, item: types.TextDocumentItem) -> OpenDocument:
        """Add a document; a document that is open already starts afresh."""
        long = len(item.text) > MAX_CHARACTERS
        lines = None if long else split_lines(item.text)
        return self._remember(OpenDocument(item.uri, item.language_id, item.version, lines))

    def change(self, uri: str, version: int, changes: Sequence[ContentChange]) -> OpenDocument | None:
        """Apply changes in order; return None for a document that is not open or has a later version."""
        document = self._open.get(uri)
        if document is None or version <= document.version:
            log.debug("Changes of a document that is not open, or is newer, were dropped.")
            return None
        lines = document.lines
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                lines = None if lines is None else _spliced(lines, change, self.encoding)
            else:
                lines = split_lines(change.text) if len(change.text) <= MAX_CHARACTERS else None
        if lines is not None and sum(map(len, lines)) > MAX_CHARACTERS:
            lines = None
        return self._remember(replace(document, version=version, lines=lines))

    def close(self, uri: str) -> None:
        self._open.pop(uri, None)

    def get(self, uri: str) -> OpenDocument | None:
        return self._open.get(uri)

    def lines(self, uri: str) -> list[str] | None:
        """Return the lines of a document whose text is known."""
        document = self._open.get(uri)
        return document.lines if document is not None else None

    def all(self) -> list[OpenDocument]:
        return list(self._open.values())

    def _remember(self, document: OpenDocument) -> OpenDocument:
        self._open[document.uri] = document
        self._open.move_to_end(document.uri)
        with_lines = [uri for uri, item in self._open.items() if item.lines is not None]
        for uri in with_lines[: max(0, len(with_lines) - MAX_TEXTS)]:
            self._open[uri] = replace(self._open[uri], lines=None)
        while len(self._open) > MAX_KNOWN:
            self._open.popitem(last=False)
        return document


def _spliced(lines: list[str], change: types.TextDocumentContentChangePartial, encoding: Encoding) -> list[str]:
    """Return the lines after one change, splitting the neighbours again because a `\n` may now follow a `\r`."""
    first, start = _place(lines, change.range.start, encoding)
    last, end = _place(lines, change.range.end, encoding)
    if (last, end) < (first, start):
        last, end = first, start
    before, after = max(0, first - 1), min(len(lines), last + 2)
    head = "".join(lines[before:first]) + lines[first][:start]
    tail = lines[last][end:] + "".join(lines[last + 1 : after])
    new_lines = split_lines(head + change.text + tail)
    if after < len(lines) and not new_lines[-1]:
        new_lines.pop()  # the next line begins there
    return [*lines[:before], *new_lines, *lines[after:]]


def _place(lines: list[str], position: types.Position, encoding: Encoding) -> tuple[int, int]:
    if position.line >= len(lines):
        return len(lines) - 1, len(lines[-1])
    return position.line, to_index(lines[position.line], position.character, encoding)
