"""Synchronise the file and the store: at opening, when either has changed, and at the end."""

from __future__ import annotations

import logging
import threading
import time
from typing import Literal

from msgspec.structs import replace

from protocol.status import MemoryFileStatus
from sidecar.checkout.hand_edits import git_stamp
from sidecar.checkout.identity import OpenedFolder
from sidecar.checkout.repository import find_repository
from sidecar.memories.book import MemoryBook
from sidecar.memory_file import disk, file_pass, pages_pass
from sidecar.memory_file.form import FileForm, RepositoryTrust
from sidecar.memory_file.pass_context import VANISHED_MESSAGE, PassContext, VanishedDecision
from sidecar.memory_file.text.layout import FileLimits
from sidecar.memory_file.text.page import PAGE_SUFFIX
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.operations import Operations
from sidecar.settings.model import MemoryFileSettings
from sidecar.store.file_store import FileStore
from sidecar.store.lock import FolderLock

log = logging.getLogger(__name__)

WRITE_OPERATION = "memory file"
MAX_PASSES = 5  # a pass is repeated if somebody wrote the file meanwhile
STORE_QUIET_SECONDS = 0.5  # time without a change before a write, so that a burst of changes causes one write
PAGES_CHECK_SECONDS = 0.5  # interval between checks of the pages, each of which costs a `stat`
FIRST_RETRY_SECONDS = 1.0  # delay after a failure; each further failure doubles it
MAX_RETRY_SECONDS = 60.0
REQUEST_PATIENCE_SECONDS = 5.0  # time that a request waits for another process that holds the lock


class _RetryPlan:
    """When to try again after failures, and what was logged of them."""

    def __init__(self) -> None:
        self.failures = 0  # since the last success
        self.logged: set[str] = set()  # reasons
        self._due_at = 0.0

    def count_failure(self) -> None:
        self._due_at = time.monotonic() + min(MAX_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2.0**self.failures)
        self.failures = min(self.failures + 1, 30)

    def reset(self) -> None:
        self.failures = 0
        self.logged.clear()

    def is_due(self) -> bool:
        return self.failures > 0 and time.monotonic() >= self._due_at


