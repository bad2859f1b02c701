"""Limit reports of files that change constantly, such as a log, to one now and then and one at the end.

Each file may be reported `BURST` times at once, then once every `REFILL_SECONDS` (a token bucket). Such a file is
still read from the disk on request: only notifications and reading ahead are limited.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

BURST = 10
REFILL_SECONDS = 5.0
TIDY_ABOVE = 1_000  # files: fewer are not worth removing


class Throttle:
    """Lets changes through or holds them back for a while; for one thread. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._full_at: dict[str, float] = {}  # when a file may be reported in bursts again
        self._held_back: dict[str, float] = {}  # when files held back may be reported
        self._tidy_above = TIDY_ABOVE

    def admit(self, paths: Iterable[str]) -> set[str]:
        """Return the files to report now, including those held back whose time has come."""
        now = self._clock()
        admitted = {path for path, at in self._held_back.items() if at <= now}
        for path in admitted:
            del self._held_back[path]
        for path in {*paths, *admitted}:
            full_at = max(self._full_at.get(path, now), now) + REFILL_SECONDS
            if path in admitted or full_at - now <= BURST * REFILL_SECONDS:
                self._full_at[path] = full_at
                self._held_back.pop(path, None)
                admitted.add(path)
            else:
                self._held_back.setdefault(path, full_at - BURST * REFILL_SECONDS)
        if len(self._full_at) > self._tidy_above:
            self._full_at = {path: at for path, at in self._full_at.items() if at > now}
            self._tidy_above = max(TIDY_ABOVE, 2 * len(self._full_at))
        return admitted

    def seconds(self, limit: float) -> float:
        """Return the seconds until a file held back may be reported, at most `limit`."""
        if not self._held_back:
            return limit
        return min(limit, max(0.0, min(self._held_back.values()) - self._clock()))
