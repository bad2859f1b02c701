"""Which sessions are at work in which workspace, as far as this process has seen; each event counts as a heartbeat."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from sidecar.coordination import registry
from sidecar.engine.options import EngineOptions
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.memories.recording import checks
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.recently_used import RecentlyUsed

log = logging.getLogger(__name__)

HEARTBEAT_MS = 60_000
"""Interval at which the events of a session are recorded as its heartbeat."""

# Sessions to remember; the next event of one that was forgotten is recorded as a heartbeat.
_MAX_SESSIONS = 1_000


class SessionPresence:
    """Records the heartbeats of sessions. Thread-safe."""

    def __init__(self, options: EngineOptions) -> None:
        self._options = options
        self._clock = options.clock
        self._lock = threading.Lock()
        self._recorded_at: RecentlyUsed[tuple[Path, str], int] = RecentlyUsed(_MAX_SESSIONS)

    def record_heartbeat_if_due(self, handle: WorkspaceHandle, session_id: str, agent: str | None) -> None:
        """Start the session that an event comes from, or record its heartbeat, unless that was done recently."""
        if not self._options.starts_sessions:
            return
        now, key = self._clock(), (handle.folder, session_id)
        with self._lock:
            last = self._recorded_at.get(key)
            if last is not None and 0 <= now - last < HEARTBEAT_MS:
                return
            self._remember(key, now)
        try:
            registry.start(
                handle.open().memory_store,
                session_id,
                now,
                agent=checks.check_agent(agent),
                process=self._options.process,
            )
        except SidecarError as error:
            log.warning("The heartbeat of a session could not be recorded: %s", error.message)
            self.forget(handle.folder, session_id)

    def remember_heartbeat(self, folder: Path, session_id: str) -> None:
        """Remember that the session was started or its heartbeat recorded just now."""
        with self._lock:
            self._remember((folder, session_id), self._clock())

    def forget(self, folder: Path, session_id: str) -> None:
        """Forget an ended session; a later event resumes it."""
        with self._lock:
            self._recorded_at.pop((folder, session_id), None)

    def folders_of(self, session_id: str) -> list[Path]:
        """Return the folders in which a session has been at work, the last first."""
        with self._lock:
            return [folder for folder, id in reversed(self._recorded_at) if id == session_id]

    def _remember(self, key: tuple[Path, str], now: int) -> None:
        self._recorded_at[key] = now
