"""The client that the tour plays: its server, its requests, and the notifications it received."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from protocol.client import Client
from protocol.files import DidInvalidateFiles, SummaryParams, SummaryResult
from protocol.status import StatusParams
from sidecar.cli.own_server import server_command, server_environment

_WATCH_SECONDS = 30


class TourAgent:
    """One client and the server it runs on `folder` and its copy `scratch`."""

    def __init__(self, folder: Path, scratch: Path, environ: Mapping[str, str], *, watches: bool) -> None:
        self.folder = folder
        self.scratch = scratch
        self._environ = environ
        self._watches = watches
        self._client: Client | None = None

    @property
    def client(self) -> Client:
        assert self._client is not None, "launch comes first"
        return self._client

    def stop(self) -> None:
        if self._client is not None:
            self._client.__exit__(None, None, None)

    def launch(self) -> Mapping[str, Any]:
        """Start a server on the folder and its scratch copy, and return its answer to initialize."""
        self._client = Client(server_command(), self._environ, cwd=self.scratch)
        answer: Mapping[str, Any] = self.client.initialize([self.folder, self.scratch])
        return answer

    def summary(self, folder: Path, path: str) -> SummaryResult:
        return self.client.file_summary(SummaryParams(path=path, session_id="tour", workspace_uri=folder.as_uri()))

    def wait_for_watcher(self) -> bool:
        """Wait until the server watches the scratch folder, and return whether it does."""
        if not self._watches:
            return False
        uri, deadline = self.scratch.as_uri(), time.monotonic() + _WATCH_SECONDS
        while time.monotonic() < deadline:
            status = self.client.sidecar_status(StatusParams())
            if any(root.uri == uri and root.watcher.state in ("own", "polling") for root in status.workspaces):
                return True
            time.sleep(0.05)
        return False

    def wait_for_invalidation(self, file: str, watching: bool) -> tuple[float | None, str]:
        """Return when `file/didInvalidate` arrived for the file, and what reported the change."""

        def about_file(params: msgspec.Raw) -> bool:
            notification = msgspec.json.decode(params, type=DidInvalidateFiles)
            return any(entry.path == file for entry in notification.files)

        if watching:
            received = self.client.wait("file/didInvalidate", about_file, timeout=_WATCH_SECONDS)
            if received is not None:
                return received.at, "the sidecar's own watcher"
        changes = {"changes": [{"uri": (self.scratch / file).as_uri(), "type": 2}]}
        self.client.notify("workspace/didChangeWatchedFiles", changes)
        received = self.client.wait("file/didInvalidate", about_file, timeout=_WATCH_SECONDS)
        return (received.at if received is not None else None), "the client's notification"


def tour_environment(environ: Mapping[str, str], temporary: Path, *, watch: bool) -> dict[str, str]:
    """Return the user's environment with the sidecar's settings replaced by a tour's.

    The identity is given, so that the tour leaves no id in the folder's repository. The folder and its scratch copy
    share it, as two working trees of one repository would.
    """
    inherited = {name: value for name, value in environ.items() if not name.startswith("MEMORY_SIDECAR_")}
    return server_environment(
        {
            **inherited,
            "XDG_RUNTIME_DIR": str(temporary),
            "MEMORY_SIDECAR_STORE_FOLDER": str(temporary / "store"),
            "MEMORY_SIDECAR_LOG_FILE": str(temporary / "sidecar.log"),
            "MEMORY_SIDECAR_WORKSPACE_ID": f"tour-{temporary.name}",
            "MEMORY_SIDECAR_MEMORY_ENABLED": "true",
            "MEMORY_SIDECAR_MEMORY_FILE_MODE": "off",
            "MEMORY_SIDECAR_FILES_WARM_UP": "false",
            "MEMORY_SIDECAR_WATCH_MODE": "own" if watch else "off",
        }
    )
