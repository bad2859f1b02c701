"""An exclusive lock on an open file, which the system releases when the file is closed or the process dies."""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 0x7FFF_FFFE  # beyond any content, because nobody else can read a locked byte

    def try_lock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(error.errno, error.strerror) from None

    def unlock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(descriptor: int) -> None:
        """Lock an open file. Raises BlockingIOError if another descriptor has locked it, and OSError."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
