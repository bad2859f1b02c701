"""Open, change, save and close documents.

Memory is about files on disk; an open document's text is kept only to answer requests about the cursor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from sidecar.lsp.language_server import SidecarServer


def register(server: SidecarServer) -> None:
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = server.documents.open(params.text_document)
        server.publisher.opened(document)
        server.service.session.notify_engine(lambda engine: engine.files_changed([document.uri]))

    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        if server.documents.change(document.uri, document.version, params.content_changes) is not None:
            server.publisher.changed(document.uri)

    def saved(params: types.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.publisher.changed(uri)
        server.service.session.notify_engine(lambda engine: engine.files_changed([uri]))

    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.documents.close(params.text_document.uri)
        server.publisher.closed(params.text_document.uri)

    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(opened)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(changed)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))(saved)
