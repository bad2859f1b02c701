"""A pool of worker processes, which restarts workers that die."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO

import msgspec

from sidecar.files.workers.worker import Batch, Parsed, decode_parsed, receive, send

log = logging.getLogger(__name__)

MAX_DEATHS = 20  # deaths of workers in a row, after which the batches are given up
Results = Generator[list[Parsed], None, None]
Turn = Callable[[], AbstractContextManager[None]]


def worker_count(configured: int | None) -> int:
    """Return the configured number of processes, else half the processors, between one and four."""
    return configured if configured else min(4, max(1, (os.cpu_count() or 2) // 2))


class WorkerProcesses:
    """Up to `count` worker processes, started when there is work and kept until `close`. Used by one thread.

    With `awaited`, the workers run at normal priority. `turn` is held while a worker has a batch.
    """

    def __init__(self, count: int, *, awaited: bool, turn: Turn = nullcontext) -> None:
        self._count = count
        self._turn = turn
        self.awaited = awaited
        self._workers: list[WorkerProcess] = []

    def __enter__(self) -> WorkerProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, batches: Sequence[Batch]) -> Results:
        """Yield results as workers deliver them; fewer than batches if every worker died.

        Closing the generator early ends the workers.
        """
        queue = _Queue(batches, self._turn)
        for worker in [worker for worker in self._workers if worker.has_ended()]:
            self._workers.remove(worker)  # the worker ended between rounds, so no file of this round killed it
            worker.close()
        while len(self._workers) < min(self._count, len(batches)):
            self._workers.append(WorkerProcess(self.awaited))
        threads = [
            threading.Thread(target=queue.serve, args=(worker,), name=f"worker {number}", daemon=True)
            for number, worker in enumerate(self._workers)
        ]
        running = len(threads)
        try:
            for thread in threads:
                thread.start()
            while running:
                result = queue.done.get()
                if result is None:
                    running -= 1
                else:
                    yield result
        finally:
            if running:
                self.close()

    def close(self) -> None:
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.close()


class _Queue:
    """Batches to parse, and their results. If a worker dies, its batch is tried again file by file."""

    def __init__(self, batches: Sequence[Batch], turn: Turn) -> None:
        self._turn = turn
        self._todo = deque(batches)
        self._deaths = 0  # since a batch was last done
        self.done: SimpleQueue[list[Parsed] | None] = SimpleQueue()  # None stands for a worker without work

    def serve(self, worker: WorkerProcess) -> None:
        """Give batches to one worker until none is left; restart the worker if it dies."""
        try:
            while (batch := self._next()) is not None:
                try:
                    with self._turn():
                        parsed = worker.ask(batch)
                    self._deaths = 0
                    self.done.put(parsed)
                except (OSError, ValueError, msgspec.MsgspecError) as error:  # ValueError: its pipes are closed
                    self._deaths += 1
                    if self._deaths > MAX_DEATHS or not worker.restart():
                        return
                    log.warning("A worker process died and was restarted: %s", error)
                    if len(batch.paths) == 1:
                        self.done.put([Parsed(batch.paths[0], -1, 0)])
                    else:
                        self._todo.extendleft(msgspec.structs.replace(batch, paths=[path]) for path in batch.paths)
        except OSError as error:
            log.error("A worker process cannot be restarted: %s", error)
        finally:
            self.done.put(None)

    def _next(self) -> Batch | None:
        with suppress(IndexError):
            return self._todo.popleft()
        return None


class WorkerProcess:
    """A worker process, which ends when its stdin closes."""

    def __init__(self, awaited: bool) -> None:
        self._arguments = ["--awaited"] if awaited else []
        self._lock = threading.Lock()
        self._closed = False
        self._process = self._spawn()

    def restart(self) -> bool:
        """Replace a process that died. Return False if the worker was closed meanwhile."""
        with self._lock:
            if self._closed:
                return False
            self._end()
            self._process = self._spawn()
            return True

    def _spawn(self) -> subprocess.Popen[bytes]:
        return spawn("sidecar.files.workers.worker", *self._arguments)

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def ask(self, batch: Batch) -> list[Parsed]:
        """Let the worker parse one batch. Raises `OSError` if the process is gone."""
        if self._process.stdin is None or self._process.stdout is None:
            raise OSError("the worker has no pipes")
        send(self._process.stdin, batch)
        body = receive(self._process.stdout)
        if body is None:
            raise OSError("the worker ended in the middle of a batch")
        return decode_parsed(body)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._end()

    def _end(self) -> None:
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()


def spawn(module: str, *arguments: str, stdout: int | IO[bytes] = subprocess.PIPE) -> subprocess.Popen[bytes]:
    home = str(Path(__file__).resolve().parents[3])
    return subprocess.Popen(
        # -P: import nothing from the workspace, whose files are not ours to trust
        [sys.executable, "-P", "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])},
    )