class MemoryFile:
    """The memory file of one checkout. Thread-safe. If `eager`, the first pass is made by `take_in_edits`."""

    def __init__(
        self,
        *,
        folder_guard: OpenedFolder,
        settings: MemoryFileSettings,
        files: FileStore,
        book: MemoryBook,
        clock: Clock,
        operations: Operations,
        eager: bool,
    ) -> None:
        identity, store = folder_guard.identity, book.workspace_store
        self._folder_guard = folder_guard
        self._eager = eager
        self._operations = operations
        self._lock = FolderLock(store.directory / "memory-file.lock", timeout=20.0)
        self._pass_lock = threading.Lock()
        self._repository = find_repository(identity.folder)
        self._form = form = FileForm(identity.folder, settings, files, identity.checkout)
        self._trust = RepositoryTrust(files, self._repository, identity.folder)
        self._context = PassContext(
            form=form,
            store=store,
            book=book,
            clock=clock,
            limits=FileLimits(file_lines=settings.max_lines),
            trust=self._trust,
        )
        self._checked_at = 0.0
        self._stamps: tuple[disk.FileStamps, object] | None = None
        self._write_requested_at: float | None = None  # while a requested write has not begun
        self._retry = _RetryPlan()
        self._closed = threading.Event()
        self._ending = threading.Event()
        self.status = MemoryFileStatus(path=form.path, state="off" if form.is_off else "absent")

    def take_in_edits(self) -> None:
        """Store edits of the file before a request is answered, at the cost of one `stat` per file.

        Pages are checked at most twice a second. After failures, the next attempts come less and less often, or when
        the file changes.
        """
        if self._form.is_off or (self._stamps is None and not self._eager):
            return
        now = time.monotonic()
        if self._form.is_directory and now - self._checked_at < PAGES_CHECK_SECONDS:
            return
        self._checked_at = now
        if self._current_stamps() != self._stamps or self._retry.is_due():
            self.sync(REQUEST_PATIENCE_SECONDS)

    def request_write(self) -> None:
        if self._form.is_off or self._closed.is_set():
            return
        self._write_requested_at = time.monotonic()
        self._operations.start(WRITE_OPERATION, "memories changed", lambda _: self._write_once_quiet())

    def _write_once_quiet(self) -> None:
        while (requested_at := self._write_requested_at) is not None:
            remaining = requested_at + STORE_QUIET_SECONDS - time.monotonic()
            if remaining <= 0 or self._ending.wait(remaining):
                self.sync()
                return

    def hasten_write(self) -> None:
        self._ending.set()

    def close(self) -> None:
        if self._write_requested_at is not None or self._retry.failures:
            self.sync()
        with self._pass_lock:
            self._closed.set()
        self._lock.close()

    def trust(self, on: bool) -> MemoryFileStatus:
        """Let this repository's file count as the user's own words, or no longer."""
        self._trust.set(on)
        state = self._form.states.load()
        if state is not None:
            self._form.states.save(replace(state, seq=-1))  # -1 makes the next pass read the file again
        return self.sync(REQUEST_PATIENCE_SECONDS)

    def sync(self, patience: float | None = None, decision: VanishedDecision | None = None) -> MemoryFileStatus:
        """Synchronise file and store; the status names problems with the file.

        Waits `patience` seconds for another process that holds the lock. `decision` is about vanished entries.
        """
        if self._form.is_off or self._closed.is_set():
            return self.status
        try:
            with self._pass_lock:
                if not self._closed.is_set():  # `close` may have run meanwhile
                    if self._folder_guard.is_gone or self._folder_guard.is_replaced():
                        raise disk.UnusableFile("The folder of this workspace is gone, or belongs to another workspace")
                    self._context.store.check_writable()
                    with self._lock.held(patience):
                        self._write_requested_at = None  # a request from here on needs another write
                        self._set_status(self.run_passes(decision))
                        self._retry.reset()
        except disk.UnusableFile as error:
            self._leave_alone(f"{error}.")
        except SidecarError as error:
            self._leave_alone(error.message)
        except OSError as error:
            self._leave_alone(f"{error.filename or self._form.path} cannot be used ({error.strerror}).")
        return self.status

    def _leave_alone(self, why: str) -> None:
        """Plan a retry: a merge or a full disk may pass without the file being written."""
        self._stamps = self._current_stamps()
        self._retry.count_failure()
        self._set_status(MemoryFileStatus(path=self._form.path, state="leftAlone", detail=why))

    def run_passes(self, decision: VanishedDecision | None) -> MemoryFileStatus:
        problems, stamps = list[str](), self._current_stamps()
        run = pages_pass.run if self._form.is_directory else file_pass.run
        for _ in range(MAX_PASSES):
            # Take the stamps before the pass, so that the next check sees an edit made meanwhile.
            stamps, seq = self._current_stamps(), self._context.store.seq()
            result = run(self._context, decision)
            if result.vanished:
                self._stamps = stamps
                detail = VANISHED_MESSAGE.format(count=result.vanished, path=self._form.path)
                return MemoryFileStatus(path=self._form.path, state="held", detail=detail, vanished=result.vanished)
            if result.unread and not problems and self.status.state == "current" and self.status.detail:
                problems = [self.status.detail]
            problems = [*problems, *result.problems]
            if result.settled and self._context.store.seq() == seq:
                break
        self._form.tidy_once()
        self._stamps = stamps
        report = " ".join(dict.fromkeys(problems)) or None
        state: Literal["current", "absent"] = "current" if stamps[0] else "absent"
        return MemoryFileStatus(path=self._form.path, state=state, detail=report)

    def _current_stamps(self) -> tuple[disk.FileStamps, object]:
        ending = PAGE_SUFFIX if self._form.is_directory else None
        return disk.stamps_of(self._form.root / self._form.path, ending), git_stamp(self._repository)

    def _set_status(self, status: MemoryFileStatus) -> None:
        if status.detail and status.detail not in self._retry.logged:
            log.warning("The memory file %s needs attention: %s", self._form.path, status.detail)
            self._retry.logged.add(status.detail)
        self.status = replace(status, trusted=self._trust.on)
