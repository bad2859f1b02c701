"""Read the files of an open workspace and keep their index ready, in the background."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from sidecar.runtime.operations import Operation, Progress

if TYPE_CHECKING:
    from sidecar.engine.open_workspace import OpenWorkspace

log = logging.getLogger(__name__)

WARM_UP_OPERATION = "warm-up"
REFRESH_OPERATION = "refresh"
INDEX_OPERATION = "index"

COMPACT_AFTER_FILES = 500
"""Number of changed files to read before contents without a path are dropped; a warm-up drops them at its end."""

UNNAMED_KEPT_MS = 90 * 86_400_000
"""How long facts are kept about a content that is at no path any more: a branch may bring the content back."""

MAX_UNNAMED = 5_000
"""Maximum number of contents without a path; those that were known longest are dropped first."""


class BackgroundReading:
    """Reads unknown and changed files of a workspace, and indexes them. Thread-safe."""

    def __init__(self, workspace: OpenWorkspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._unread: set[str] = set()  # changed files not read yet
        self._read_since_compaction = 0
        self._index_ready_at: int | None = None

    def warm_up(self, progress: Progress | None, cause: str) -> threading.Thread | None:
        """Read and parse unknown files in the background; return the thread, None if closed or switched off."""
        workspace = self._workspace
        if not workspace.is_enabled:
            return None

        def work(operation: Operation) -> None:
            def step(done: int, total: int) -> None:
                if progress is not None:
                    progress(done, total, "reading files")
                operation.step(done, total)

            survey = workspace.files.survey
            self._read(survey.add_important(), operation.step, of_many=True)
            paths = survey.find(operation.check)
            self._read(paths, step)
            if paths:
                self._compact()
                self._drop_unnamed()
                if workspace.short_lived:  # else `CodeIndex.prepare` saves them
                    workspace.index.save_words()
            self.index_later(cause)

        return workspace.operations.start(WARM_UP_OPERATION, cause, work)

    def index_later(self, cause: str) -> None:
        """Update the index over all files if it is kept ready; else answers that need it do so."""
        workspace = self._workspace
        if workspace.settings.files.warm_up and not workspace.short_lived:
            index = workspace.index  # even if it holds all files, they may not be ranked or saved yet
            turn = workspace.priority.turn
            workspace.operations.start(INDEX_OPERATION, cause, lambda operation: index.prepare(operation.check, turn))

    def index_ready_at(self) -> int | None:
        """Return when this process first found that all files are read and indexed (epoch ms); None before that.

        Sessions that began earlier get no results of the index, because their blocks would change by themselves. A
        process that keeps no index ready returns None.
        """
        workspace = self._workspace
        if self._index_ready_at is not None or workspace.short_lived or not workspace.is_enabled:
            return self._index_ready_at
        is_read = not workspace.settings.files.warm_up or workspace.operations.get(WARM_UP_OPERATION).state == "done"
        if is_read and workspace.index.knows_all():
            with self._lock:
                if self._index_ready_at is None:
                    self._index_ready_at = workspace.clock()
        return self._index_ready_at

    def read_later(self, paths: Sequence[str]) -> None:
        """Parse files of unknown content in the background, if that is wanted."""
        workspace = self._workspace
        if paths and workspace.settings.files.warm_up and workspace.is_enabled:
            with self._lock:
                self._unread.update(paths)
            workspace.operations.start(REFRESH_OPERATION, "files changed", self._refresh)

    def _refresh(self, operation: Operation) -> None:
        """Read the changed files by their names; unchanged files are not visited."""
        with self._lock:
            paths, self._unread = sorted(self._unread), set()
        self._read(paths, operation.step)
        self.index_later("files changed")
        if self._read_since_compaction >= COMPACT_AFTER_FILES:
            self._compact()

    def _read(self, paths: Sequence[str], step: Callable[[int, int], None], *, of_many: bool = False) -> None:
        from sidecar.files.workers.warm import warm

        workspace = self._workspace
        short_lived = workspace.short_lived
        warm(
            workspace.files,
            workspace.tree,
            paths,
            step,
            turn=nullcontext if short_lived else workspace.priority.turn,
            workers=workspace.settings.files.warm_up_workers or (os.cpu_count() if short_lived else None),
            awaited=short_lived,
            of_many=of_many,
            on_parsed=workspace.index.put_parsed,
        )
        with self._lock:
            self._read_since_compaction += len(paths)
        if paths:
            workspace.book.catalogue.judge_memories_with_gone_files()

    def _compact(self) -> None:
        with self._lock:
            read, self._read_since_compaction = self._read_since_compaction, 0
        log.info("%d files were read, %d contents dropped.", read, self._workspace.require_enabled().compact())

    def _drop_unnamed(self) -> None:
        """Drop what is known of contents that have had no path for a long time; all paths must be known."""
        workspace = self._workspace
        before = workspace.clock() - UNNAMED_KEPT_MS
        workspace.knowledge.compact(workspace.require_enabled().referenced_hashes(), before, MAX_UNNAMED)
