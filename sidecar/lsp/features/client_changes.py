"""What the client reports about open documents and changed files.

Memory is about files on disk; an open document's text is kept only to answer requests about the cursor.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from lsprotocol import types

from sidecar.lsp.features.diagnostics import DiagnosticsPublisher
from sidecar.lsp.features.requests_to_client import register_with_client
from sidecar.lsp.language_server import SidecarServer

log = logging.getLogger(__name__)

REGISTRATION = "memory-sidecar-watch"


def register(server: SidecarServer, publisher: DiagnosticsPublisher) -> None:
    """Register the notifications; `register_watchers` follows once the client is `initialized`."""
    _register_documents(server, publisher)
    _register_files(server)


def _register_documents(server: SidecarServer, publisher: DiagnosticsPublisher) -> None:
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = server.documents.open(params.text_document)
        publisher.opened(document)
        _report(server, [document.uri])

    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        if server.documents.change(document.uri, document.version, params.content_changes) is not None:
            publisher.changed(document.uri)

    def saved(params: types.DidSaveTextDocumentParams) -> None:
        publisher.changed(params.text_document.uri)
        _report(server, [params.text_document.uri])

    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.documents.close(params.text_document.uri)
        publisher.closed(params.text_document.uri)

    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(opened)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(changed)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))(saved)


def _register_files(server: SidecarServer) -> None:
    """Register reports of files that the client saw change, and of files that it created, renamed or deleted itself."""
    options = types.FileOperationRegistrationOptions(
        filters=[types.FileOperationFilter(scheme="file", pattern=types.FileOperationPattern(glob="**/*"))]
    )

    def watched(_: types.DidChangeWatchedFilesParams) -> None:
        """Do nothing: `LspConnection.route` takes every report that can be read."""

    def created(params: types.CreateFilesParams) -> None:
        _report(server, (file.uri for file in params.files))

    def deleted(params: types.DeleteFilesParams) -> None:
        _report(server, (file.uri for file in params.files))

    def renamed(params: types.RenameFilesParams) -> None:
        pairs = [(file.old_uri, file.new_uri) for file in params.files]
        server.connection.notify_engine(lambda engine: engine.files_renamed(pairs))

    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(watched)
    server.feature(types.WORKSPACE_DID_CREATE_FILES, options)(created)
    server.feature(types.WORKSPACE_DID_RENAME_FILES, options)(renamed)
    server.feature(types.WORKSPACE_DID_DELETE_FILES, options)(deleted)


def _report(server: SidecarServer, uris: Iterable[str]) -> None:
    if changed := list(uris):
        server.connection.notify_engine(lambda engine: engine.files_changed(changed))


async def register_watchers(server: SidecarServer) -> None:
    """Ask the client to report every file change; if it refuses, let the sidecar watch."""
    if not server.client.watches:
        return
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers=[types.FileSystemWatcher(glob_pattern="**/*")])
    if not await register_with_client(server, REGISTRATION, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options):
        log.warning("The client does not watch files; the sidecar does it by itself.")
        server.folders.watch_folders()
