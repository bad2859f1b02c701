"""How background work keeps out of the way of requests, though Python runs one thread at a time.

A thread that computes gives the interpreter away every few milliseconds only (`sys.getswitchinterval`), and a request
asks for it anew after each read of a file or row: twenty such waits are a tenth of a second. So threads take turns
ten times as often, and the background rests, at its steps, while a request is being answered. While requests come, its
longer pieces take turns: as many of them at a time as there are processors leave none to the answer.

Nor does the garbage collector look through everything while somebody may ask: with the index of a large repository that
stops all threads for a tenth of a second. It looks at what is new all the time, and at everything when it is quiet.
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
LONGEST_REST = 0.05
"""Seconds that a step waits for requests at the most, so that constant asking stops no background work."""

LATELY = 0.5
"""Seconds after a request in which another one may well come."""

LONGEST_TURN = 5.0
"""Seconds that a piece of work waits for another one at the most."""

LONGEST_PAUSE = 0.5
"""Seconds that nothing begins after a piece of work at the most.

Measured with `tests/bench/while_warming.py`: pauses take a third off the 99th percentile of a request, and reading
ahead takes up to 2.5 times as long while requests come all the time.
"""

NEVER = 1_000_000_000
THOROUGH_SECONDS = 6 * 3600.0
"""Between two looks also at what was to stay for good, some of which has gone since."""

ARENAS = 2
_ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h


class Priority:
    """Counts the requests being answered. Methods may be called from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.Lock())
        self._answering = 0
        self._answered_at = -LATELY
        self._turns = threading.BoundedSemaphore(max(1, (os.cpu_count() or 2) // 2))
        self._left = False
        self._thorough_at = time.monotonic()

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """A request is being answered until the block ends."""
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
        """Wait until no request is being answered, but not for long. Never called by who answers one."""
        if self._answering:
            with self._changed:
                self._changed.wait_for(lambda: not self._answering, LONGEST_REST)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """A longer piece of background work until the block ends; while requests come, it waits for others to end.

        Half as many as there are processors may work then, and after each the processors rest for as long as it took.
        A block takes no second turn, and waits for nobody outside.
        """
        self.give_way()
        asked_lately = self._answering > 0 or time.monotonic() - self._answered_at < LATELY
        held = asked_lately and self._turns.acquire(timeout=LONGEST_TURN)
        began = time.monotonic()
        try:
            yield
        finally:
            if held:
                time.sleep(min(LONGEST_PAUSE, time.monotonic() - began))
                self._turns.release()

    def keep_for_good(self) -> None:
        """What is in memory now stays there: the collector need not look through it again and again.

        Looking through the rows of ten thousand memories takes as long as several requests. What was needed only for
        loading goes back to the system, where the C library can be told so: a tenth of the whole.
        """
        if self._left:
            self._left = False
            gc.collect()
        self._freeze()

    def tidy(self) -> None:
        """Nobody asks for anything: look through what has come since the last time, and keep the rest for good."""
        now = time.monotonic()
        thorough = now - self._thorough_at >= THOROUGH_SECONDS
        if not (gc.get_count()[2] or self._left or thorough):
            return
        if thorough:
            self._thorough_at = now
            gc.unfreeze()
        gc.collect()
        self._left = False
        self._freeze()

    def _freeze(self) -> None:
        gc.freeze()
        import ctypes

        with contextlib.suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)

    def let_go(self) -> None:
        """A workspace was closed: the collector looks at everything again, so that what that one held can go."""
        self._left = True
        gc.unfreeze()


def serve_attentively() -> None:
    """Let the threads of this process take turns often, and collect all garbage only when `Priority.tidy` says so.

    For a process that answers requests while it works.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    # Else each thread of glibc takes memory from an arena of its own, and what one frees no other one uses: to open
    # and close three folders eight times made a process 24 MiB larger, and with two arenas 6.
    import ctypes

    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, ARENAS)
    first, second, _ = gc.get_threshold()
    gc.set_threshold(first, second, NEVER)
