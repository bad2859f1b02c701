"""`workspace/didChangeWorkspaceFolders`: folders come and go while the sidecar runs."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from lsprotocol import types

from sidecar.lsp.features.initialized import warm_up
from sidecar.lsp.language_server import SidecarServer


def register(server: SidecarServer) -> None:
    # A generator runs to its first `yield` at once; a coroutine would start after requests that came later.
    def changed(params: types.DidChangeWorkspaceFoldersParams) -> Generator[Any, Any, None]:
        for folder in params.event.removed:
            server.folders.remove_folder(folder.uri)
        for folder in params.event.added:
            server.folders.add_folder(folder.uri)
        if params.event.added:
            yield warm_up, (server, "workspace folders changed"), None

    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(changed)
