"""Files that change all the time, such as a log in the workspace: told of now and then, and once more at the end.

Each file may be told of `BURST` times at once and once every `SECONDS` after that (a token bucket). What is asked about
such a file is still answered from the disk: this is only about who is told unasked, and what is read ahead.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

BURST = 10
SECONDS = 5.0
_TIDY_ABOVE = 1_000  # files: fewer are not worth forgetting


class Throttle:
    """Lets changes through, or keeps them back for a while. For one thread. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._full_at: dict[str, float] = {}  # when a file may be told of as often as any other again
        self._kept: dict[str, float] = {}  # when those kept back may be told of
        self._tidy_above = _TIDY_ABOVE

    def admit(self, paths: Iterable[str]) -> set[str]:
        """Those to be told of now, with those kept back whose time has come."""
        now = self._clock()
        told = {path for path, at in self._kept.items() if at <= now}
        for path in told:
            del self._kept[path]
        for path in {*paths, *told}:
            full_at = max(self._full_at.get(path, now), now) + SECONDS
            if path in told or full_at - now <= BURST * SECONDS:
                self._full_at[path] = full_at
                self._kept.pop(path, None)
                told.add(path)
            else:
                self._kept.setdefault(path, full_at - BURST * SECONDS)
        self._tidy(now)
        return told

    def seconds(self, most: float) -> float:
        """Until one that is kept back may be told of; at most so many."""
        if not self._kept:
            return most
        return min(most, max(0.0, min(self._kept.values()) - self._clock()))

    def _tidy(self, now: float) -> None:
        if len(self._full_at) > self._tidy_above:
            self._full_at = {path: at for path, at in self._full_at.items() if at > now}
            self._tidy_above = max(_TIDY_ABOVE, 2 * len(self._full_at))
