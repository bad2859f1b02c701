"""One socket for each open workspace, on which hooks and commands query this engine."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from protocol.method import CallMethod
from protocol.wire import WorkspaceParams
from sidecar.embedding.workspace_embedding import COMMAND_WAIT_SECONDS
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.engine.workspaces import Workspaces
from sidecar.peers.serving import PeerServer
from sidecar.peers.sockets import Greeting
from sidecar.runtime.errors import WorkspaceUnknown
from sidecar.store.location import data_home


class PeerServers:
    """The servers for an engine's peers, one for each folder; they stay when settings change. Thread-safe."""

    def __init__(self, workspaces: Workspaces, call: CallMethod) -> None:
        self._workspaces = workspaces
        self._call = call
        self._lock = threading.Lock()
        self._servers: dict[Path, PeerServer] = {}

    def open(self, handle: WorkspaceHandle) -> None:
        """Listen for a workspace, unless its folder already has a server."""
        folder = handle.folder
        with self._lock:
            if folder in self._servers or not handle.settings.memory.enabled:
                return
            server = PeerServer(partial(self._answer_peer, folder), partial(self._greeting, folder))
            self._servers[folder] = server
        server.start()

    def close(self, handle: WorkspaceHandle) -> None:
        with self._lock:
            server = self._servers.pop(handle.folder, None)
        if server is not None:
            server.close()

    def close_all(self) -> None:
        """Stop serving. Idempotent."""
        with self._lock:
            servers, self._servers = self._servers, {}
        for server in servers.values():
            server.close()

    def _greeting(self, folder: Path) -> Greeting:
        settings = self._workspace(folder).settings
        return Greeting.of_workspace(data_home(settings.store.folder, make=False), folder, settings)

    def _answer_peer(self, folder: Path, method: str, params: msgspec.Struct) -> msgspec.Struct | None:
        handle = self._workspace(folder)
        # Once the model is loaded, the caller finds memories by meaning; its own model would take as long to load.
        handle.open().embedding.wait(COMMAND_WAIT_SECONDS)
        if isinstance(params, WorkspaceParams) and params.workspace_uri is None:
            params = replace(params, workspace_uri=handle.uri)
        return self._call(method, params)

    def _workspace(self, folder: Path) -> WorkspaceHandle:
        handle = self._workspaces.in_folder(folder)
        if handle is None:
            raise WorkspaceUnknown(f"No workspace is open at {folder}.")
        return handle
