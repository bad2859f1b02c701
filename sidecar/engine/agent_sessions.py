"""The sessions of agents: pass each event to its session, and what the session teaches to `LessonStorer`."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidecar.engine.lesson_storer import LessonStorer
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.session_effects import count_reads
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.engine.workspaces import Workspaces
from sidecar.runtime.clock import Clock
from sidecar.system.file_uris import path_of_uri

if TYPE_CHECKING:  # the learning code is imported with the first event
    from sidecar.learning.session import LearningSession
    from sidecar.learning.session_event import SessionEvent

MAX_SESSIONS = 100


class _SessionKey(NamedTuple):
    folder: Path
    session: str


class AgentSessions:
    """The sessions of all workspaces of one engine, from which it learns. Thread-safe."""

    def __init__(self, workspaces: Workspaces, lessons: LessonStorer, clock: Clock) -> None:
        self._workspaces = workspaces
        self._lessons = lessons
        self._clock = clock
        self._lock = threading.Lock()
        self.sessions: OrderedDict[_SessionKey, LearningSession] = OrderedDict()
        self._closed = False

    def observe(
        self, handle: WorkspaceHandle, session_id: str, event: SessionEvent, *, replaying: bool = False
    ) -> None:
        """Pass an event to a session of this workspace; do nothing if learning is off."""
        if not handle.settings.memory.learns:
            return
        now = self._clock()
        with self._lock:
            if self._closed:
                return
            session = self._session(handle, session_id, now)
            lessons = session.learn_from(event, now, replaying=replaying)
            read, session.unreported_reads = session.unreported_reads, []
            if replaying:
                return
            self._lessons.add(handle.folder, lessons)
            self._collect_finished(handle.folder, session)
        if read:
            count_reads(handle, session_id, read)

    def new_session(
        self, workspace: WorkspaceHandle | OpenWorkspace, id: str, roots: Sequence[str] = ()
    ) -> LearningSession:
        """Create a session apart from the live ones; `roots` are folders besides the workspace's in which it works."""
        from sidecar.learning.session import LearningSession
        from sidecar.learning.workspace_paths import WorkspacePaths

        return LearningSession(id, WorkspacePaths([workspace.folder.as_posix(), path_of_uri(workspace.uri), *roots]))

    def drop_sessions(self) -> None:
        """Drop all sessions without ending them, for another process to resume."""
        with self._lock:
            self.sessions.clear()

    def record_read(self, folder: Path, session_id: str, path: str) -> None:
        """Record that a session reports having read a file, by relative path."""
        from sidecar.learning.session_event import SessionEvent

        handle = self._workspaces.in_folder(folder)
        if handle is not None:
            self.observe(handle, session_id, SessionEvent("read", text=path))

    def pop_reads(self, folder: Path, session_id: str) -> tuple[str, ...]:
        """Return and forget the last files that a session has read, oldest first."""
        with self._lock:
            session = self.sessions.get(_SessionKey(folder, session_id))
            if session is None:
                return ()
            reads = tuple(session.reads)
            session.reads.clear()
            return reads

    def recent_files(self, folder: Path, session_id: str) -> tuple[str, ...]:
        """Return the last files that a session has read or edited, oldest first."""
        with self._lock:
            session = self.sessions.get(_SessionKey(folder, session_id))
            return tuple(session.files) if session is not None else ()

    def end_session(self, folder: Path, session_id: str) -> None:
        """End a session and store everything learned in its workspace."""
        with self._lock:
            self._close_session(_SessionKey(folder, session_id))
        self._lessons.store_lessons_of_folder(folder)

    def close_workspace(self, handle: WorkspaceHandle) -> None:
        """End the sessions of a workspace that closes, and store everything."""
        with self._lock:
            for key in [key for key in self.sessions if key.folder == handle.folder]:
                self._close_session(key)
        self._lessons.store_lessons_of(handle)
        self.drop(handle.folder)

    def store_lessons(self) -> None:
        """End every session and store whatever can be stored."""
        self._end_sessions()
        self._lessons.store_all()

    def close(self) -> None:
        """End every session, store what waits and accept no more events. Idempotent."""
        self._closed = True
        self._end_sessions()
        self._lessons.close()

    def _end_sessions(self) -> None:
        with self._lock:
            for key in list(self.sessions):
                self._close_session(key)

    def _session(self, handle: WorkspaceHandle, id: str, now: int) -> LearningSession:
        key = _SessionKey(handle.folder, id)
        session = self.sessions.get(key)
        if session is None:
            session = self.sessions[key] = self.new_session(handle, id)
            if len(self.sessions) > MAX_SESSIONS:
                self._close_session(next(iter(self.sessions)))
        self.sessions.move_to_end(key)
        return session

    def _close_session(self, key: _SessionKey) -> None:
        session = self.sessions.pop(key, None)
        if session is not None:
            session.end()
            self._collect_finished(key.folder, session)

    def _collect_finished(self, folder: Path, session: LearningSession) -> None:
        if session.finished:
            self._lessons.add_conversation(folder, session.id, session.finished)
            session.finished = []

    def drop(self, folder: Path) -> None:
        """Drop the sessions of a folder and what they taught."""
        with self._lock:
            for key in [key for key in self.sessions if key.folder == folder]:
                del self.sessions[key]
        self._lessons.drop(folder)
