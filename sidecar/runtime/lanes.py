"""Lanes of threads for the engine's work, and the order in which tasks may start.

- `write` runs one task at a time, in the order submitted. It does not wait for reads; before a write removes what
  reads need, it calls `wait_for_earlier_reads`.
- `read`, `slow` and `background` tasks start only after the writes submitted before them have ended: a client that
  sends a write and a read at once sees the write. Because `slow` and `background` have threads of their own, a `read`
  finds a thread however many slow tasks there are.
- `changes` waits for earlier writes as well and is serial: reports about files are passed on in order.
- `now` waits for nothing.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, Final, Literal, NamedTuple, TypeVar

log = logging.getLogger(__name__)

LaneName = Literal["read", "write", "slow", "changes", "background", "now"]
LaneTask = Callable[[], None]

MAX_QUEUED: Final = 5_000
"""With more queued and running tasks than this, no more requests are read from a client."""

Item = TypeVar("Item")

THREADS: Final[dict[LaneName, int]] = {"write": 1, "read": 16, "slow": 4, "changes": 1, "background": 1, "now": 4}


class _Queued(NamedTuple):
    """A task; `items` holds one run's inputs, each of which counts. A plain task counts as one."""

    run: LaneTask
    items: list[Any]
    key: object = None


class Lanes:
    """The lanes of one connection; the tasks of a lane begin in the order in which they were submitted. Thread-safe.

    The threads are daemons, started on demand; unlike the threads of `concurrent.futures`, they never delay the exit.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._writes_submitted = 0
        self._writes_ended = 0
        self._waiting: deque[tuple[int, LaneName, _Queued]] = deque()
        self._queues: dict[LaneName, SimpleQueue[_Queued | None]] = {lane: SimpleQueue() for lane in THREADS}
        self._threads: dict[LaneName, list[threading.Thread]] = {lane: [] for lane in THREADS}
        self._open: dict[LaneName, int] = dict.fromkeys(THREADS, 0)  # tasks that have not ended
        self._last_write: _Queued | None = None  # until it begins
        self._stopping = False

    def submit(self, lane: LaneName, run: LaneTask) -> None:
        """Run a task in its lane, after the writes submitted before it.

        A task that raises is logged; after `stop` tasks are dropped.
        """
        self._submit(lane, _Queued(run, [run]))

    def _submit(self, lane: LaneName, task: _Queued) -> None:
        with self._changed:
            if self._stopping:
                return
            self._open[lane] += 1
            if lane == "write":
                self._last_write = task
                self._writes_submitted += 1
            elif self._writes_ended < self._writes_submitted and lane != "now":
                self._waiting.append((self._writes_submitted, lane, task))
                return
            self._queue(lane, task)

    def submit_joined(self, key: object, item: Item, work: Callable[[list[Item]], None], most: int) -> None:
        """Run `work` in the `write` lane, on this item and later items of the same key that arrive while it waits.

        A run takes at most `most` items. An item that comes after another write starts a new run.
        """
        with self._changed:
            last = self._last_write
            if last is not None and last.key == key and len(last.items) < most:
                last.items.append(item)
                self._open["write"] += 1
                return
            items = [item]
            self._submit("write", _Queued(partial(work, items), items, key))

    def queued(self) -> dict[LaneName, int]:
        """Return the number of unfinished tasks by lane."""
        with self._changed:
            return dict(self._open)

    def crowded(self) -> bool:
        """Return whether the limit of unfinished tasks has been reached."""
        return sum(self._open.values()) > MAX_QUEUED

    def wait_for_earlier_reads(self, timeout: float) -> bool:
        """Wait, in a task of the `write` lane, for the reads submitted before it; return whether all have ended."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._open["read"] == sum(lane == "read" for _, lane, _ in self._waiting), timeout
            )

    def drain(self, lanes: tuple[LaneName, ...], timeout: float) -> bool:
        """Wait up to `timeout` seconds until these lanes are empty; return whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: not any(self._open[lane] for lane in lanes), timeout)

    def stop(self, timeout: float) -> bool:
        """Start no more tasks, and wait up to `timeout` seconds for running ones; return whether all have ended."""
        with self._changed:
            self._stopping = True
            self._waiting.clear()
            threads = [(lane, thread) for lane in THREADS for thread in self._threads[lane]]
            for lane, _ in threads:
                self._queues[lane].put(None)
        deadline = time.monotonic() + timeout
        for _, thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for _, thread in threads)

    def _queue(self, lane: LaneName, task: _Queued) -> None:
        threads = self._threads[lane]
        if len(threads) < min(self._open[lane], THREADS[lane]):
            name = f"sidecar-{lane}-{len(threads)}"
            threads.append(threading.Thread(target=self._run, args=(lane,), name=name, daemon=True))
            threads[-1].start()
        self._queues[lane].put(task)

    def _run(self, lane: LaneName) -> None:
        while (task := self._queues[lane].get()) is not None and not self._stopping:
            with self._changed:
                if self._last_write is task:
                    self._last_write = None  # from now on it takes no more items
            try:
                task.run()
            except BaseException:
                log.exception("A task of lane %s failed.", lane)
            items = len(task.items)
            del task
            self._ended(lane, items)

    def _ended(self, lane: LaneName, items: int) -> None:
        with self._changed:
            self._open[lane] -= items
            if lane == "write":
                self._writes_ended += 1
                while not self._stopping and self._waiting and self._waiting[0][0] <= self._writes_ended:
                    _, waiting_lane, task = self._waiting.popleft()
                    self._queue(waiting_lane, task)
            self._changed.notify_all()
