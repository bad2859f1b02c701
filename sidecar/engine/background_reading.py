"""Read the files of an open workspace and keep their index ready, in the background."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sidecar.checkout.tree import Tree
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.runtime.clock import Clock
from sidecar.runtime.operations import Operation, Operations, Progress
from sidecar.settings import Settings

if TYPE_CHECKING:
    from sidecar.files.index.code_index import CodeIndex

WARM_UP_OPERATION = "warm-up"
REFRESH_OPERATION = "refresh"
INDEX_OPERATION = "index"

COMPACT_AFTER_FILES = 500
"""Number of changed files to read before contents without a path are dropped; a warm-up drops them at its end."""


class AfterReading(NamedTuple):
    """What learns of files that were read."""

    made_index: Callable[[], CodeIndex]  # makes it when it is first asked for
    judge_gone: Callable[[], object]
    drop_unnamed: Callable[[bool], None]  # drops contents without a path; told whether all paths are known


@dataclass(eq=False)
class BackgroundReading:
    """Reads unknown and changed files of a workspace, and indexes them. Thread-safe."""

    files: WorkspaceFiles
    tree: Tree
    settings: Settings
    short_lived: bool
    operations: Operations
    clock: Clock
    after: AfterReading
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _unread: set[str] = field(default_factory=set, init=False)  # changed files not read yet
    _read_since_compaction: int = field(default=0, init=False)
    _index_ready_at: int | None = field(default=None, init=False)

    def warm_up(self, progress: Progress | None, cause: str) -> threading.Thread | None:
        """Read and parse unknown files in the background; return the thread, None if closed or switched off."""
        if not self.settings.memory.enabled:
            return None

        def work(operation: Operation) -> None:
            def step(done: int, total: int) -> None:
                if progress is not None:
                    progress(done, total, "reading files")
                operation.step(done, total)

            survey = self.files.survey
            self._read(survey.add_important(), operation.step, of_many=True)
            paths = survey.find(operation.check)
            self._read(paths, step)
            if paths:
                self._drop_unnamed(all_known=True)
                if self.short_lived:  # else `CodeIndex.prepare` saves them
                    self.after.made_index().save_words()
            self.index_later(cause)

        return self.operations.start(WARM_UP_OPERATION, cause, work)

    def index_later(self, cause: str) -> None:
        """Update the index over all files if it is kept ready; else answers that need it do so."""
        if self.settings.files.warm_up and not self.short_lived:
            index = self.after.made_index()  # even if it holds all files, they may not be ranked or saved yet
            turn = self.operations.priority.turn
            self.operations.start(INDEX_OPERATION, cause, lambda operation: index.prepare(operation.check, turn))

    def index_ready_at(self) -> int | None:
        """Return when this process first found that all files are read and indexed (epoch ms); None before that.

        Sessions that began earlier get no results of the index, because their blocks would change by themselves. A
        process that keeps no index ready returns None.
        """
        if self._index_ready_at is not None or self.short_lived or not self.settings.memory.enabled:
            return self._index_ready_at
        is_read = not self.settings.files.warm_up or self.operations.get(WARM_UP_OPERATION).state == "done"
        if is_read and self.after.made_index().knows_all():
            with self._lock:
                if self._index_ready_at is None:
                    self._index_ready_at = self.clock()
        return self._index_ready_at

    def read_later(self, paths: Sequence[str]) -> None:
        """Parse files of unknown content in the background, if that is wanted."""
        if paths and self.settings.files.warm_up and self.settings.memory.enabled:
            with self._lock:
                self._unread.update(paths)
            self.operations.start(REFRESH_OPERATION, "files changed", self._refresh)

    def _refresh(self, operation: Operation) -> None:
        """Read the changed files by their names; unchanged files are not visited."""
        with self._lock:
            paths, self._unread = sorted(self._unread), set()
        self._read(paths, operation.step)
        self.index_later("files changed")
        if self._read_since_compaction >= COMPACT_AFTER_FILES:
            self._drop_unnamed(all_known=False)

    def _read(self, paths: Sequence[str], step: Callable[[int, int], None], *, of_many: bool = False) -> None:
        from sidecar.files.workers.warm import warm

        warm(
            self.files,
            self.tree,
            paths,
            step,
            turn=nullcontext if self.short_lived else self.operations.priority.turn,
            workers=self.settings.files.warm_up_workers or (os.cpu_count() if self.short_lived else None),
            awaited=self.short_lived,
            of_many=of_many,
            on_parsed=self.after.made_index().put_parsed,
        )
        with self._lock:
            self._read_since_compaction += len(paths)
        if paths:
            self.after.judge_gone()

    def _drop_unnamed(self, *, all_known: bool) -> None:
        with self._lock:
            self._read_since_compaction = 0
        self.after.drop_unnamed(all_known)
