"""A lock for one thread of one process at a time: a thread lock in front of a lock on a small file.

Every write, opening, migration and salvage of a database holds the lock; reading does not. So no process writes into a
database that another is setting aside, and waiting writers do not starve in SQLite's own busy loop. However a holder
dies, the kernel frees the lock. A stopped holder (Ctrl-Z, SIGSTOP) keeps it; others recognise a stopped holder by the
process id in the file, and do not wait for it.
"""

from __future__ import annotations

import contextlib
import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.faults import forked, unreachable
from sidecar.store.location import PRIVATE_FILE
from sidecar.system.files import try_lock, unlock

_MAX_NAP_SECONDS = 0.005  # between two attempts to lock the file
PATIENCE_SECONDS = 20.0  # seconds to wait for a running holder
STOPPED_PATIENCE = 0.3  # seconds to wait for a stopped holder, which may continue in a moment


class FolderLock:
    """A lock that its thread may take again while holding it. Its file is made when needed and never deleted."""

    def __init__(self, path: Path, *, timeout: float = PATIENCE_SECONDS) -> None:
        self._path = path
        self._timeout = timeout
        self._closed = False
        self._pid = os.getpid()
        self._threads = threading.RLock()
        self._depth = 0
        self._fd: int | None = None
        self._stopped: int | None = None  # a holder that was found stopped; nobody waits for it again

    @contextlib.contextmanager
    def held(self, timeout: float | None = None) -> Iterator[None]:
        """Hold the lock. Raises `StoreUnavailable` if it is still taken after `timeout` seconds."""
        timeout = self._timeout if timeout is None else timeout
        if self._pid != os.getpid():
            raise forked(self._path.parent)
        until = time.monotonic() + timeout
        if not self._threads.acquire(timeout=timeout):
            raise self._busy_error(timeout)
        try:
            if self._closed and self._depth == 0:
                raise StoreUnavailable(f"The store in {self._path.parent} is closed.", reason="closed")
            if self._depth == 0:
                self._acquire(until, timeout)
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0 and self._fd is not None:
                    unlock(self._fd)
                    if self._closed:
                        self._close_file()
        finally:
            self._threads.release()

    def _acquire(self, until: float, timeout: float) -> None:
        nap, began = 0.0002, time.monotonic()
        try:
            if self._fd is None:
                self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
            while True:
                try:
                    try_lock(self._fd)
                except BlockingIOError:
                    now = time.monotonic()
                    if now > until or (nap == _MAX_NAP_SECONDS and self._waits_in_vain(now - began)):
                        raise self._busy_error(timeout) from None
                else:
                    self._stopped = None
                    with contextlib.suppress(OSError):  # the disk may be full; the file then lacks the holder's id
                        os.pwrite(self._fd, b"%-10d" % self._pid, 0)
                    return
                time.sleep(nap * (0.5 + random.random()))  # noqa: S311 - jitter, not a secret
                nap = min(nap * 1.5, _MAX_NAP_SECONDS)
        except OSError as error:
            raise unreachable(error, self._path.parent) from error

    def _waits_in_vain(self, waited: float) -> bool:
        if not _is_stopped(holder := self._holder()):
            self._stopped = None
        elif waited > STOPPED_PATIENCE or self._stopped == holder:
            self._stopped = holder
        return self._stopped is not None

    def _holder(self) -> int | None:
        try:
            return int(os.pread(self._fd, 10, 0)) if self._fd is not None else None
        except (OSError, ValueError):
            return None

    def _busy_error(self, timeout: float) -> StoreUnavailable:
        folder, holder = self._path.parent, self._holder()
        if self._stopped is not None:
            return StoreUnavailable(
                f"Process {holder} is stopped and keeps the store in {folder} from being written.",
                reason="busy",
                hint=f"Nothing was changed. Let it go on (kill -CONT {holder}) or end it, and try again.",
            )
        who = f"process {holder}" if holder not in (None, self._pid) else "another thread"
        return StoreUnavailable(
            f"The store in {folder} was kept busy by {who} for {timeout:.0f} s.",
            reason="busy",
            hint="Nothing was changed. Try again; if it stays so, see what that process does.",
        )

    def close(self) -> None:
        """Close the file, at once or when its holder is done; the lock cannot be taken again."""
        self._closed = True
        if self._pid == os.getpid() and self._threads.acquire(blocking=False):
            try:
                self._close_file()
            finally:
                self._threads.release()

    def _close_file(self) -> None:
        if self._depth == 0 and self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _is_stopped(pid: int | None) -> bool:
    """Return whether a process is stopped; where there is no /proc, assume that it is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except (OSError, IndexError):
        return False
