"""The open workspaces, and which of them a request is about."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sidecar.engine.workspace import Workspace
from sidecar.runtime.errors import WorkspaceUnknown


class Workspaces:
    """Open workspaces by folder. A path belongs to the innermost one that contains it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._workspaces: dict[Path, Workspace] = {}

    def add(self, workspace: Workspace) -> None:
        """Add an open workspace."""
        with self._lock:
            self._workspaces[workspace.folder] = workspace

    def remove(self, uri: str) -> Workspace | None:
        """Take a workspace out; None when it is not there."""
        folder = _path(uri)
        with self._lock:
            # By its name first: the folder may be gone or the symlink may lead elsewhere by now.
            folder = next((key for key, known in self._workspaces.items() if known.uri == uri), folder)
            return self._workspaces.pop(folder, None) if folder is not None else None

    def at(self, folder: Path) -> Workspace | None:
        """The workspace of exactly this folder."""
        with self._lock:
            return self._workspaces.get(folder.resolve())

    def all(self) -> list[Workspace]:
        """Every open workspace, in the order they were opened."""
        with self._lock:
            return list(self._workspaces.values())

    def find(self, uri: str | None, paths: Sequence[str] = ()) -> Workspace:
        """The workspace a request is about: named, or holding its paths, or the only one.

        Raises `WorkspaceUnknown` when none is open under `uri`, or several are open and nothing decides.
        """
        workspaces = self.all()
        if uri is not None:
            folder = _path(uri)
            for workspace in workspaces:
                if uri == workspace.uri or folder == workspace.folder:
                    return workspace
            raise WorkspaceUnknown(
                f"No workspace is open at {uri}.",
                path="$.workspaceUri",
                hint="Open are: " + (", ".join(w.uri for w in workspaces) or "none") + ".",
            )
        if len(workspaces) == 1:
            return workspaces[0]
        holding = {self.containing(path) for path in paths if _path(path) is not None} - {None}
        if len(holding) == 1:
            found = holding.pop()
            if found is not None:
                return found
        if not workspaces:
            raise WorkspaceUnknown(
                "No workspace is open.", hint="Name workspaceFolders in initialize, or add a folder."
            )
        raise WorkspaceUnknown(
            "Several workspaces are open and the request does not say which it is about.",
            path="$.workspaceUri",
            hint="Open are: " + ", ".join(w.uri for w in workspaces) + ".",
        )

    def containing(self, given: str) -> Workspace | None:
        """The innermost workspace that contains an absolute path or `file://` URI."""
        return self._holder(_path(given))

    def _holder(self, path: Path | None) -> Workspace | None:
        if path is None:
            return None
        for parent in (path, *path.parents):
            with self._lock:
                workspace = self._workspaces.get(parent)
            if workspace is not None:
                return workspace
        return None

    def sorted_out(self, given: Iterable[str]) -> list[tuple[Workspace, list[str]]]:
        """Paths grouped by the workspace that contains them; those outside of all are left out.

        A symlink belongs to the workspace it is in as well as to the one it leads to.
        """
        groups: dict[Path, tuple[Workspace, list[str]]] = {}
        for one in given:
            holders = (self.containing(one), self._holder(_path(one, follow=False)))
            for workspace in {holder.folder: holder for holder in holders if holder}.values():
                groups.setdefault(workspace.folder, (workspace, []))[1].append(one)
        return list(groups.values())


def _path(given: str, *, follow: bool = True) -> Path | None:
    """The absolute path that a URI or path names, symlinks resolved; None when it is relative or no file's.

    Without `follow` the last part stays as it is, should that be a symlink.
    """
    if given.startswith("file:"):
        given = unquote(urlsplit(given).path)
    path = Path(given)
    if not path.is_absolute() or "\0" in given:
        return None
    return path.resolve() if follow else path.parent.resolve() / path.name
