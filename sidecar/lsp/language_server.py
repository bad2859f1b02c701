"""The server object of one connection: pygls' `LanguageServer` with our protocol."""

from __future__ import annotations

import logging

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from sidecar import __version__
from sidecar.lsp.client_info import ClientInfo
from sidecar.lsp.connection import LspConnection
from sidecar.lsp.documents import OpenDocuments
from sidecar.lsp.protocol import SidecarProtocol

log = logging.getLogger(__name__)


class SidecarServer(LanguageServer):
    """LSP on top of the connection of our own methods; features reach the engine, lanes and folders by it."""

    protocol: SidecarProtocol

    def __init__(self, connection: LspConnection) -> None:
        self.connection, self.lanes, self.folders = connection, connection.lanes, connection.folders
        self.engine = connection.engine
        super().__init__(
            name="memory-sidecar",
            version=__version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=SidecarProtocol,
            converter_factory=default_converter,
        )
        self.documents = OpenDocuments()

    @property
    def client(self) -> ClientInfo:
        return self.connection.client
