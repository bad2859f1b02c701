"""The thread that writes frames to a descriptor.

Sending only appends to a queue, or writes what surely does not block. So a client that does not read blocks this thread
only. Frames leave in the order in which they were queued, on whichever thread.

When much is waiting, the writer is full: nothing more is read from the client, and no answer is begun that would only
wait in the queue. A slow reader gets everything; a client that reads nothing for a minute counts as hung and is given
up, even if its process lives on.
"""

from __future__ import annotations

import logging
import os
import select
import stat
import threading
import time
from collections import deque
from collections.abc import Callable

from sidecar.system.readiness import empty_pipe_bytes, writable

log = logging.getLogger(__name__)

# Waiting frames are joined up to this size, so that a burst is one system call.
_JOIN_BYTES = 256 * 1024
# With more bytes than this waiting for a client, the writer is full.
MAX_WAITING_BYTES = 32 * 1024 * 1024
# A full writer gives up a client that reads nothing for this many seconds, as at a breakpoint. Sleep does not count.
STALLED_READER_SECONDS = 60.0
# A writable socket takes this many bytes at once: macOS calls it writable from this much room on, Linux from more.
_SOCKET_BYTES = 2_048
_CHECK_SECONDS = 0.2
# A pipe takes a write only in full, so a client must read this much in `STALLED_READER_SECONDS`.
_WRITE_BYTES = 16 * 1024


class Writer:
    """A queue of frames and the thread that empties it; `broken` is called once when the other side is gone."""

    def __init__(
        self,
        descriptor: int,
        broken: Callable[[], None],
        *,
        max_waiting: int | None = None,
        patience_seconds: float | None = None,
    ) -> None:
        self._descriptor = descriptor
        self._broken = broken
        self._max_waiting = MAX_WAITING_BYTES if max_waiting is None else max_waiting
        self._patience_seconds = STALLED_READER_SECONDS if patience_seconds is None else patience_seconds
        self._waiting = 0  # bytes in the queue
        self._read_at = time.monotonic()
        self._queue: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._busy = False
        self._closing = False
        self._failed = False
        self._unblocked_bytes = _unblocked_bytes(descriptor)
        self._thread = threading.Thread(target=self._run, name="sidecar-stdout", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue whole frames without blocking; drop them once the stream is broken or closed. Thread-safe."""
        with self._changed:
            if self._failed or self._closing or self._try_write_now(data):
                return
            self._queue.append(data)
            self._waiting += len(data)
            self._changed.notify_all()
        self.give_up_if_hung()

    def _try_write_now(self, data: bytes) -> bool:
        """Write a small frame on the caller's thread if that cannot block, so that no other thread must wake up."""
        if self._queue or self._busy or not self._takes(len(data)):
            return False
        try:
            written = os.write(self._descriptor, data)
        except OSError:  # the writer's thread meets the error again and reports it
            return False
        self._read_at = time.monotonic()
        if written < len(data):
            self._queue.append(data[written:])
            self._waiting += len(data) - written
            self._changed.notify_all()
        return True

    def _takes(self, size: int) -> bool:
        """Return whether a write of this size surely does not block."""
        if size <= self._unblocked_bytes:
            return writable(self._descriptor, 0)
        return self._unblocked_bytes == select.PIPE_BUF and size <= empty_pipe_bytes(self._descriptor)

    @property
    def gone(self) -> bool:
        return self._failed

    @property
    def is_full(self) -> bool:
        return self._waiting > self._max_waiting and not (self._failed or self._closing)

    def give_up_if_hung(self) -> None:
        """Give up a client that has read nothing for too long. Whoever waits for room calls this."""
        with self._changed:
            hangs = self.is_full and self._busy and time.monotonic() - self._read_at > self._patience_seconds
            if hangs:
                self._failed = True
                self._queue.clear()
                self._waiting = 0
                self._changed.notify_all()
        if hangs:
            log.warning("The server gave up on the client, which has read nothing for %d s.", self._patience_seconds)
            self._broken()

    def wait_for_room(self) -> None:
        """Wait until the writer is not full or the client is gone. The thread that reads must not call this."""
        while self.is_full:
            with self._changed:
                self._changed.wait(_CHECK_SECONDS)
            self.give_up_if_hung()

    def close(self, timeout: float = 0.3) -> bool:
        """Write what is queued, then end the thread, within `timeout` seconds; return whether all was written."""
        deadline = time.monotonic() + timeout
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            while (self._queue or self._busy) and not self._failed:
                if not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    break
            all_written = not self._queue and not self._busy
        if self._thread.is_alive():
            self._thread.join(max(0.0, deadline - time.monotonic()))
        if not self._thread.is_alive():
            os.close(self._descriptor)
        return all_written

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._queue and not self._closing:
                    self._changed.wait()
                if not self._queue:
                    return
                data = self._next_batch()
                self._waiting -= len(data)
                self._busy = True
                self._read_at = time.monotonic()
            failed = not self._write_all(data)
            with self._changed:
                self._busy = False
                given_up, self._failed = self._failed, self._failed or failed
                if failed:
                    self._queue.clear()
                self._changed.notify_all()
            if failed and not given_up:
                self._broken()
            if failed or given_up:
                return

    def _next_batch(self) -> bytes:
        parts = [self._queue.popleft()]
        size = len(parts[0])
        while self._queue and size + len(self._queue[0]) <= _JOIN_BYTES:
            parts.append(self._queue.popleft())
            size += len(parts[-1])
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _write_all(self, data: bytes) -> bool:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._descriptor, view[:_WRITE_BYTES]) :]
                self._read_at = time.monotonic()
            except BlockingIOError:  # the client made the pipe non-blocking for both ends
                writable(self._descriptor, 1)
            except OSError as error:
                log.info("Writing to stdout failed: %s.", error.strerror)
                return False
        return True


def _unblocked_bytes(descriptor: int) -> int:
    """Return how many bytes a `writable` descriptor takes without blocking."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISFIFO(mode):
        return select.PIPE_BUF
    return _SOCKET_BYTES if stat.S_ISSOCK(mode) else 0
