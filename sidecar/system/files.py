"""Open, read and write files by descriptor."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

if sys.platform == "win32":
    import errno

    BINARY = os.O_BINARY
    _WITHOUT_WAITING = 0

    def _open_unfollowed(path: Path, flags: int) -> int:
        if path.is_symlink():
            raise OSError(errno.ELOOP, "a link", str(path))
        return os.open(path, flags)

    def read_at(descriptor: int, size: int, position: int) -> bytes:
        os.lseek(descriptor, position, os.SEEK_SET)
        return os.read(descriptor, size)

    def write_at(descriptor: int, data: bytes, position: int) -> int:
        os.lseek(descriptor, position, os.SEEK_SET)
        return os.write(descriptor, data)

    def set_mode(descriptor: int, mode: int) -> None:
        """Do nothing: on Windows a file inherits its folder's access list."""

    def sync_folder(folder: Path) -> None:
        """Do nothing: on Windows a folder cannot be opened, and NTFS journals a rename."""

else:
    BINARY = 0
    """A flag of `os.open` that keeps Windows from translating line ends."""

    _WITHOUT_WAITING = os.O_NONBLOCK | os.O_NOCTTY

    def _open_unfollowed(path: Path, flags: int) -> int:
        return os.open(path, flags | os.O_NOFOLLOW)

    def read_at(descriptor: int, size: int, position: int) -> bytes:
        """Return bytes from a position; on Windows, this changes the descriptor's own position."""
        return os.pread(descriptor, size, position)

    def write_at(descriptor: int, data: bytes, position: int) -> int:
        """Write at a position, return the number of bytes; on Windows, this changes the descriptor's own position."""
        return os.pwrite(descriptor, data, position)

    def set_mode(descriptor: int, mode: int) -> None:
        os.fchmod(descriptor, mode)

    def sync_folder(folder: Path) -> None:
        """Make the renames in `folder` durable."""
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def open_regular(path: Path, flags: int = os.O_RDONLY, mode: int = 0o600, *, follow: bool = True) -> int:
    """Open a regular file without waiting for a pipe or device; `follow` also opens a link's target.

    Raises OSError, without a number for a path that names no regular file.
    """
    flags |= BINARY | _WITHOUT_WAITING
    descriptor = os.open(path, flags, mode) if follow else _open_unfollowed(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(None, "not a regular file")
    return descriptor
