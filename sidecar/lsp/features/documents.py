"""Opening and saving documents.

The sidecar remembers what is on disk, so it asks for no change events and no text. Opening is answered with empty
diagnostics at once: opencode seems to wait some five seconds for diagnostics of a server that never sends any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from sidecar.lsp.host import SidecarServer


def register(server: SidecarServer) -> None:
    """Register `didOpen`, `didClose` and `didSave`."""

    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=document.uri, diagnostics=[])
        )
        server.session.tell(lambda engine: engine.files_changed([document.uri]))

    def saved(params: types.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.session.tell(lambda engine: engine.files_changed([uri]))

    def closed(_: types.DidCloseTextDocumentParams) -> None:
        return None

    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(opened)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))(saved)
