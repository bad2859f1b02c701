"""Journals of a server's sessions, written as events come, so that neither a kill nor a busy store loses them."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from msgspec.structs import replace

from protocol.events import ToolResultParams
from sidecar.engine.journal_line import JournalLine, tool_line
from sidecar.engine.lesson_storer import LessonStorer
from sidecar.engine.session_journal import MAX_JOURNAL_BYTES, Journal, journal_path
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.runtime.errors import SidecarError

log = logging.getLogger(__name__)


class ServerJournals:
    """One journal for each session in this process; a process that resumes the session has its own. Thread-safe."""

    def __init__(self, lessons: LessonStorer, process: str) -> None:
        self._lessons = lessons
        self._process = process
        self._lock = threading.Lock()
        self._journals: dict[tuple[Path, str], Journal] = {}
        self._learned: dict[tuple[Path, str], int] = {}  # bytes already learned from, for journals that have grown
        self.stopped_learning = False

    def stop_learning(self) -> None:
        """From now on only write events into journals."""
        self.stopped_learning = True

    def write(self, handle: WorkspaceHandle, session_id: str, line: JournalLine | None) -> None:
        if line is None or not handle.settings.memory.learns:
            return
        try:
            journal = self._journal(handle, session_id)
            size = journal.size()
            if self.stopped_learning:
                self._learned.setdefault((handle.folder, session_id), size)
            elif size > MAX_JOURNAL_BYTES and self._lessons.store_lessons_of(handle):
                journal.write(JournalLine("learned", upto=size))
            journal.write(line)
        except (OSError, SidecarError) as error:
            log.warning("A session's journal could not be written: %s", error)

    def remove(self, folder: Path, session_id: str) -> None:
        """Remove the journal of an ended session once everything it taught is stored."""
        if self._lessons.store_lessons_of_folder(folder):
            with self._lock:
                journal = self._journals.pop((folder, session_id), None)
            if journal is not None:
                journal.remove(journal.size())

    def close(self) -> None:
        """Remove each journal, or note how much of it was learned from. Every lesson must have been stored before."""
        with self._lock:
            for key, journal in self._journals.items():
                if key in self._learned:
                    journal.write(JournalLine("learned", upto=self._learned[key]))
                else:
                    journal.remove(journal.size())
            self._journals = {}

    def _journal(self, handle: WorkspaceHandle, session_id: str) -> Journal:
        with self._lock:
            key = (handle.folder, session_id)
            if key not in self._journals:
                path = journal_path(handle.data_home, handle.folder, f"{session_id} {self._process}")
                journal = Journal(path, session_id)
                journal.record_owner([self._process])
                self._journals[key] = journal
            return self._journals[key]


def tool_result_line(
    params: ToolResultParams, tool_input: object, output: object, status: object
) -> JournalLine | None:
    from sidecar.learning.outcome import read_outcome, read_text

    outcome = read_outcome(output, status, params.metadata)
    line = tool_line(
        params.tool,
        tool_input,
        read_text(output),
        params.call_id,
        failed=outcome.refused,
        tells_status=outcome.status is not None,
    )
    return None if line is None else replace(line, exit=outcome.status, open=False)
