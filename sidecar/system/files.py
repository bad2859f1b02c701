"""Lock files, and open files and folders without waiting and without following links."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path

_WITHOUT_WAITING = os.O_NONBLOCK | os.O_NOCTTY
_FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | _WITHOUT_WAITING


def open_regular(path: Path, flags: int = os.O_RDONLY, mode: int = 0o600, *, follow: bool = True) -> int:
    """Open a regular file without waiting for a pipe or device. With `follow`, also open a link's target.

    Raises OSError; its number is None if the path names no regular file.
    """
    descriptor = os.open(path, flags | _WITHOUT_WAITING | (0 if follow else os.O_NOFOLLOW), mode)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(None, "not a regular file")
    return descriptor


def open_folder(path: str | os.PathLike[str], parent: int | None = None) -> int:
    """Open a folder inside another one, so that nobody can replace it between check and use.

    Raises OSError; its number is ELOOP or ENOTDIR for a link.
    """
    return os.open(path, _FOLDER_FLAGS, dir_fd=parent)


def open_file_in(folder: int, name: str) -> int:
    """Open a file in an open folder, not waiting for a pipe or device. Raises OSError, with ELOOP for a link."""
    return os.open(name, _FILE_FLAGS, dir_fd=folder)


def sync_folder(folder: Path) -> None:
    """Make the renames in `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def owns(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid()


def try_lock(descriptor: int) -> None:
    """Lock an open file until it is unlocked or closed, or the process dies.

    Raises BlockingIOError if another descriptor holds the lock, OSError if locking fails.
    """
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def unlock(descriptor: int) -> None:
    fcntl.flock(descriptor, fcntl.LOCK_UN)
