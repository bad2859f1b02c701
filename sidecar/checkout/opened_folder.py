"""Decide whether a folder that was opened is still the same workspace or another has taken its place."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

from sidecar.checkout.identity import Identity, identify

Mark = tuple[int, int, int] | None


class OpenedFolder:
    """The state of an identity's folder when it was found. Thread-safe."""

    def __init__(self, identity: Identity, data_home: Path | None) -> None:
        self.identity = identity
        self._home = data_home
        top = identity.repository or identity.folder
        git = top / ".git"
        self._paths = (identity.folder, git / "config" if git.is_dir() else git)
        self._lock = threading.Lock()
        self._marks = self._current_marks()

    @property
    def is_gone(self) -> bool:
        return not self.identity.folder.is_dir()

    def is_replaced(self) -> bool:
        """Return whether the folder is now another workspace, by its id: network drives change inodes now and then."""
        if self.identity.kind == "override":
            return False
        marks = self._current_marks()
        if marks == self._marks or marks[0] is None:
            return False
        with self._lock:
            if identify(self.identity.folder, self._home).id != self.identity.id:
                # After `git init` in a folder opened without git, the folder counts as the same until it is opened
                # again.
                return self.identity.kind == "git" or marks[0] != self._marks[0]
            self._marks = marks
        return False

    def _current_marks(self) -> tuple[Mark, Mark]:
        first, second = self._paths
        return _mark(first), _mark(second)


def _mark(path: Path) -> Mark:
    try:
        status = os.stat(path)
    except OSError:
        return None
    # A new file may get the inode of one that was deleted a moment ago, but not its time as well.
    return status.st_dev, status.st_ino, status.st_mtime_ns if stat.S_ISREG(status.st_mode) else 0
