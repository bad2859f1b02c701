"""Wait until pipes can be read or written."""

from __future__ import annotations

import fcntl
import select
import sys
import termios
from collections.abc import Sequence


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
