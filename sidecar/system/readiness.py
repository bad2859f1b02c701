"""Wait until pipes can be read or written."""

from __future__ import annotations

import fcntl
import select
import sys
import termios
from collections.abc import Sequence


def readable(descriptors: Sequence[int], seconds: float | None = None) -> list[int]:
    """Wait up to `seconds` until one of `descriptors` can be read; return those that can be read without blocking."""
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    return [descriptor for descriptor, _ in poll.poll(None if seconds is None else seconds * 1e3)]


def writable(descriptor: int, seconds: float) -> bool:
    """Wait up to `seconds` until a descriptor can be written; return whether it can."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(seconds * 1e3))


def empty_pipe_bytes(descriptor: int) -> int:
    """Return how many bytes an empty pipe takes without blocking; 0 if the pipe holds unread bytes."""
    if sys.platform == "linux" and not any(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))):
        return fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)
    return 0
