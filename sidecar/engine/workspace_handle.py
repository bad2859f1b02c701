"""A workspace that a client named: when it is opened, warmed up, watched and closed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.options import WorkspaceOptions
from sidecar.engine.services import Services
from sidecar.engine.workspace_opening import open_workspace
from sidecar.runtime.errors import SidecarError, WorkspaceUnknown
from sidecar.runtime.operations import Operations, Progress
from sidecar.settings import Settings
from sidecar.store.location import data_home

if TYPE_CHECKING:
    from sidecar.checkout.watch import Watcher

log = logging.getLogger(__name__)

REOPEN_SECONDS = 2.0
OPERATIONS_END_SECONDS = 0.2


class WorkspaceHandle:
    """A folder that agents work in. Cheap to create; the stores open on first use, on any thread.

    An error while opening, such as a store written by a newer version, is kept for `REOPEN_SECONDS`: every request that
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
                if self._failed is not None and time.monotonic() - self._failed_at < REOPEN_SECONDS:
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
            opened.book.catalogue.load()
            opened.background_embedding.start()
            priority = self._services.priority
            priority.give_way()  # the first request needs none of what follows
            priority.freeze_heap()
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
            opened.background_reading.read_later(opened.files.update_reported(paths))

    def files_renamed(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Process moves of files, from the first of each pair to the second."""
        if not self._closed:
            opened = self.open()
            opened.background_reading.read_later(opened.files.update_renamed(list(pairs)))

    def warm_up(self, progress: Progress | None, cause: str) -> threading.Thread | None:
        """Read and parse unknown files in the background; return the thread, None if closed or switched off."""
        return None if self._closed else self.open().background_reading.warm_up(progress, cause)

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

    def close(self, batch_seconds: float = 0.5) -> None:
        """Stop background work and close the stores; acknowledged writes are already on disk.

        What the watcher has found gets `batch_seconds` to be processed first.
        """
        with self._lock:
            self._closed = True
            watcher, self._watcher = self._watcher, None
            opened = self._opened
        if watcher is not None:
            watcher.stop(batch_seconds)
        if opened is not None:
            opened.hasten_writes()
        self.operations.close(OPERATIONS_END_SECONDS)
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
