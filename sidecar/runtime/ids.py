"""Time-ordered ids of memories. Ids made within one millisecond are ordered, too."""

from __future__ import annotations

import os
import threading

_SEQUENCE = 1 << 12


class TimeOrderedIds:
    """Generates UUIDv7 (RFC 9562 section 5.7, with the counter of section 6.2 method 1 in `rand_a`). Thread-safe.

    Ids of one generator increase in the order of the calls unless the clock is set back. The counter starts in the
    lower half of its range; when it overflows, the next millisecond is used early.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = (-1, 0)

    def __call__(self, now: int) -> str:
        """Return an id for a time in epoch milliseconds."""
        random = int.from_bytes(os.urandom(10), "big")
        with self._lock:
            at, count = self._last
            if now > at or at - now > 1_000:  # the clock was set back: start over
                at, count = now, random >> 62 & (_SEQUENCE // 2 - 1)
            elif count + 1 < _SEQUENCE:
                count += 1
            else:
                at, count = at + 1, 0
            self._last = at, count
        value = (at & (1 << 48) - 1) << 80 | 0x7 << 76 | count << 64 | 0b10 << 62
        digits = f"{value | random & (1 << 62) - 1:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
