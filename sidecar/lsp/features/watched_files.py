"""`workspace/didChangeWatchedFiles`, and requesting that the client watch if it can."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from sidecar.lsp.features.registering import registers

if TYPE_CHECKING:
    from sidecar.lsp.language_server import SidecarServer

log = logging.getLogger(__name__)

REGISTRATION = "memory-sidecar-watch"


def register(server: SidecarServer) -> None:
    """Register the notification; `register_watchers` follows once the client is `initialized`."""

    def changed(params: types.DidChangeWatchedFilesParams) -> None:
        uris = [change.uri for change in params.changes]
        if uris:
            server.service.session.notify_engine(lambda engine: engine.files_changed(uris))

    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(changed)


async def register_watchers(server: SidecarServer) -> None:
    """Request a report of every file change from the client; if it refuses, the sidecar watches by itself."""
    if not server.service.session.client_watches:
        return
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers=[types.FileSystemWatcher(glob_pattern="**/*")])
    if not await registers(server, REGISTRATION, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options):
        log.warning("The client does not watch files; the sidecar does it by itself.")
        server.service.session.watch_folders()
