"""Wake a waiting thread from any thread or from a signal."""

from __future__ import annotations

import contextlib
import select
import signal
import socket


class Wakeup:
    """One thread waits until another thread, or a signal after `heed_signals`, wakes it.

    A signal that arrives just before the main thread waits for a lock goes unseen until something else wakes the
    thread. So a byte in a socket is used, which is seen.
    """

    def __init__(self) -> None:
        self._read, self._write = socket.socketpair()
        self._read.setblocking(False)
        self._write.setblocking(False)
        self._heeds = False

    def heed_signals(self) -> None:
        """Let signals that have a handler wake the waiting thread, which must be the main one."""
        self._heeds = True
        signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)

    def wake(self) -> None:
        with contextlib.suppress(OSError):  # full, so the thread wakes anyway; or closed
            self._write.send(b"\0")

    def wait(self, seconds: float | None = None) -> None:
        """Wait up to `seconds`. Return at once if `wake` was called before."""
        select.select([self._read], [], [], seconds)
        self.clear()

    def fileno(self) -> int:
        """Return a descriptor that `select` finds readable after `wake`."""
        return self._read.fileno()

    def clear(self) -> None:
        """Forget earlier calls of `wake`."""
        with contextlib.suppress(BlockingIOError):
            self._read.recv(4096)

    def close(self) -> None:
        """Stop heeding signals. Call this only when no thread waits."""
        if self._heeds:
            signal.set_wakeup_fd(-1)
        self._read.close()
        self._write.close()
