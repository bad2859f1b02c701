"""Diagnostics of MEMORY.md and its pages: pulled if the client can be told to pull again, otherwise pushed.

Every opened document gets an empty list at once and after each change, because opencode seems to wait some five seconds
for a server that never sends diagnostics. Nothing is pushed to a client that pulls, so nothing shows twice.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from sidecar.engine.editor.page import PageProblem
from sidecar.lsp.documents import OpenDocument
from sidecar.lsp.features.asking import Asking, ask_engine
from sidecar.lsp.language_server import SidecarServer
from sidecar.lsp.positions import Encoding, position, split_lines

if TYPE_CHECKING:
    from sidecar.engine.editor.queries import EditorQueries

SOURCE: Final = "memory-sidecar"
TYPING_PAUSE_SECONDS: Final = 0.25
"""Typing counts as over after this long without a change."""

_SEVERITIES: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
}


def register(server: SidecarServer) -> None:
    def pulled(params: types.DocumentDiagnosticParams) -> Asking[types.RelatedFullDocumentDiagnosticReport]:
        uri = params.text_document.uri
        lines = server.documents.lines(uri)
        diagnostics = yield from ask_engine(server, lambda editor: _diagnostics_of(editor, uri, lines, server))
        return types.RelatedFullDocumentDiagnosticReport(items=diagnostics or [])

    options = types.DiagnosticOptions(identifier=SOURCE, inter_file_dependencies=True, workspace_diagnostics=False)
    server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(pulled)


class DiagnosticsPublisher:
    """Pushes diagnostics of open documents; lives on the event loop."""

    def __init__(self, server: SidecarServer) -> None:
        self._server = server
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._published: set[str] = set()

    def opened(self, document: OpenDocument) -> None:
        """Publish an empty list at once, then compute the diagnostics."""
        self._send(document.uri, [], None)
        self.check(document.uri)

    def changed(self, uri: str) -> None:
        """Compute diagnostics once typing is over; for a document that is not a page, publish an empty list again."""
        if self._server.client.pulls_diagnostics:
            return
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        loop = asyncio.get_running_loop()
        self._waiting[uri] = loop.call_later(TYPING_PAUSE_SECONDS, self._settled, uri)

    def closed(self, uri: str) -> None:
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        if uri in self._published:
            self._send(uri, [], None)

    def check_all(self) -> None:
        """Refresh all open documents after memories or files have changed."""
        for document in self._server.documents.all():
            self.check(document.uri)

    @property
    def concerned(self) -> bool:
        return any(self._concerns(document.uri) for document in self._server.documents.all())

    def check(self, uri: str) -> None:
        """Compute diagnostics, and publish them if the document has not changed meanwhile."""
        document = self._server.documents.get(uri)
        if document is None or not self._concerns(uri):
            return
        self._server.protocol.run(partial(_compute, self, self._server, document), "diagnostics")

    def publish(self, document: OpenDocument, diagnostics: list[types.Diagnostic]) -> None:
        """Publish, unless the document has changed or an empty list would replace an empty list."""
        now = self._server.documents.get(document.uri)
        if now is None or now.version != document.version:
            return
        if diagnostics or document.uri in self._published:
            self._send(document.uri, diagnostics, document.version)

    def _settled(self, uri: str) -> None:
        self._waiting.pop(uri, None)
        if self._concerns(uri):
            self.check(uri)
        elif (document := self._server.documents.get(uri)) is not None:
            self._send(uri, [], document.version)

    def _send(self, uri: str, diagnostics: list[types.Diagnostic], version: int | None) -> None:
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics, version=version)
        )
        (self._published.add if diagnostics else self._published.discard)(uri)

    def _concerns(self, uri: str) -> bool:
        return uri.endswith(".md") and not self._server.client.pulls_diagnostics


def _compute(publisher: DiagnosticsPublisher, server: SidecarServer, document: OpenDocument) -> Asking[None]:
    diagnostics = yield from ask_engine(
        server, lambda editor: _diagnostics_of(editor, document.uri, document.lines, server)
    )
    if diagnostics is not None:
        publisher.publish(document, diagnostics)


def _diagnostics_of(
    editor: EditorQueries, uri: str, lines: list[str] | None, server: SidecarServer
) -> list[types.Diagnostic] | None:
    if not editor.is_page(uri):
        return None
    if lines is None:
        lines = split_lines(editor.text(uri) or "")
    page = editor.page(uri, "".join(lines))
    encoding = server.documents.encoding
    return None if page is None else [as_diagnostic(problem, lines, encoding) for problem in page.problems]


def as_diagnostic(problem: PageProblem, lines: list[str], encoding: Encoding) -> types.Diagnostic:
    end = 1 << 30 if problem.end is None else problem.end
    data: Any = {"id": problem.id} if problem.id is not None else None
    return types.Diagnostic(
        range=types.Range(
            position(lines, problem.first, problem.start, encoding), position(lines, problem.last, end, encoding)
        ),
        message=problem.message,
        severity=_SEVERITIES[problem.severity],
        code=problem.code,
        source=SOURCE,
        data=data,
    )
