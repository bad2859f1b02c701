"""Bring the file and the store in step: at opening, when either changed, and at the end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from sidecar.checkout.exclude import exclude
from sidecar.checkout.hand_edits import git_stamp, normalise_text
from sidecar.checkout.opened_folder import OpenedFolder
from sidecar.checkout.repository import find_repository
from sidecar.checkout.repository_key import digest
from sidecar.memories.book import MemoryBook
from sidecar.memory_file import disk, pages, passes, single
from sidecar.memory_file.caches import PageCache, ShowableIndex
from sidecar.memory_file.state import StateStore
from sidecar.memory_file.text.layout import FileLimits
from sidecar.memory_file.text.page import ENDING
from sidecar.runtime.errors import SidecarError
from sidecar.settings.model import MemoryFileSettings
from sidecar.store.file_store import FileStore
from sidecar.store.lock import FolderLock

log = logging.getLogger(__name__)

# Passes until file and store agree; each further one is for a file that was written while it was read.
PASSES = 5
# The store is written to the file once it has been quiet for this long, so that a burst causes one write.
QUIET_SECONDS = 0.5
# The folder of pages is not checked again within this time, since that takes a `stat` for each page.
PAGES_SECONDS = 0.5
RETRY_SECONDS = 1.0  # a failure is retried after this time, then twice as long each time, ...
MAX_RETRY = 60.0  # ... up to this many seconds, as long as requests come
LOOK_PATIENCE = 5.0  # seconds that a request waits for another process at the file
FileState = Literal["off", "absent", "current", "leftAlone", "held"]


@dataclass(frozen=True)
class FileStatus:
    """The file's state; `held`: `vanished` entries await an answer; `trusted`: the repository's word is the user's."""

    path: str
    state: FileState
    detail: str | None = None
    vanished: int = 0
    trusted: bool = False


