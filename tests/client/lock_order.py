"""Which locks of the sidecar threads wait for while they hold others: a cycle among them may become a deadlock."""

from __future__ import annotations

import linecache
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

_PACKAGE = "/sidecar/"
_make_lock, _make_rlock = threading.Lock, threading.RLock


class LockOrder:
    """Records, for each lock made while it watches, what is waited for while the lock is held. Thread-safe.

    A lock is named after the attribute that holds it, so that those of all instances of a class count as one.
    """

    def __init__(self) -> None:
        self.waits: dict[str, set[str]] = {}
        self._held = threading.local()

    @contextmanager
    def watching(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        with monkeypatch.context() as patch:
            patch.setattr(threading, "Lock", lambda: self._made(_make_lock(), reentrant=False))
            patch.setattr(threading, "RLock", lambda: self._made(_make_rlock(), reentrant=True))
            yield

    def held(self) -> list[WatchedLock]:
        """Return the locks that this thread holds, the last taken last."""
        if not hasattr(self._held, "locks"):
            self._held.locks = []
        locks: list[WatchedLock] = self._held.locks
        return locks

    def cycles(self) -> list[list[str]]:
        """Return a way around each cycle that a search finds first."""
        found: list[list[str]] = []
        done: set[str] = set()

        def follow(name: str, way: list[str]) -> None:
            if name in way:
                found.append([*way[way.index(name) :], name])
            elif name not in done:
                for further in sorted(self.waits.get(name, ())):
                    follow(further, [*way, name])
                done.add(name)

        for name in sorted(self.waits):
            follow(name, [])
        return found

    def _made(self, lock: Any, *, reentrant: bool) -> Any:
        name = _name_of_maker(sys._getframe(2))
        return WatchedLock(self, lock, name, reentrant=reentrant) if name is not None else lock


class WatchedLock:
    """A lock or, if `reentrant`, a lock that its thread may take again; usable in a `threading.Condition`."""

    def __init__(self, order: LockOrder, lock: Any, name: str, *, reentrant: bool) -> None:
        self._order, self._lock, self.name, self._reentrant = order, lock, name, reentrant
        self._owner, self._depth = 0, 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        again = self._reentrant and self._owner == threading.get_ident()
        if blocking and timeout != 0 and not again:
            self._record_wait()
        taken: bool = self._lock.acquire(blocking, timeout)
        if taken:
            self._depth += 1
            if not again:
                self._owner = threading.get_ident()
                self._order.held().append(self)
        return taken

    def release(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._forget()
        self._lock.release()

    def locked(self) -> bool:
        return bool(self._lock.locked())

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    # What `threading.Condition` needs.

    def _is_owned(self) -> bool:
        return self._owner == threading.get_ident()

    def _release_save(self) -> int:
        depth, self._depth = self._depth, 0
        self._forget()
        for _ in range(depth):
            self._lock.release()
        return depth

    def _acquire_restore(self, depth: int) -> None:
        self._record_wait()
        for _ in range(depth):
            self._lock.acquire()
        self._depth, self._owner = depth, threading.get_ident()
        self._order.held().append(self)

    def _record_wait(self) -> None:
        for other in self._order.held():
            if other is not self:
                self._order.waits.setdefault(other.name, set()).add(self.name)

    def _forget(self) -> None:
        self._owner = 0
        if self in self._order.held():
            self._order.held().remove(self)


def _name_of_maker(frame: FrameType | None) -> str | None:
    """Return the attribute of a class of `sidecar` that will hold a lock; None for a lock of another library.

    A lock of a folder is named after its file, one of `made_once` after the part.
    """
    while frame is not None and frame.f_code.co_filename == threading.__file__:
        frame = frame.f_back
    if frame is None or _PACKAGE not in frame.f_code.co_filename:
        return None
    own, path = frame.f_locals, frame.f_code.co_filename.rpartition(_PACKAGE)[2]
    if path == "store/lock.py":
        return f"{own['path'].parent.name}/{own['path'].name}"
    if path == "runtime/made_once.py":
        return f"{type(own['instance']).__name__}.{own['self'].attrname}"
    owner = frame.f_code.co_qualname.partition(".")[0]
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    attribute = re.match(r"\s*(?:self\.)?(\w+)(?:: [^=]+)? = ", line)
    return f"{owner}.{attribute[1]}" if attribute is not None else f"{path}:{frame.f_lineno}"
