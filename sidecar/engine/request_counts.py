"""Counts of the requests that an engine answered, by method and outcome, and how long they took.

They are plain numbers, so that no library is loaded before somebody requests metrics.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from sidecar.runtime.errors import SidecarError

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the duration buckets, in seconds."""


class Durations(msgspec.Struct):
    """A histogram: one count for each of `BOUNDS` and one for longer requests; `total` in seconds."""

    total: float = 0.0
    counts: list[int] = msgspec.field(default_factory=lambda: [0] * (len(BOUNDS) + 1))


class RequestCounts:
    """Request counts. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._outcomes: dict[tuple[str, str], int] = {}
        self._durations: dict[str, Durations] = {}

    @contextmanager
    def request(self, method: str) -> Iterator[None]:
        """Count the request answered in the block. Outcomes are `ok`, the name of a `SidecarError`, or `defect`."""
        began = time.monotonic()
        try:
            yield
        except BaseException as error:
            self.add(method, error, time.monotonic() - began)
            raise
        self.add(method, None, time.monotonic() - began)

    def add(self, method: str, error: BaseException | None, seconds: float) -> None:
        """Count one request that was answered, or failed with `error`, after this many seconds."""
        outcome = "ok" if error is None else type(error).__name__ if isinstance(error, SidecarError) else "defect"
        with self._lock:
            self._outcomes[method, outcome] = self._outcomes.get((method, outcome), 0) + 1
            durations = self._durations.setdefault(method, Durations())
            durations.total += seconds
            durations.counts[bisect_left(BOUNDS, seconds)] += 1

    def outcomes(self) -> dict[tuple[str, str], int]:
        with self._lock:
            return dict(sorted(self._outcomes.items()))

    def durations(self) -> dict[str, Durations]:
        with self._lock:
            return {
                method: Durations(known.total, list(known.counts)) for method, known in sorted(self._durations.items())
            }
