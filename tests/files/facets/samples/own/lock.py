"""One holder at a time, over threads and processes: a thread lock in front of `flock` on a small file."""

import contextlib
import fcntl
import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from sidecar.errors import StoreUnavailable
from sidecar.store.faults import forked, unreachable
from sidecar.store.location import PRIVATE_FILE

_LONGEST_NAP = 0.005


class FolderLock:
    """Reentrant in a thread. `path` is the lock file, made when first needed and never deleted."""

    def __init__(self, path: Path, *, timeout: float = 60.0) -> None:
        self._path = path
        self._timeout = timeout
        self._closed = False
        self._pid = os.getpid()
        self._threads = threading.RLock()
        self._depth = 0
        self._fd: int | None = None

    @contextlib.contextmanager
    def held(self, timeout: float | None = None) -> Iterator[None]:
        """Holds the lock; `StoreUnavailable` when it stays taken for `timeout` seconds."""
        timeout = self._timeout if timeout is None else timeout
        if self._pid != os.getpid():
            raise forked(self._path.parent)
        until = time.monotonic() + timeout
        if not self._threads.acquire(timeout=timeout):
            raise self._taken(timeout)
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
                    fcntl.flock(self._fd, fcntl.LOCK_UN)
                    if self._closed:
                        self._let_go()
        finally:
            self._threads.release()

    def _acquire(self, until: float, timeout: float) -> None:
        nap = 0.0002
        try:
            if self._fd is None:
                self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
            while True:
                try:
                    fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                except BlockingIOError:
                    if time.monotonic() > until:
                        raise self._taken(timeout) from None
                time.sleep(nap * (0.5 + random.random()))  # noqa: S311 - jitter, not a secret
                nap = min(nap * 1.5, _LONGEST_NAP)
        except OSError as error:
            raise unreachable(error, self._path.parent) from error

    def close(self) -> None:
        """Gives the descriptor back, now or when the holder is done; the lock cannot be taken again."""
        self._closed = True
        if self._pid == os.getpid() and self._threads.acquire(blocking=False):
            try:
                self._let_go()
            finally:
                self._threads.release()
