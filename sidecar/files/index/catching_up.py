"""Read the few unread files before a request about all files, and count the files that its answer lacks."""

from __future__ import annotations

import struct
import threading
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from sidecar.checkout.history import HeadMoves
from sidecar.checkout.repository import find_repository
from sidecar.checkout.tree import Tree
from sidecar.files.pace import Deadline, DeadlineExceeded, Pace
from sidecar.files.workspace_files import WorkspaceFiles

CATCH_UP_SECONDS: Final = 1.0  # maximum number of seconds that a request spends on finding and reading unread files
SURVEY_SECONDS: Final = 5.0  # the same after a restart, when every file can be found in that time
READ_AT_ONCE: Final = 100  # files read while a request waits; more are read in the background
_INDEX_HEAD = struct.Struct(">4sII")


class CatchingUp:
    """Reads unread files before an answer about all files. Thread-safe."""

    def __init__(self, files: WorkspaceFiles, tree: Tree, moved: HeadMoves) -> None:
        self._files = files
        self._tree = tree
        self._moved = moved
        self._busy = threading.Lock()

    def read_unread(self) -> None:
        """Find added, removed and switched files. Read the unread files if they are few."""
        if not self._busy.acquire(timeout=max(0.0, CATCH_UP_SECONDS)):
            return
        try:
            switched = self._moved.changed_paths()
            if switched:
                self._files.update(switched)
            if not self._files.survey.add_important():  # which say something long before a first walk ends
                self._files.survey.ensure_complete(Deadline(SURVEY_SECONDS).rest, SURVEY_SECONDS)
            self._read(Deadline(CATCH_UP_SECONDS))
        except DeadlineExceeded:
            pass
        finally:
            self._busy.release()

    def _read(self, pace: Pace) -> None:
        missing = self._files.survey.paths()
        if len(missing) > READ_AT_ONCE:
            return
        for path in sorted(missing):
            pace.rest()
            if self._files.read_record(path) is None:  # gone or without content
                self._files.update([path])
            self._files.survey.discard([path])

    def pending(self, waiting: Iterable[str]) -> int:
        """Return how many files are unread or `waiting` elsewhere; until the survey is done, estimate it."""
        return self.guess(self._files.survey.paths() | set(waiting))

    def guess(self, missing: Collection[str]) -> int:
        """Estimate how many files an answer lacks, of which `missing` are known."""
        if self._files.survey.complete:
            return len(missing)
        return max(1, len(missing), _tracked(self._tree.root) - len(self._files.pointers.current()))


def _tracked(folder: Path) -> int:
    """Return the number of entries in git's index, as its header says (gitformat-index(5)); 0 without an index."""
    repository = find_repository(folder)
    if repository is None:
        return 0
    try:
        with (repository.git_dir / "index").open("rb") as file:
            mark, _, entries = _INDEX_HEAD.unpack(file.read(_INDEX_HEAD.size))
    except (OSError, struct.error):
        return 0
    return entries if mark == b"DIRC" else 0
