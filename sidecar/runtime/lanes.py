"""Lanes of threads for the engine's work, and the order in which tasks may start.

`write` runs one task at a time, in the order submitted. Any other task starts only after the writes submitted before it
have ended, so that a client that pipelines a write and a read sees the write. A write does not wait for reads, unless
it removes what they need and calls `wait_for_earlier_reads`. `slow` and `background` have threads of their own, so that
a `read` finds a thread however many of their tasks are in flight. `notice` is serial too: what editors report about
files is passed on in order.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Literal, TypeAlias

log = logging.getLogger(__name__)

LaneName: TypeAlias = Literal["read", "write", "slow", "notice", "background"]
LaneTask: TypeAlias = Callable[[], None]

MAX_QUEUED = 5_000
"""Queued and running tasks beyond which no more requests are read from a client."""

_THREADS: dict[LaneName, int] = {"write": 1, "read": 16, "slow": 4, "notice": 1, "background": 1}


class WorkerPool:
    """Daemon threads, started on demand; unlike those of `concurrent.futures`, they never delay the exit."""

    def __init__(self, name: str, threads: int) -> None:
        self._name = name
        self._limit = threads
        self._threads: list[threading.Thread] = []
        self._tasks: SimpleQueue[LaneTask | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._open = 0  # tasks that are queued or running
        self._stopping = False

    def submit(self, task: LaneTask) -> None:
        """Run `task` when a thread is free. A task that raises is logged; after `stop` tasks are dropped."""
        with self._lock:
            if self._stopping:
                return
            self._open += 1
            if len(self._threads) < min(self._open, self._limit):
                name = f"sidecar-{self._name}-{len(self._threads)}"
                self._threads.append(threading.Thread(target=self._run, name=name, daemon=True))
                self._threads[-1].start()
            self._tasks.put(task)

    def stop(self) -> None:
        """Start no more tasks; running ones continue."""
        with self._lock:
            self._stopping = True
            for _ in self._threads:
                self._tasks.put(None)

    def join(self, deadline: float) -> bool:
        """Wait for the threads until `deadline` (monotonic seconds); return True if all have ended."""
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None and not self._stopping:
            try:
                task()
            except BaseException:
                log.exception("A task of lane %s failed.", self._name)
            del task
            with self._lock:
                self._open -= 1


class Lanes:
    """The pools and their ordering rule. Any thread may submit; tasks are ordered by the calls."""

    def __init__(self) -> None:
        self._pools: dict[LaneName, WorkerPool] = {
            name: WorkerPool(name, threads) for name, threads in _THREADS.items()
        }
        self._changed = threading.Condition()
        self._writes_submitted = 0
        self._writes_ended = 0
        self._waiting: deque[tuple[int, LaneName, LaneTask]] = deque()
        self._open: dict[LaneName, int] = dict.fromkeys(_THREADS, 0)

    def submit(self, lane: LaneName, task: LaneTask) -> None:
        """Run `task` in its lane, after the writes submitted before it."""
        counted = self._counted(lane, task)
        with self._changed:
            self._open[lane] += 1
            if lane == "write":
                self._writes_submitted += 1
            elif self._writes_ended < self._writes_submitted:
                self._waiting.append((self._writes_submitted, lane, counted))
                return
            self._pools[lane].submit(counted)

    def submit_now(self, task: LaneTask) -> None:
        """Run `task` on a thread of the `read` lane without waiting for writes."""
        self._pools["read"].submit(task)

    def queued(self) -> dict[LaneName, int]:
        """Return the number of unfinished tasks by lane."""
        with self._changed:
            return dict(self._open)

    def crowded(self) -> bool:
        """Return whether the limit of unfinished tasks has been reached."""
        return sum(self._open.values()) > MAX_QUEUED

    def wait_for_earlier_reads(self, timeout: float) -> bool:
        """In a task of the `write` lane, wait for the reads submitted before it; return True if all have ended."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._open["read"] == sum(lane == "read" for _, lane, _ in self._waiting), timeout
            )

    def drain(self, lanes: tuple[LaneName, ...], timeout: float) -> bool:
        """Wait up to `timeout` seconds until these lanes are empty; return True if they are."""
        with self._changed:
            return self._changed.wait_for(lambda: not any(self._open[lane] for lane in lanes), timeout)

    def stop(self, timeout: float) -> bool:
        """Start no more tasks and wait up to `timeout` seconds for running ones; return True if all have ended."""
        with self._changed:
            self._waiting.clear()
        for pool in self._pools.values():
            pool.stop()
        deadline = time.monotonic() + timeout
        ended = [pool.join(deadline) for pool in self._pools.values()]
        return all(ended)

    def _counted(self, lane: LaneName, task: LaneTask) -> LaneTask:
        def run() -> None:
            try:
                task()
            finally:
                self._ended(lane)

        return run

    def _ended(self, lane: LaneName) -> None:
        with self._changed:
            self._open[lane] -= 1
            if lane == "write":
                self._writes_ended += 1
                while self._waiting and self._waiting[0][0] <= self._writes_ended:
                    _, waiting_lane, task = self._waiting.popleft()
                    self._pools[waiting_lane].submit(task)
            self._changed.notify_all()
