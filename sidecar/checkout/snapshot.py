"""The files of a workspace as last seen, to find changes that no event reported."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable

from sidecar.checkout.tree import Tree, state_of
from sidecar.checkout.walk import walk

MAX_PARTS = 16


class FolderSnapshot:
    """Folders and files worth remembering, as last seen; used by one thread.

    `folders` holds every folder a walk entered, "" for the root.
    """

    def __init__(self, tree: Tree, check: Callable[[], None]) -> None:
        self._tree = tree
        self._check = check
        self.files: dict[str, int] = {}  # hashes of their states: those take six times the memory
        self.folders: set[str] = set()

    def rescan(self, starts: Iterable[str] = ("",)) -> set[str]:
        """Look again at everything below some folders; return the files that came, went or changed.

        A start may be gone, or ignored by now: then its files count as gone. `folders` is brought up to date.
        """
        tops = _topmost(starts)
        if "" in tops or len(tops) > MAX_PARTS:
            return self._look("", set(self.files), set(self.folders))
        changed: set[str] = set()
        for start in tops:
            prefix = f"{start}/"
            files = {path for path in self.files if path.startswith(prefix)}
            folders = {path for path in self.folders if path == start or path.startswith(prefix)}
            changed |= self._look(start, files, folders)
        return changed

    def _look(self, start: str, files: set[str], folders: set[str]) -> set[str]:
        """Compare what is on disk below `start` with the known files and folders there."""
        tree = self._tree
        changed: set[str] = set()
        for path, found in walk(
            str(tree.root), tree.ignores, max_file_bytes=tree.max_file_bytes, start=start, check=self._check
        ):
            if found is None:
                self.folders.add(path)
                folders.discard(path)
                continue
            files.discard(path)
            state = hash(state_of(found))
            if self.files.get(path) != state:
                self.files[sys.intern(path)] = state
                changed.add(path)
        for path in files:
            del self.files[path]
        self.folders -= folders
        return changed | files

    def look_at(self, path: str) -> bool:
        """Bring one file up to date; return True if it is or was worth remembering."""
        try:
            found = os.lstat(self._tree.root / path)
            worth = (
                stat.S_ISREG(found.st_mode) and found.st_size <= self._tree.max_file_bytes and self._tree.worth(path)
            )
        except (OSError, ValueError):
            worth = False
        if worth:
            self.files[path] = hash(state_of(found))
            return True
        return self.files.pop(path, None) is not None


def _topmost(folders: Iterable[str]) -> list[str]:
    tops: list[str] = []
    for folder in sorted(set(folders), key=lambda path: path + "/"):
        if not tops or not (tops[-1] == "" or folder.startswith(tops[-1] + "/")):
            tops.append(folder)
    return tops
