"""Reserve stdin and stdout for frames.

After `claim_stdio`, whatever a stray print, a C library or a child process writes to descriptor 1 goes to stderr, and
reading descriptor 0 finds an empty file, so neither can touch the stream of frames.
"""

from __future__ import annotations

import os
import sys


def claim_stdio() -> tuple[int, int]:
    """Return private descriptors (not inherited by children) of what were stdin and stdout.

    A closed descriptor is replaced by the null device, so that the reader sees the end of the stream at once.
    """
    sys.stdout.flush()
    null = os.open(os.devnull, os.O_RDWR)
    try:
        source, sink = _private(0, null), _private(1, null)
        os.dup2(null, 0)
        if not _is_open(2):
            os.dup2(null, 2)
        if _same_stream(sink, 2) and not os.isatty(2):
            os.dup2(null, 2)  # started with 2>&1: log lines between frames would break them
        os.dup2(2, 1)
    finally:
        os.close(null)
    return source, sink


def _private(descriptor: int, fallback: int) -> int:
    return os.dup(descriptor if _is_open(descriptor) else fallback)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _same_stream(first_descriptor: int, second_descriptor: int) -> bool:
    first, second = os.fstat(first_descriptor), os.fstat(second_descriptor)
    null = os.stat(os.devnull)
    if (first.st_dev, first.st_ino) == (null.st_dev, null.st_ino):
        return False
    return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)
