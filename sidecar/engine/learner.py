"""Turn events of agents into memories: hold the sessions, buffer their lessons, store them.

An event yields lessons at once, in memory. They are stored together after a moment (a setting, 3 s), before anything
reads memories of their workspace, at the end of a session, and when the engine closes. A lesson that cannot be stored
now is kept and tried again.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidecar.engine.lessons import ShownBlock, mode_of, proposal_of, repeats
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.session_effects import count_reads, read_conversation
from sidecar.engine.workspace import Workspace
from sidecar.engine.workspaces import Workspaces
from sidecar.memories.showing import note_heard
from sidecar.runtime.errors import InvalidField, SidecarError
from sidecar.system.file_uris import path_of_uri

if TYPE_CHECKING:  # the learning code is imported with the first event
    from sidecar.learning.lesson import Lesson
    from sidecar.learning.operations import UserTurn
    from sidecar.learning.session import LearningSession
    from sidecar.learning.session_event import SessionEvent

log = logging.getLogger(__name__)

MAX_SESSIONS = 100
MAX_LESSONS = 1_000
"""Maximum lessons that wait while a workspace's store cannot be written; the oldest are dropped, and logged as lost."""

MAX_SHOWN_BLOCKS = 8
MAX_RETRY_SECONDS = 60.0
_replaying: ContextVar[bool] = ContextVar("replaying", default=False)


class _Key(NamedTuple):
    folder: Path
    session: str


class _Buffer:
    """Lessons of one workspace that are not stored yet."""

    def __init__(self) -> None:
        self.lessons: deque[Lesson] = deque()
        self.due = 0.0
        self.failures = 0
        self.shown: deque[ShownBlock] = deque(maxlen=MAX_SHOWN_BLOCKS)


