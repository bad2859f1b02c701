"""Lessons that wait to be stored, by workspace.

They are stored together after a moment (a setting, 3 s), before anything reads memories of their workspace, at the end
of a session, and when the engine closes. A lesson or conversation that cannot be stored now is kept and tried again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sidecar.engine.lessons import ShownBlock, mode_of, proposal_of, repeats
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.session_effects import read_conversation
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.engine.workspaces import Workspaces
from sidecar.memories.injection.showing import store_heard
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField, SidecarError

if TYPE_CHECKING:  # the learning code is imported with the first event
    from sidecar.learning.lesson import Lesson
    from sidecar.learning.operations import UserTurn

log = logging.getLogger(__name__)

MAX_LESSONS = 1_000
"""Maximum lessons that wait while a workspace's store cannot be written; the oldest are dropped, and logged as lost.

It also limits the conversations that wait.
"""

MAX_SHOWN_BLOCKS = 8
MAX_RETRY_SECONDS = 60.0
PAUSE_AFTER_DEFECT_SECONDS = 30.0

T = TypeVar("T")


class _Buffer:
    """What one workspace has learned that is not stored yet."""

    def __init__(self) -> None:
        self.lessons: deque[Lesson] = deque()
        self.conversations: deque[tuple[str, list[UserTurn]]] = deque()
        self.due = 0.0
        self.failures = 0  # in a row; 0 if nothing that waits was refused
        self.shown: deque[ShownBlock] = deque(maxlen=MAX_SHOWN_BLOCKS)
        self.storing = threading.RLock()  # held while lessons are stored, so that the workspace's readers see them


class LessonStorer:
    """Keeps and stores the lessons of all workspaces of one engine. Thread-safe.

    While writing to a workspace's store, it holds only the lock of that workspace's lessons.
    """

    def __init__(self, workspaces: Workspaces, clock: Clock) -> None:
        self._workspaces = workspaces
        self._clock = clock
        self._lock = threading.Condition()
        self._buffers: dict[Path, _Buffer] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    def add(self, folder: Path, lessons: list[Lesson]) -> None:
        """Queue lessons, apart from those that only repeat what was shown."""
        if not lessons:
            return
        with self._lock:
            buffer = self._buffer(folder)
            new_lessons = [lesson for lesson in lessons if not repeats(lesson, buffer.shown)]
            if not new_lessons:
                return
            if not buffer.lessons:
                handle = self._workspaces.in_folder(folder)
                wait = handle.settings.memory.learn_buffer_seconds if handle is not None else 0.0
                buffer.due = time.monotonic() + wait
            buffer.lessons.extend(new_lessons)
            self._drop_excess(folder, buffer)
            self._wake()

    def add_conversation(self, folder: Path, session_id: str, turns: list[UserTurn]) -> None:
        """Queue what was said in a session, for a model to read."""
        with self._lock:
            buffer = self._buffer(folder)
            buffer.conversations.append((session_id, turns))
            self._drop_excess(folder, buffer)

    def remember_block(self, workspace: OpenWorkspace, text: str) -> None:
        """Remember an injected block, since a statement that only repeats it is not a lesson."""
        if text and workspace.settings.memory.learns:
            with self._lock:
                self._buffer(workspace.folder).shown.append(ShownBlock(text))

    def store_lessons_of_folder(self, folder: Path) -> bool:
        """Do what `store_lessons_of` does, for a caller that has only the folder."""
        handle = self._workspaces.in_folder(folder)
        if handle is not None:
            return self.store_lessons_of(handle)
        with self._lock:
            buffer = self._buffers.get(folder)
        if buffer is None:
            return True
        with buffer.storing, self._lock:
            return not (buffer.lessons or buffer.conversations)

    def store_lessons_of(self, handle: WorkspaceHandle) -> bool:
        """Store everything learned in a workspace, which need not be open any more; return True if nothing is left."""
        with self._lock:
            buffer = self._buffer(handle.folder)
        with buffer.storing:
            with self._lock:
                conversations, buffer.conversations = buffer.conversations, deque()
                lessons, buffer.lessons = buffer.lessons, deque()
            if not handle.settings.memory.learns:
                conversations, lessons = deque(), deque()
            unread = _store_each("conversation", conversations, lambda each: read_conversation(handle, *each))
            unstored = _store_each("lesson", lessons, lambda each: self._store(handle, each))
            with self._lock:
                buffer.conversations.extendleft(reversed(unread))
                buffer.lessons.extendleft(reversed(unstored))
                self._retry_later(handle.folder, buffer, failed=bool(unread or unstored))
            return not (unread or unstored)

    def store_all(self) -> None:
        """Store whatever can be stored."""
        for handle in self._workspaces.all():
            self.store_lessons_of(handle)

    def pending(self) -> int:
        """Return the number of lessons and conversations that wait."""
        with self._lock:
            return sum(len(buffer.lessons) + len(buffer.conversations) for buffer in self._buffers.values())

    def drop(self, folder: Path) -> None:
        with self._lock:
            self._buffers.pop(folder, None)

    def close(self) -> None:
        """Stop the thread, store what waits and log what cannot be stored. Idempotent."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()
        self.store_all()
        with self._lock:
            unstored = [folder for folder, buffer in self._buffers.items() if buffer.lessons or buffer.conversations]
        for folder in unstored:
            log.error("Lessons of %s could not be stored and are lost.", folder)

    def _retry_later(self, folder: Path, buffer: _Buffer, *, failed: bool) -> None:
        if not failed:
            buffer.failures = 0
            return
        buffer.failures += 1
        buffer.due = time.monotonic() + min(MAX_RETRY_SECONDS, 2.0**buffer.failures)
        self._drop_excess(folder, buffer)
        self._wake()

    def _drop_excess(self, folder: Path, buffer: _Buffer) -> None:
        for waiting in (buffer.lessons, buffer.conversations):
            lost = len(waiting) - MAX_LESSONS
            if lost > 0:
                for _ in range(lost):
                    waiting.popleft()
                log.error("Lessons of %s cannot be stored; %d were discarded.", folder, lost)

    def _store(self, handle: WorkspaceHandle, lesson: Lesson) -> None:
        opened, proposal = handle.open(), proposal_of(lesson)
        outcome = opened.book.proposer.propose(proposal, mode_of(handle.settings.memory))
        if outcome.recorded is not None and proposal.evidence.speaker == "user":
            store_heard(opened.memory_store, lesson.session_id, outcome.recorded.record.id, self._clock())

    def _buffer(self, folder: Path) -> _Buffer:
        return self._buffers.setdefault(folder, _Buffer())

    def _wake(self) -> None:
        if self._closed:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="lessons", daemon=True)
            self._thread.start()
        self._lock.notify_all()

    def _run(self) -> None:
        while not self._closed:
            try:
                self._store_next()
            except Exception:
                log.exception("Lessons that are due could not be stored.")
                with self._lock:
                    self._lock.wait_for(lambda: self._closed, PAUSE_AFTER_DEFECT_SECONDS)

    def _store_next(self) -> None:
        """Store what is due in one workspace, or wait until something may be due."""
        with self._lock:
            if self._closed:
                return
            # Conversations alone wait for the next caller that stores, unless one was refused.
            waiting = [(each.due, folder) for folder, each in self._buffers.items() if each.lessons or each.failures]
            due, folder = min(waiting, default=(None, None))
            seconds = None if due is None else due - time.monotonic()
            if folder is None or seconds is None or seconds > 0:
                self._lock.wait(seconds)
                return
        handle = self._workspaces.in_folder(folder)
        if handle is None:
            self.drop(folder)
        else:
            self.store_lessons_of(handle)


def _store_each(kind: str, waiting: deque[T], store: Callable[[T], None]) -> deque[T]:
    """Store items in order; return those that have to wait."""
    while waiting:
        try:
            store(waiting[0])
        except InvalidField as error:
            log.info("A %s was not kept: %s", kind, error.message)
        except SidecarError as error:
            log.warning("A %s waits to be stored: %s", kind, error.message)
            break
        except Exception:
            # A bug in one lesson must neither fail the request that waits for it nor recur for ever.
            log.exception("A %s could not be stored and was discarded.", kind)
        waiting.popleft()
    return waiting
