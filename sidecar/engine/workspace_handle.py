"""A workspace that a client named: when it is opened, warmed up, watched and closed."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from sidecar.engine.open_workspace import WARM_UP, OpenWorkspace
from sidecar.engine.options import WorkspaceOptions
from sidecar.engine.services import Services
from sidecar.engine.workspace_opening import open_workspace
from sidecar.runtime.errors import SidecarError, WorkspaceUnknown
from sidecar.runtime.operations import Operation, Operations, Progress
from sidecar.settings import Settings
from sidecar.store.location import data_home

if TYPE_CHECKING:
    from sidecar.checkout.watch import Watcher

log = logging.getLogger(__name__)

REFRESH = "refresh"
COMPACT_AFTER = 500
"""Number of changed files to read before contents without a path are dropped; a warm-up drops them at its end."""

UNNAMED_KEPT_MS = 90 * 86_400_000
"""How long facts are kept about a content that is at no path any more: a branch may bring the content back."""

MAX_UNNAMED = 5_000
"""Maximum number of contents without a path; those that were known longest are dropped first."""

RETRY_SECONDS = 2.0


class WorkspaceHandle:
    """A folder that agents work in. Cheap to create; the stores open on first use, on any thread.

    An error while opening, such as a store written by a newer version, is kept for `RETRY_SECONDS`: every request that
    needs the store is answered with it. Once closed, a workspace stays closed: late calls raise `WorkspaceUnknown`.
    """

    def __init__(self, options: WorkspaceOptions, services: Services) -> None:
        self.folder = options.folder.resolve()
        self.uri = options.uri or self.folder.as_uri()  # spelt as the client does, which knows no other name
        self.operations = Operations(services.priority)
        self.settings = options.settings
        self.settings_problems = tuple(options.settings_problems)
        self._options = options
        self._services = services
        self._lock = threading.Lock()
        self._opened: OpenWorkspace | None = None
        self._failed: SidecarError | None = None
        self._failed_at = 0.0
        self._watcher: Watcher | None = None
        self._unread: set[str] = set()  # changed files not read yet
        self._read_since_compaction = 0
        self._closed = False

    def with_settings(self, settings: Settings, problems: Sequence[str]) -> WorkspaceHandle:
        """Return another workspace in this folder, with other settings."""
        return WorkspaceHandle(
            replace(self._options, folder=self.folder, settings=settings, settings_problems=problems), self._services
        )

    def open(self) -> OpenWorkspace:
        """Return the open workspace, opening it if necessary. Raises `StoreUnavailable` and its subclasses."""
        with self._lock:
            if self._opened is None:
                if self._closed:
                    raise WorkspaceUnknown(f"The workspace {self.uri} is closed.")
                if self._failed is not None and time.monotonic() - self._failed_at < RETRY_SECONDS:
                    raise self._failed
                try:
                    self._opened = open_workspace(self.folder, self.uri, self.settings, self.operations, self._services)
                except SidecarError as error:
                    self._failed, self._failed_at = error, time.monotonic()
                    raise
            return self._opened

    def start(self) -> None:
        """Open the stores, load what a first request needs, and start watching."""
        try:
            opened = self.open()
            opened.book.saved_index.load()
            opened.background_embedding.start()
            priority = self._services.priority
            priority.give_way()  # the first request needs none of what follows
            priority.freeze_memory()
            self._watch()
            opened.verify_later("workspace opened")
            priority.give_way()
            opened.start()
        except SidecarError as error:
            if not self._closed:
                log.error("%s cannot be opened: %s", self.folder, error.message)

    def _watch(self) -> None:
        """Watch the files, unless the client does or a setting forbids it."""
        if self.settings.watch.mode == "off" or self._left_to_client:
            return
        from sidecar.checkout.watch import Watcher

        opened = self.open()
        with self._lock:
            if self._watcher is None and not self._closed:
                self._watcher = Watcher(
                    opened.tree,
                    self.files_changed,
                    opened.files.snapshot,
                    reconcile_seconds=self.settings.watch.reconcile_seconds,
                    poll_seconds=self.settings.watch.poll_seconds,
                )
                self._watcher.start()

    def files_changed(self, paths: Iterable[str]) -> None:
        if not self._closed:
            opened = self.open()
            self._read_later(opened, opened.files.update_reported(paths))

    def files_renamed(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Process moves of files, from the first of each pair to the second."""
        if not self._closed:
            opened = self.open()
            self._read_later(opened, opened.files.update_renamed(list(pairs)))

    def _read_later(self, opened: OpenWorkspace, paths: Sequence[str]) -> None:
        """Parse files of unknown content in the background, if that is wanted."""
        if paths and self.settings.files.warm_up and opened.is_enabled:
            with self._lock:
                self._unread.update(paths)
            self.operations.start(REFRESH, "files changed", lambda op: self._refresh(opened, op))

    def warm_up(self, progress: Progress | None, cause: str) -> threading.Thread | None:
        """Read and parse unknown files in the background; return the thread, None if closed or switched off."""
        if self._closed:
            return None
        opened = self.open()
        if not opened.is_enabled:
            return None

        def work(operation: Operation) -> None:
            def step(done: int, total: int) -> None:
                if progress is not None:
                    progress(done, total, "reading files")
                operation.step(done, total)

            self._read(opened, opened.files.survey.add_important(), operation.step, of_many=True)
            paths = opened.files.survey.find(operation.check)
            self._read(opened, paths, step)
            if paths:
                self._compact(opened)
                self._drop_unnamed(opened)
                if opened.short_lived:  # else `CodeIndex.prepare` saves them
                    opened.index.save_words()
            opened.index_later(cause)

        return self.operations.start(WARM_UP, cause, work)

    def watcher_state(self) -> tuple[str, str | None]:
        """Return who reports changes (`client`, `own`, `polling`, `off`), and a detail if something is wrong."""
        with self._lock:
            if self._watcher is not None:
                return self._watcher.state, self._watcher.detail
        return ("client" if self._left_to_client else "off"), None

    @property
    def _left_to_client(self) -> bool:
        mode = self.settings.watch.mode
        return mode == "client" or (mode == "auto" and self._options.client_watches)

    def close(self, timeout: float = 0.2) -> None:
        """Stop background work and close the stores; acknowledged writes are already on disk."""
        with self._lock:
            self._closed = True
            watcher, self._watcher = self._watcher, None
            opened = self._opened
        if watcher is not None:
            watcher.stop()
        if opened is not None:
            opened.hasten_writes()
        self.operations.close(timeout)
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    @property
    def outdated_because(self) -> Literal["gone", "replaced"] | None:
        """Return why the workspace must be reopened: its stores are gone, or its folder holds another workspace."""
        opened = self._opened
        return opened.outdated_because if opened is not None else None

    @property
    def data_home(self) -> Path:
        return data_home(self.settings.store.folder, make=self.settings.memory.enabled)

    def _refresh(self, opened: OpenWorkspace, operation: Operation) -> None:
        """Read the changed files by their names; unchanged files are not visited."""
        with self._lock:
            paths, self._unread = sorted(self._unread), set()
        self._read(opened, paths, operation.step)
        opened.index_later("files changed")
        if self._read_since_compaction >= COMPACT_AFTER:
            self._compact(opened)

    def _read(
        self, opened: OpenWorkspace, paths: Sequence[str], step: Callable[[int, int], None], *, of_many: bool = False
    ) -> None:
        from sidecar.files.workers.warm import warm

        short_lived = opened.short_lived
        warm(
            opened.files,
            opened.tree,
            paths,
            step,
            turn=nullcontext if short_lived else self._services.priority.turn,
            workers=self.settings.files.warm_up_workers or (os.cpu_count() if short_lived else None),
            awaited=short_lived,
            of_many=of_many,
            on_parsed=opened.index.put_parsed,
        )
        with self._lock:
            self._read_since_compaction += len(paths)
        if paths:
            opened.book.catalogue.judge_memories_about(())  # those whose file was missing may refer to one of these

    def _drop_unnamed(self, opened: OpenWorkspace) -> None:
        """Drop what is known of contents that have had no path for a long time; all paths must be known."""
        file_store = opened.require_enabled()
        before = self._services.clock() - UNNAMED_KEPT_MS
        opened.knowledge.compact(file_store.referenced_hashes(), before, MAX_UNNAMED)

    def _compact(self, opened: OpenWorkspace) -> None:
        with self._lock:
            read, self._read_since_compaction = self._read_since_compaction, 0
        file_store = opened.require_enabled()
        log.info("%d files were read, %d contents dropped.", read, file_store.compact())
