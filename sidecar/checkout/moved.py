"""Which files git changed when it moved HEAD: known at once, while the system's notifications still come in."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final

from sidecar.checkout.git import git_answer
from sidecar.checkout.history import History
from sidecar.checkout.repository import find_repository

MAX_BYTES: Final = 8_000_000


class Moved:
    """Compares HEAD with where it was at the last look. Safe on any thread."""

    def __init__(self, folder: Path, history: History) -> None:
        self._folder = folder
        self._history = history
        self._lock = threading.Lock()
        self._state: tuple[object, ...] | None = None
        self._commit: str | None = None

    def paths(self) -> list[str]:
        """Files, relative to the folder, that differ between the commit of the last look and that of now.

        Empty at the first look, without a repository or git, and after more than some 100,000 changes.
        """
        with self._lock:
            state = self._history.state()
            if state == self._state:
                return []
            self._state = state
            before, self._commit = self._commit, self._head()
            if before is None or self._commit is None or before == self._commit:
                return []
            arguments = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff"]
            found = git_answer(self._folder, [*arguments, before, self._commit, "--"], b"", most=MAX_BYTES)
        repository = find_repository(self._folder)
        if not found or repository is None:
            return []
        inner = repository.inner(self._folder)
        below = f"{inner}/" if inner else ""
        names = (name.decode("utf-8", "surrogateescape") for name in found.split(b"\0") if name)
        return [name.removeprefix(below) for name in names if name.startswith(below)]

    def _head(self) -> str | None:
        found = git_answer(self._folder, ["rev-list", "--max-count=1", "HEAD", "--"], b"", most=200)
        return found.decode("ascii", "replace").strip() if found else None
