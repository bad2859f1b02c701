"""The open workspaces, and which of them a request is about."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from protocol.method import Method
from protocol.sessions import SessionParams
from protocol.wire import WorkspaceParams
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.session_presence import SessionPresence
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.runtime.errors import SidecarError, WorkspaceUnknown
from sidecar.system.file_uris import path_of_uri


class Workspaces:
    """Open workspaces by folder. A path belongs to the innermost one that contains it."""

    def __init__(self, presence: SessionPresence) -> None:
        self._presence = presence
        self._lock = threading.Lock()
        self._workspaces: dict[Path, WorkspaceHandle] = {}

    def add(self, handle: WorkspaceHandle) -> None:
        with self._lock:
            self._workspaces[handle.folder] = handle

    def add_unless_open(self, handle: WorkspaceHandle) -> WorkspaceHandle:
        """Add a workspace unless its folder is open; return the workspace that is open in the folder now."""
        with self._lock:
            return self._workspaces.setdefault(handle.folder, handle)

    def remove(self, uri: str) -> WorkspaceHandle | None:
        folder = _path(uri)
        with self._lock:
            # By URI first: the folder may be gone or the symlink may point elsewhere by now.
            folder = next((key for key, handle in self._workspaces.items() if handle.uri == uri), folder)
            return self._workspaces.pop(folder, None) if folder is not None else None

    def in_folder(self, folder: Path) -> WorkspaceHandle | None:
        """Return the workspace whose resolved folder this is."""
        with self._lock:
            return self._workspaces.get(folder)

    def all(self) -> list[WorkspaceHandle]:
        with self._lock:
            return list(self._workspaces.values())

    def opened(self) -> Iterator[OpenWorkspace]:
        """Yield every workspace that can be opened; a request to another one reports why it cannot."""
        for handle in self.all():
            try:
                opened = handle.open()
            except SidecarError:
                continue
            yield opened

    def find_for(self, method: Method, params: msgspec.Struct) -> WorkspaceHandle:
        """Return the workspace that a request names, or to which its session or its paths lead.

        Raises `WorkspaceUnknown`.
        """
        uri = params.workspace_uri if isinstance(params, WorkspaceParams) else None
        handle = None
        if isinstance(params, SessionParams) and uri is None and len(self._workspaces) > 1:
            handle = self.of_session(params.session_id)
        return handle or self.find(uri, method.paths_of(params))

    def of_session(self, session_id: str) -> WorkspaceHandle | None:
        """Return the open workspace in which a session was last at work."""
        folders = self._presence.folders_of(session_id)
        return next((handle for folder in folders if (handle := self.in_folder(folder))), None)

    def find(self, uri: str | None, paths: Sequence[str] = ()) -> WorkspaceHandle:
        """Return the workspace that a request names, that holds its paths, or that is the only one.

        Raises `WorkspaceUnknown` if none is open under `uri`, or if several are open and nothing decides between them.
        """
        workspaces = self.all()
        if uri is not None:
            folder = _path(uri)
            for handle in workspaces:
                if uri == handle.uri or folder == handle.folder:
                    return handle
            raise WorkspaceUnknown(
                f"No workspace is open at {uri}.",
                path="$.workspaceUri",
                hint="Open are: " + (", ".join(w.uri for w in workspaces) or "none") + ".",
            )
        if len(workspaces) == 1:
            return workspaces[0]
        holding = {holder for path in paths if (holder := self.containing(path)) is not None}
        if len(holding) == 1:
            return holding.pop()
        if not workspaces:
            raise WorkspaceUnknown(
                "No workspace is open.", hint="Name workspaceFolders in initialize, or add a folder."
            )
        outside = next((path for path in paths if _path(path) and self.containing(path) is None), None)
        raise WorkspaceUnknown(
            f"No open workspace contains {outside}."
            if outside
            else "Several workspaces are open and the request does not say which it is about.",
            path="$.workspaceUri",
            hint="Open are: " + ", ".join(w.uri for w in workspaces) + ".",
        )

    def containing(self, path_or_uri: str) -> WorkspaceHandle | None:
        """Return the innermost workspace that contains an absolute path or `file://` URI."""
        return self._holder(_path(path_or_uri))

    def _holder(self, path: Path | None) -> WorkspaceHandle | None:
        if path is None:
            return None
        for parent in (path, *path.parents):
            with self._lock:
                handle = self._workspaces.get(parent)
            if handle is not None:
                return handle
        return None

    def group_by_workspace(self, paths_or_uris: Iterable[str]) -> list[tuple[WorkspaceHandle, list[str]]]:
        """Group paths by the workspace that contains them; drop paths outside all workspaces.

        A symlink belongs to the workspace in which it lies and to the workspace of its target.
        """
        groups: dict[Path, tuple[WorkspaceHandle, list[str]]] = {}
        for path in paths_or_uris:
            holders = (self.containing(path), self._holder(_path(path, follow=False)))
            for handle in {holder.folder: holder for holder in holders if holder}.values():
                groups.setdefault(handle.folder, (handle, []))[1].append(path)
        return list(groups.values())


def _path(path_or_uri: str, *, follow: bool = True) -> Path | None:
    """Return the absolute path of a URI or path, symlinks resolved; None if it is relative or not a file's.

    Without `follow`, the last component is not resolved.
    """
    if path_or_uri.startswith("file:"):
        path_or_uri = path_of_uri(path_or_uri)
    path = Path(path_or_uri)
    if not path.is_absolute() or "\0" in path_or_uri:
        return None
    return path.resolve() if follow else path.parent.resolve() / path.name
