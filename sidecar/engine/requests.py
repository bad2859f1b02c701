"""The requests of an engine: when the last one came, which are under way, how they ended and how long they took.

The figures are plain numbers, so that no library is loaded before somebody asks for metrics.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TypeVar

import msgspec

from protocol.methods import Method
from sidecar.runtime.cancellation import Context, RunningRequests
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.priority import Priority

P = TypeVar("P", bound=msgspec.Struct)
Batch = Sequence[tuple[P, Context]]
Outcome = msgspec.Struct | BaseException | None

DURATION_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the duration buckets, in seconds."""


class Durations(msgspec.Struct):
    """A histogram: one count for each of `DURATION_BOUNDS` and one for longer requests; `total` in seconds."""

    total: float = 0.0
    counts: list[int] = msgspec.field(default_factory=lambda: [0] * (len(DURATION_BOUNDS) + 1))


class ActiveRequests:
    """The requests that an engine answers; `priority` makes background work wait for them. Thread-safe."""

    def __init__(self, clock: Clock, priority: Priority) -> None:
        self.running = RunningRequests()
        """A closed workspace waits for the end of these before it closes its stores."""
        self.came_at = clock()
        """When the last one came, or the engine began (epoch ms)."""
        self._clock = clock
        self._priority = priority
        self._lock = threading.Lock()
        self._outcomes: dict[tuple[str, str], int] = {}
        self._durations: dict[str, Durations] = {}

    @contextmanager
    def answering(self, method: Method) -> Iterator[list[Outcome]]:
        """Count each outcome that the block appends to the list; if it appends none, count the block as one request.

        Background work gives way to a method that reads or writes; others are slow or wait for such work themselves.
        """
        urgent = method.lane in ("read", "write")
        self.came_at, began = self._clock(), time.monotonic()
        outcomes: list[Outcome] = []
        try:
            with self.running, self._priority.answering() if urgent else nullcontext():
                yield outcomes
        except BaseException as error:
            outcomes.append(error)
            raise
        finally:
            for outcome in outcomes or [None]:
                self._count(method.name, outcome, time.monotonic() - began)

    def _count(self, method: str, answer: Outcome, seconds: float) -> None:
        """Count a request of this duration: as `ok`, by the name of its `SidecarError`, or as a `defect`."""
        outcome = "ok"
        if isinstance(answer, BaseException):
            outcome = type(answer).__name__ if isinstance(answer, SidecarError) else "defect"
        with self._lock:
            self._outcomes[method, outcome] = self._outcomes.get((method, outcome), 0) + 1
            durations = self._durations.setdefault(method, Durations())
            durations.total += seconds
            durations.counts[bisect_left(DURATION_BOUNDS, seconds)] += 1

    def outcomes(self) -> dict[tuple[str, str], int]:
        with self._lock:
            return dict(sorted(self._outcomes.items()))

    def durations(self) -> dict[str, Durations]:
        with self._lock:
            return {
                method: Durations(measured.total, list(measured.counts))
                for method, measured in sorted(self._durations.items())
            }
