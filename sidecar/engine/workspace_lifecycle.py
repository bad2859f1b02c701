"""When an engine's workspaces are opened, opened again with other settings or stores, and closed."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from sidecar.engine.agent_sessions import AgentSessions
from sidecar.engine.background_reading import WARM_UP_OPERATION
from sidecar.engine.options import WorkspaceOptions
from sidecar.engine.services import Services
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.engine.workspaces import Workspaces
from sidecar.runtime.cancellation import RunningRequests
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.event import Event
from sidecar.settings import LoadedSettings, Settings

log = logging.getLogger(__name__)

CALLS_END_SECONDS = 5.0
"""How long running calls, and then the watcher's batch, may take to end before the stores of a workspace are closed."""


class WorkspaceLifecycle:
    """Opens, opens again and closes the workspaces of one engine. Thread-safe.

    A workspace's stores are closed only once the calls that may use them have ended.
    """

    def __init__(
        self, services: Services, running: RunningRequests, workspaces: Workspaces, agent_sessions: AgentSessions
    ) -> None:
        self._services = services
        self._running = running
        self._workspaces = workspaces
        self._agent_sessions = agent_sessions
        self._reopening = threading.Lock()
        self.added: Event[[WorkspaceHandle]] = Event()
        """Announces each added handle, while a lock is held if it replaces an earlier handle of the same folder."""
        self.closed: Event[[WorkspaceHandle]] = Event()
        """Announces each workspace that the client closes."""

    def add_workspace(
        self,
        folder: Path,
        *,
        settings: Settings | None = None,
        client_watches: bool = False,
        uri: str | None = None,
        problems: Sequence[str] = (),
    ) -> WorkspaceHandle:
        """Add a workspace with settings of its own, unless the folder is open; its stores open in the background.

        `WorkspaceOptions` explains the parameters.
        """
        settings = settings or self._services.settings
        if self._services.options.short_lived:
            no_warm_up, no_watch = replace(settings.files, warm_up=False), replace(settings.watch, mode="off")
            settings = replace(settings, files=no_warm_up, watch=no_watch)
        handle = WorkspaceHandle(WorkspaceOptions(folder, settings, uri, client_watches, problems), self._services)
        current = self._workspaces.add_unless_open(handle)
        if current is handle:
            self._start(handle)
        return current

    def _replace(self, old: WorkspaceHandle, settings: Settings, problems: Sequence[str]) -> WorkspaceHandle:
        handle = old.with_settings(settings, problems)
        self._workspaces.add(handle)
        self._start(handle)
        return handle

    def _start(self, handle: WorkspaceHandle) -> None:
        self.added.announce(handle)
        if not self._services.options.short_lived:
            handle.operations.start("open", "workspace opened", lambda _: handle.start())

    def close_workspace(self, uri: str) -> None:
        """Close a workspace for the client; its memory stays on disk."""
        handle = self._workspaces.remove(uri)
        if handle is not None:
            self.closed.announce(handle)
            self._agent_sessions.close_workspace(handle)
            self._retire(handle)

    def reopen_outdated(self) -> None:
        """Open each outdated workspace again, for a request that is about all of them."""
        for handle in self._workspaces.all():
            if handle.outdated_because:
                self.reopen(handle)

    def reopen(self, old: WorkspaceHandle) -> WorkspaceHandle:
        """Open an outdated workspace again. Lessons of the previous one are still stored there if possible."""
        reason = old.outdated_because
        with self._reopening:
            if (current := self._workspaces.in_folder(old.folder)) is not old:
                return current or old  # another call was faster
            cause = "its stores are gone" if reason == "gone" else "it holds another workspace now"
            log.warning("%s is opened again: %s.", old.folder, cause)
            if reason == "replaced":
                self._agent_sessions.close_workspace(old)
            reopened = self._replace(old, old.settings, old.settings_problems)
        threading.Thread(target=self._retire, args=(old,), name="retire", daemon=True).start()
        if not self._services.options.short_lived and old.settings.files.warm_up:
            with contextlib.suppress(SidecarError):  # each request reports it
                reopened.warm_up(None, "opened again")
        return reopened

    def _retire(self, handle: WorkspaceHandle) -> None:
        """Close a workspace that no new call can find, once the calls that may use it have ended."""
        self._running.wait_for_earlier(CALLS_END_SECONDS)
        try:
            handle.close(batch_seconds=CALLS_END_SECONDS)
        except SidecarError as error:  # the stores may be gone
            log.warning("%s was not closed in good order: %s", handle.folder, error.message)
        self._services.priority.unfreeze_heap()

    def reconfigure(
        self, settings: Settings, problems: Sequence[str] = (), load: Callable[[Path], LoadedSettings] | None = None
    ) -> None:
        """Apply new settings: reopen each workspace whose own settings have changed, then close the old one.

        `load` returns the settings of a folder; without `load`, all folders have the same settings. A workspace can be
        used throughout. A running warm-up continues in the new workspace.
        """
        self._services.reconfigure(settings, problems)
        for handle in self._workspaces.all():
            folder_settings, _, folder_problems = load(handle.folder) if load else LoadedSettings(settings, {}, [])
            if folder_settings == handle.settings:
                handle.settings_problems = tuple(folder_problems)
                continue
            reopened = self._replace(handle, folder_settings, folder_problems)
            if not folder_settings.memory.learns:
                self._agent_sessions.drop(handle.folder)
            reading = handle.operations.get(WARM_UP_OPERATION).state == "running"
            self._retire(handle)
            if reading and folder_settings.files.warm_up:
                with contextlib.suppress(SidecarError):  # each request reports it
                    reopened.warm_up(None, "settings changed")
