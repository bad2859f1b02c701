"""Wait until pipes can be read or written."""

from __future__ import annotations

import select
import sys
import time
from collections.abc import Sequence

if sys.platform == "win32":
    _NAP_SECONDS = 0.01
    PIPE_BYTES = 0

    def readable(descriptors: Sequence[int], seconds: float | None = None) -> list[int]:
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            ready = [descriptor for descriptor in descriptors if _has_data(descriptor)]
            if ready or (until is not None and time.monotonic() >= until):
                return ready
            time.sleep(_NAP_SECONDS)

    def writable(descriptor: int, seconds: float) -> bool:
        """Return False after a nap, because Windows cannot tell whether a write would block."""
        time.sleep(min(seconds, _NAP_SECONDS))
        return False

    def empty_pipe_bytes(descriptor: int) -> int:
        """Return 0, because Windows cannot tell how many bytes a pipe takes."""
        return 0

    def _has_data(descriptor: int) -> bool:
        import _winapi
        import msvcrt

        try:
            waiting, *_ = _winapi.PeekNamedPipe(msvcrt.get_osfhandle(descriptor), 0)
        except OSError:  # a file, or a pipe whose other end is closed: reading does not block
            return True
        return waiting != 0

else:
    import fcntl
    import termios

    PIPE_BYTES = select.PIPE_BUF
    """Bytes that a writable pipe takes without blocking."""

    def readable(descriptors: Sequence[int], seconds: float | None = None) -> list[int]:
        """Return the descriptors that can be read without blocking, waiting for one up to `seconds`."""
        poll = select.poll()
        for descriptor in descriptors:
            poll.register(descriptor, select.POLLIN)
        return [descriptor for descriptor, _ in poll.poll(None if seconds is None else seconds * 1e3)]

    def writable(descriptor: int, seconds: float) -> bool:
        """Return True as soon as a descriptor can be written, waiting up to `seconds`."""
        poll = select.poll()
        poll.register(descriptor, select.POLLOUT)
        return bool(poll.poll(seconds * 1e3))

    def empty_pipe_bytes(descriptor: int) -> int:
        """Return how many bytes an empty pipe takes without blocking; 0 for a pipe with unread bytes."""
        if sys.platform == "linux" and not any(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))):
            return fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)
        return 0
