"""Waits until a file that was written just now is written to its end.

Most editors put a whole file in place of the old one. Some programs empty the file first and then write it piece by
piece, or remove it and make it anew. Who reads it in between takes what is not there yet for taken out by hand, and
who replaces it then leaves the writer with a file that has no name.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from sidecar.memory_file import disk

QUIET_SECONDS = 0.2
"""A file that was not written for so long is whole. A hand's edit that takes something away is seen so much later."""

LONGEST_SECONDS = 2.0
"""Nobody who asks is held up for longer; it is looked at again later."""

_pause: Callable[[float], None] = time.sleep


def changed_since(place: Path, seen: disk.Mark) -> bool:
    """Whether a file or folder of which `seen` was noted before it was read is other than that now, or in a moment.

    Returns at once when it was not written just now. Raises `LeftAlone` when it is written again and again.
    """
    until = time.monotonic() + LONGEST_SECONDS
    latest, changed = disk.mark(place), False
    while True:
        changed = changed or latest != seen
        age = time.time() - max((mtime_ns / 1e9 for _, mtime_ns, _, _ in latest), default=0.0)
        if (
            abs(age) >= QUIET_SECONDS
        ):  # one of the future was written by another clock, or before this one went back
            return changed
        if time.monotonic() >= until:
            raise disk.LeftAlone(f"{place.name} is just being written; it is read when that is done")
        _pause(QUIET_SECONDS - max(0.0, age))
        before, latest = latest, disk.mark(place)
        if latest == before:
            return changed