class Learner:
    """Learns for all workspaces of one engine. Thread-safe.

    It calls stores while it holds no lock but the one for storing.
    """

    def __init__(self, workspaces: Workspaces, clock: Callable[[], int]) -> None:
        self._workspaces = workspaces
        self._clock = clock
        self._lock = threading.Condition()
        self._flushing = threading.RLock()  # held while lessons are stored, so that waiters see them
        self.sessions: OrderedDict[_Key, LearningSession] = OrderedDict()
        self._buffers: dict[Path, _Buffer] = {}
        self._finished: dict[Path, list[tuple[str, list[UserTurn]]]] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    # -- events ----------------------------------------------------------------------------------------------

    def observe(self, workspace: Workspace, session_id: str, event: SessionEvent) -> None:
        """Pass an event to a session of this workspace; do nothing if learning is off."""
        if not workspace.settings.memory.learns:
            return
        now = self._clock()
        with self._lock:
            if self._closed:
                return
            session = self._session(workspace, session_id, now)
            replaying = _replaying.get()
            lessons = session.take(event, now, replaying=replaying)
            read, session.unreported_reads = session.unreported_reads, []
            if replaying:
                return
            self._add(workspace.folder, lessons)
            self._collect_finished(workspace.folder, session)
        if read:
            count_reads(workspace, session_id, read)

    def new_session(self, workspace: Workspace | OpenWorkspace, id: str, roots: Sequence[str] = ()) -> LearningSession:
        """Create a session apart from the live ones; `roots` are folders besides the workspace's in which it works."""
        from sidecar.learning.session import LearningSession
        from sidecar.learning.workspace_paths import WorkspacePaths

        return LearningSession(id, WorkspacePaths([workspace.folder.as_posix(), path_of_uri(workspace.uri), *roots]))

    def add_lessons(self, folder: Path, lessons: list[Lesson]) -> None:
        """Queue the lessons of a session from `new_session`."""
        with self._lock:
            self._add(folder, lessons)

    @contextlib.contextmanager
    def replaying(self) -> Iterator[None]:
        """Let events of this thread in the block only restore state, because another process has learned from them."""
        token = _replaying.set(True)
        try:
            yield
        finally:
            _replaying.reset(token)

    def drop_sessions(self) -> None:
        """Drop all sessions without ending them, for another process to resume."""
        with self._lock:
            self.sessions.clear()

    def record_read(self, folder: Path, session_id: str, path: str) -> None:
        """Record that a session reports having read a file, by relative path."""
        from sidecar.learning.session_event import SessionEvent

        workspace = self._workspaces.in_folder(folder)
        if workspace is not None:
            self.observe(workspace, session_id, SessionEvent("read", text=path))

    def pop_reads(self, folder: Path, session_id: str) -> tuple[str, ...]:
        """Return and forget the last files that a session has read, oldest first."""
        with self._lock:
            session = self.sessions.get(_Key(folder, session_id))
            if session is None:
                return ()
            reads = tuple(session.reads)
            session.reads.clear()
            return reads

    def recent_files(self, folder: Path, session_id: str) -> tuple[str, ...]:
        """Return the last files that a session has read or edited, oldest first."""
        with self._lock:
            session = self.sessions.get(_Key(folder, session_id))
            return tuple(session.files) if session is not None else ()

    def record_shown(self, workspace: OpenWorkspace, text: str) -> None:
        """Record an injected block, since a statement that only repeats it is not a lesson."""
        if text and workspace.settings.memory.learns:
            with self._lock:
                self._buffer(workspace.folder).shown.append(ShownBlock(text))

    def end_session(self, folder: Path, session_id: str) -> None:
        """End a session and store everything learned in its workspace."""
        with self._lock:
            self._close_session(_Key(folder, session_id))
        self.flush(folder)

    # -- storing ---------------------------------------------------------------------------------------------

    def flush(self, folder: Path) -> bool:
        """Store everything learned in a folder; return True if nothing is left. Free without pending lessons."""
        with self._flushing:
            with self._lock:
                buffer = self._buffers.get(folder)
                if folder not in self._finished and (buffer is None or not buffer.lessons):
                    return True
            workspace = self._workspaces.in_folder(folder)
            return workspace is not None and self._store_lessons(workspace)

    def _store_lessons(self, workspace: Workspace) -> bool:
        with self._flushing:
            with self._lock:
                finished = self._finished.pop(workspace.folder, [])
                buffer = self._buffers.get(workspace.folder)
            for session_id, turns in finished if workspace.settings.memory.learns else ():
                read_conversation(workspace, session_id, turns)
            with self._lock:
                if buffer is None or not buffer.lessons:
                    return True
                lessons, buffer.lessons = list(buffer.lessons), deque()
            if not workspace.settings.memory.learns:
                return True
            unstored = self._store(workspace, lessons)
            with self._lock:
                self._requeue(workspace.folder, buffer, unstored)
            return not unstored

    def close_workspace(self, workspace: Workspace) -> None:
        """End the sessions of a workspace that closes, and store everything."""
        with self._lock:
            for key in [key for key in self.sessions if key.folder == workspace.folder]:
                self._close_session(key)
        self._store_lessons(workspace)
        self.drop(workspace.folder)

    def reconfigured(self, workspace: Workspace) -> None:
        """Drop everything of a workspace whose new settings switch learning off."""
        if not workspace.settings.memory.learns:
            self.drop(workspace.folder)

    def store_pending(self) -> None:
        """End every session and store whatever can be stored."""
        with self._lock:
            for key in list(self.sessions):
                self._close_session(key)
        for workspace in self._workspaces.all():
            self._store_lessons(workspace)

    def close(self) -> None:
        """End every session, store what waits and accept no more lessons. Idempotent."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()
        self.store_pending()
        for folder, buffer in self._buffers.items():
            if buffer.lessons:
                log.error("%s could not store lessons; they are lost.", folder)

    def pending(self) -> int:
        with self._lock:
            return sum(len(buffer.lessons) for buffer in self._buffers.values())

    # -- inside ----------------------------------------------------------------------------------------------

    def _session(self, workspace: Workspace, id: str, now: int) -> LearningSession:
        key = _Key(workspace.folder, id)
        session = self.sessions.get(key)
        if session is None:
            session = self.sessions[key] = self.new_session(workspace, id)
            if len(self.sessions) > MAX_SESSIONS:
                self._close_session(next(iter(self.sessions)))
        self.sessions.move_to_end(key)
        return session

    def _close_session(self, key: _Key) -> None:
        session = self.sessions.pop(key, None)
        if session is not None:
            session.end()
            self._collect_finished(key.folder, session)

    def _collect_finished(self, folder: Path, session: LearningSession) -> None:
        if session.finished:
            self._finished.setdefault(folder, []).append((session.id, session.finished))
            session.finished = []

    def _add(self, folder: Path, lessons: list[Lesson]) -> None:
        if not lessons:
            return
        buffer = self._buffer(folder)
        new_lessons = [lesson for lesson in lessons if not repeats(lesson, buffer.shown)]
        if not new_lessons:
            return
        if not buffer.lessons:
            workspace = self._workspaces.in_folder(folder)
            wait = workspace.settings.memory.learn_buffer_seconds if workspace is not None else 0.0
            buffer.due = time.monotonic() + wait
        buffer.lessons.extend(new_lessons)
        self._drop_excess(folder, buffer)
        self._wake()

    def _requeue(self, folder: Path, buffer: _Buffer, unstored: list[Lesson]) -> None:
        if not unstored:
            buffer.failures = 0
            return
        buffer.failures += 1
        buffer.lessons.extendleft(reversed(unstored))
        buffer.due = time.monotonic() + min(MAX_RETRY_SECONDS, 2.0**buffer.failures)
        self._drop_excess(folder, buffer)
        self._wake()

    def _drop_excess(self, folder: Path, buffer: _Buffer) -> None:
        lost = len(buffer.lessons) - MAX_LESSONS
        if lost > 0:
            for _ in range(lost):
                buffer.lessons.popleft()
            log.error("%s cannot store lessons; %d were given up.", folder, lost)

    def _store(self, workspace: Workspace, lessons: list[Lesson]) -> list[Lesson]:
        """Store lessons in order; return those that have to wait."""
        for index, lesson in enumerate(lessons):
            try:
                opened, proposal = workspace.open(), proposal_of(lesson)
                outcome = opened.book.candidacy.offer(proposal, mode_of(workspace.settings.memory))
                if outcome.recorded is not None and proposal.evidence.speaker == "user":
                    note_heard(opened.memories, lesson.session_id, outcome.recorded.record.id, self._clock())
            except InvalidField as error:
                log.info("A lesson of %s was not kept: %s", lesson.rule, error.message)
                continue
            except SidecarError as error:
                log.warning("Lessons wait to be stored: %s", error.message)
                return lessons[index:]
            except Exception:
                # A bug in one lesson must neither fail the request that waits for it nor recur for ever.
                log.exception("A lesson of %s could not be stored and is given up.", lesson.rule)
                continue
        return []

    def drop(self, folder: Path) -> None:
        with self._lock:
            self._buffers.pop(folder, None)
            self._finished.pop(folder, None)
            for key in [key for key in self.sessions if key.folder == folder]:
                del self.sessions[key]

    def _buffer(self, folder: Path) -> _Buffer:
        return self._buffers.setdefault(folder, _Buffer())

    def _wake(self) -> None:
        if self._closed:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="learner", daemon=True)
            self._thread.start()
        self._lock.notify_all()

    def _run(self) -> None:
        while True:
            with self._lock:
                waiting = [(buffer.due, folder) for folder, buffer in self._buffers.items() if buffer.lessons]
                if self._closed:
                    return
                due, folder = min(waiting, default=(None, None))
                seconds = None if due is None else due - time.monotonic()
                if folder is None or seconds is None or seconds > 0:
                    self._lock.wait(seconds)
                    continue
            workspace = self._workspaces.in_folder(folder)
            if workspace is None:
                self.drop(folder)
                continue
            self._store_lessons(workspace)
