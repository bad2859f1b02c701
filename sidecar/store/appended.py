"""A file of lines to which several processes append, and which any of them may shorten or remove: a hook's journal.

If a kill or a full disk cut a line short, the next writer ends it, so that other lines stay whole. A file is rewritten
by renaming a new file over it; so a writer first locks the file, then checks that the file still has its name.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sidecar.store.location import PRIVATE_FILE, make_private
from sidecar.system.files import try_lock

_NAP_SECONDS = 0.01  # between two attempts to lock the file
_PATIENCE_SECONDS = 1.0  # then a line is appended without the lock
_OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT


def append(path: Path, line: bytes) -> int:
    """Append one line with its line end; return the size of the file before.

    If this raises OSError or StoreUnavailable, the file contains nothing of the line.
    """
    with open_locked(path, _PATIENCE_SECONDS) as holding:
        # A stopped process may hold the lock: append without it, since lines written whole seldom mix.
        descriptor = holding if holding is not None else os.open(path, _OPEN_FLAGS, PRIVATE_FILE)
        try:
            at = os.fstat(descriptor).st_size
            torn = at > 0 and os.pread(descriptor, 1, at - 1) != b"\n"
            data = b"\n" + line if torn else line
            if os.write(descriptor, data) < len(data):
                os.ftruncate(descriptor, at)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
            return at
        finally:
            if holding is None:
                os.close(descriptor)


def replace(path: Path, data: bytes) -> None:
    """Replace the file's content as a whole or not at all. Raises OSError."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def open_locked(path: Path, seconds: float) -> Iterator[int | None]:
    """Open the file for appending, make it if it is missing, and lock it. Raises OSError, StoreUnavailable.

    Yield None if others keep it locked for `seconds`.
    """
    make_private(path.parent)
    descriptor = _open_and_lock(path, time.monotonic() + seconds)
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _open_and_lock(path: Path, until: float) -> int | None:
    while True:
        try:
            descriptor = os.open(path, _OPEN_FLAGS, PRIVATE_FILE)
        except FileNotFoundError:  # another process just removed the empty folder
            make_private(path.parent)
            continue
        try:
            try_lock(descriptor)
            if _is_named(descriptor, path):
                return descriptor
        except BlockingIOError:
            if time.monotonic() >= until:
                os.close(descriptor)
                return None
            time.sleep(_NAP_SECONDS)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_named(descriptor: int, path: Path) -> bool:
    """Return whether the open file is still the file at this path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