class MemoryFile:
    """The memory file of one checkout, in either form; thread-safe.

    `later` runs a function in the background; `eager` means that nothing runs there before the first request, so
    `take_in_edits` does it.
    """

    def __init__(
        self,
        *,
        folder_guard: OpenedFolder,
        settings: MemoryFileSettings,
        files: FileStore,
        book: MemoryBook,
        clock: Callable[[], int],
        later: Callable[[Callable[[], None]], None],
        eager: bool,
    ) -> None:
        identity, store = folder_guard.identity, book.workspace_store
        self._folder_guard = folder_guard
        self._settings = settings
        self._eager = eager
        self._later = later
        self._files = files
        self._checkout = identity.checkout
        self._lock = FolderLock(store.directory / "memory-file.lock", timeout=20.0)
        self._passing = threading.Lock()
        limits = FileLimits(file_lines=settings.max_lines)
        self._parts = passes.PassContext(
            root=identity.folder,
            path=settings.folder if settings.mode == "directory" else settings.path,
            store=store,
            book=book,
            states=self._state_store(settings.mode),
            clock=clock,
            limits=limits,
            showable=ShowableIndex(limits),
            pages=PageCache(),
            trusted=self._is_trusted,
            making=self._exclude_once,
        )
        self._path = self._parts.root / self._parts.path
        self._repository = repository = find_repository(identity.folder)
        place = repository.common_dir if repository is not None else identity.folder
        self._trust = f"memory-file:trusted:{digest(str(place))}"
        self._other_form_left = False
        self._looked_at = 0.0
        self._mark: tuple[disk.FileMarks, object] | None = None
        self._touching = threading.Lock()
        self._touched_at: float | None = None
        self._failures = 0  # in a row
        self._retry_at = 0.0
        self._logged: set[str] = set()  # about these failures
        self._closed = threading.Event()
        self._ending = threading.Event()
        self.status = FileStatus(self._parts.path, "off" if settings.mode == "off" else "absent")

    def take_in_edits(self) -> None:
        """Take in edits before a request is answered, at the cost of one `stat` per file.

        Pages are read at most twice a second, and nothing before the first `sync`. Failures are retried less and less
        often, or at once when the file changed.
        """
        if self._settings.mode == "off" or (self._mark is None and not self._eager):
            return
        now = time.monotonic()
        if self._settings.mode == "directory" and now - self._looked_at < PAGES_SECONDS:
            return
        self._looked_at = now
        if self._current_mark() != self._mark or (self._failures and now >= self._retry_at):
            self.sync(LOOK_PATIENCE)

    def touched(self) -> None:
        """Write the file soon, because the store changed."""
        if self._settings.mode == "off" or self._closed.is_set():
            return
        with self._touching:
            first = self._touched_at is None
            self._touched_at = time.monotonic()
        if first:
            self._later(self._when_quiet)

    def _when_quiet(self) -> None:
        while (touched := self._touched_at) is not None and not self._ending.is_set():
            remaining = touched + QUIET_SECONDS - time.monotonic()
            if remaining <= 0:
                break
            self._ending.wait(remaining)
        self.sync()

    def hurry(self) -> None:
        self._ending.set()

    def close(self) -> None:
        """Write what has not been written yet, and nothing afterwards."""
        if self._touched_at is not None or self._failures:
            self.sync()
        with self._passing:
            self._closed.set()
        self._lock.close()

    def trust(self, on: bool) -> FileStatus:
        """Let this repository's word in its file count as the user's from now on, or no longer."""
        self._files.put_blob(self._trust, b"1" if on else b"")
        state = self._parts.states.load()
        if state is not None:
            self._parts.states.save(msgspec.structs.replace(state, seq=-1))  # so that the file is read again
        return self.sync(LOOK_PATIENCE)

    def _is_trusted(self) -> bool:
        return bool(self._files.get_blob(self._trust))

    def sync(self, patience: float | None = None, answer: passes.VanishedDecision | None = None) -> FileStatus:
        """Bring file and store in step, reporting trouble with the file in the status without raising.

        `patience` is for another process at the file, `answer` for entries that vanished at once.
        """
        if self._settings.mode == "off" or self._closed.is_set():
            return self.status
        try:
            with self._passing:
                if not self._closed.is_set():  # checked again: it may have been closed during the wait
                    if self._folder_guard.is_gone or self._folder_guard.is_replaced():
                        raise disk.LeftAlone("The folder of this workspace is gone, or another workspace's by now")
                    self._parts.store.check_writable()
                    with self._lock.held(patience):
                        with self._touching:  # from here on, a touch needs a pass of its own
                            self._touched_at = None
                        self._set(self._passes(answer))
                        self._failures = 0
                        self._logged.clear()
        except disk.LeftAlone as error:
            self._failed(f"{error}.")
        except SidecarError as error:
            self._failed(error.message)
        except OSError as error:
            self._failed(f"{error.filename or self._parts.path} cannot be used ({error.strerror}).")
        return self.status

    def _failed(self, why: str) -> None:
        """Plan a retry: a merge or a full disk may pass without the file being written."""
        self._mark = self._current_mark()
        self._retry_at = time.monotonic() + min(MAX_RETRY, RETRY_SECONDS * 2.0**self._failures)
        self._failures = min(self._failures + 1, 30)
        self._set(FileStatus(self._parts.path, "leftAlone", why))

    def _passes(self, answer: passes.VanishedDecision | None) -> FileStatus:
        problems, mark = list[str](), self._current_mark()
        for _ in range(PASSES):
            # from before the pass: an edit made meanwhile is seen at the next look
            mark, seq = self._current_mark(), self._parts.store.seq()
            passed = self._pass(answer)
            if passed.vanished:
                self._mark = mark
                detail = f"{passes.message(self._parts.path, passed.vanished)}."
                return FileStatus(self._parts.path, "held", detail, passed.vanished)
            if passed.unread and not problems and self.status.state == "current" and self.status.detail:
                problems = [self.status.detail]
            problems = [*problems, *passed.problems]
            if passed.settled and self._parts.store.seq() == seq:
                break
        if not self._other_form_left:
            self._leave_other_form()
            self._other_form_left = True
            path = disk.inside(self._parts.root, self._parts.path)
            disk.remove_left(path if self._settings.mode == "directory" else path.parent)
        self._mark = mark
        state: FileState = "current" if mark[0] else "absent"
        return FileStatus(self._parts.path, state, " ".join(dict.fromkeys(problems)) or None)

    def _exclude_once(self) -> None:
        """Exclude the first file from git before creating it; whoever removes the line again wants to share it."""
        name = f"memory-file:{self._checkout}:{self._settings.mode}:excluded"
        if self._files.get_blob(name):
            return
        self._files.put_blob(name, b"1")
        folder = self._parts.path
        if self._settings.mode == "file":
            folder = folder.rpartition("/")[0]
        # A file being written has another name until it is complete, and is not for sharing.
        exclude(self._parts.root, folder, f"{'/' if folder else ''}{disk.TEMPORARY}")
        if exclude(self._parts.root, self._parts.path):
            log.info("%s is kept out of git by info/exclude; remove that line to share it", self._parts.path)

    def _pass(self, answer: passes.VanishedDecision | None) -> passes.PassResult:
        if self._settings.mode == "directory":
            return pages.run(self._parts, answer)
        return single.run(self._parts, answer)

    def _leave_other_form(self) -> None:
        """Remove what this program wrote in the other form, so that it does not grow stale, unless changed by hand."""
        other = "file" if self._settings.mode == "directory" else "directory"
        store = self._state_store(other)
        state = store.load()
        if state is None:
            return
        if other == "file":
            path = disk.inside(self._parts.root, self._settings.path)
            text = disk.read_text(path)
            if text is not None and digest(normalise_text(text)) == state.digest:
                disk.remove(path)
        else:
            folder = disk.inside(self._parts.root, self._settings.folder)
            texts = {name: disk.read_text(folder / name) or "" for name in sorted(set(state.files.values()))}
            if {name: digest(normalise_text(text)) for name, text in texts.items()} == state.pages:
                for name in texts:
                    disk.remove(folder / name)
        store.save(None)

    def _state_store(self, form: str) -> StateStore:
        return StateStore(self._files, self._checkout, form)

    def _current_mark(self) -> tuple[disk.FileMarks, object]:
        """Return a mark that changes when the files are written or git does something."""
        return disk.mark(self._path, ENDING if self._settings.mode == "directory" else None), git_stamp(
            self._repository
        )

    def _set(self, status: FileStatus) -> None:
        if status.detail and status.detail not in self._logged:
            log.warning("%s", status.detail)
            self._logged.add(status.detail)
        self.status = replace(status, trusted=self._is_trusted())
