"""Files that an editor itself created, renamed or deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from sidecar.lsp.language_server import SidecarServer


def register(server: SidecarServer) -> None:
    options = types.FileOperationRegistrationOptions(
        filters=[types.FileOperationFilter(scheme="file", pattern=types.FileOperationPattern(glob="**/*"))]
    )

    def created(params: types.CreateFilesParams) -> None:
        uris = [file.uri for file in params.files]
        server.service.session.notify_engine(lambda engine: engine.files_changed(uris))

    def renamed(params: types.RenameFilesParams) -> None:
        pairs = [(file.old_uri, file.new_uri) for file in params.files]
        server.service.session.notify_engine(lambda engine: engine.files_renamed(pairs))

    def deleted(params: types.DeleteFilesParams) -> None:
        uris = [file.uri for file in params.files]
        server.service.session.notify_engine(lambda engine: engine.files_changed(uris))

    server.feature(types.WORKSPACE_DID_CREATE_FILES, options)(created)
    server.feature(types.WORKSPACE_DID_RENAME_FILES, options)(renamed)
    server.feature(types.WORKSPACE_DID_DELETE_FILES, options)(deleted)
