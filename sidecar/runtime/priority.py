"""How background work yields to requests, although Python runs one thread at a time.

A computing thread releases the interpreter only every few milliseconds (`sys.getswitchinterval`), and a request must
reacquire it after each read of a file or row: twenty such waits take a tenth of a second. So the switch interval is ten
times shorter, and background work pauses at its steps while a request is being answered. While requests come, longer
pieces of work take turns: if there were one for each processor, none would be left for the answer.

A full garbage collection does not run while requests may come: with the index of a large repository, it stops all
threads for a tenth of a second. New objects are always collected, and all objects when the process is quiet.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
import time
from collections.abc import Iterator

SWITCH_SECONDS = 0.0005
MAX_STEP_WAIT_SECONDS = 0.05
"""The longest that a step waits for requests (seconds), so that constant requests do not stall background work."""

RECENT_REQUEST_SECONDS = 0.5
"""For this many seconds after a request, another one is likely."""

MAX_TURN_WAIT_SECONDS = 5.0
"""The longest that a piece of work waits for its turn (seconds)."""

MAX_TURN_PAUSE_SECONDS = 0.5
"""The longest pause after a piece of work (seconds).

Measured with `tests/bench/while_warming.py`: pauses take a third off the 99th percentile of a request, and the warm-up
takes up to 2.5 times as long under constant requests.
"""

NEVER = 1_000_000_000
THOROUGH_COLLECTION_SECONDS = 6 * 3600.0
"""Seconds between two collections that also visit frozen objects, some of which have become garbage meanwhile."""

MAX_ARENAS = 2
_ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h


class Priority:
    """Counts the requests being answered. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.Lock())
        self._answering = 0
        self._answered_at = -RECENT_REQUEST_SECONDS
        self._turns = threading.BoundedSemaphore(max(1, (os.cpu_count() or 2) // 2))
        self._unfrozen = False
        self._thorough_at = time.monotonic()

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Mark a request as being answered until the block ends."""
        with self._changed:
            self._answering += 1
        try:
            yield
        finally:
            with self._changed:
                self._answering -= 1
                self._answered_at = time.monotonic()
                if not self._answering:
                    self._changed.notify_all()

    def give_way(self) -> None:
        """Wait, at most `MAX_STEP_WAIT_SECONDS`, until no other thread is answering a request."""
        if self._answering:
            with self._changed:
                self._changed.wait_for(lambda: not self._answering, MAX_STEP_WAIT_SECONDS)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Run a longer piece of background work in the block.

        While requests come, at most half as many pieces as there are processors run at once, and after each one a pause
        follows that is as long as the piece took. A block must not take a second turn or wait for another thread.
        """
        self.give_way()
        asked_lately = self._answering > 0 or time.monotonic() - self._answered_at < RECENT_REQUEST_SECONDS
        held = asked_lately and self._turns.acquire(timeout=MAX_TURN_WAIT_SECONDS)
        began = time.monotonic()
        try:
            yield
        finally:
            if held:
                time.sleep(min(MAX_TURN_PAUSE_SECONDS, time.monotonic() - began))
                self._turns.release()

    def freeze_heap(self) -> None:
        """Exempt what is in memory now from garbage collection.

        Visiting the rows of ten thousand memories takes as long as several requests. Memory that only loading needed (a
        tenth of the whole) is returned to the system, where the C library supports that.
        """
        if self._unfrozen:
            self._unfrozen = False
            gc.collect()
        self._freeze()

    def collect_garbage(self) -> None:
        """Collect what was allocated since the last call, and freeze what is left. Call this when no requests come."""
        now = time.monotonic()
        thorough = now - self._thorough_at >= THOROUGH_COLLECTION_SECONDS
        if not (gc.get_count()[2] or self._unfrozen or thorough):
            return
        if thorough:
            self._thorough_at = now
            gc.unfreeze()
        gc.collect()
        self._unfrozen = False
        self._freeze()

    def _freeze(self) -> None:
        gc.freeze()
        return_free_heap()

    def unfreeze_heap(self) -> None:
        """Unfreeze everything, so that the memory of a closed workspace can be collected."""
        self._unfrozen = True
        gc.unfreeze()


def return_free_heap() -> None:
    """Return freed memory to the system, where the C library would keep it."""
    import ctypes

    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def serve_attentively() -> None:
    """Make this process, which answers requests while it works, switch threads often.

    Full garbage collections are left to `Priority.collect_garbage`.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    # Without a limit, each thread allocates from its own glibc arena, and no other thread reuses what it frees: opening
    # and closing three folders eight times made a process 24 MiB larger, but only 6 MiB with two arenas.
    import ctypes

    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, MAX_ARENAS)
    first, second, _ = gc.get_threshold()
    gc.set_threshold(first, second, NEVER)


@contextlib.contextmanager
def pause_collector() -> Iterator[None]:
    """Collect no cycles inside the block; the thread that paused the collector resumes it."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
