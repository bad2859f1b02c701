"""Warm-up: the files of a workspace read and parsed ahead of the first question, in worker processes."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from sidecar.checkout.tree import Tree
from sidecar.files.memory import FileMemory, Learned
from sidecar.files.worker import Batch, Parsed, parse, receive, send

log = logging.getLogger(__name__)

BATCH = 32
"""Files per message to a worker: large enough to amortise the round trip, small enough to cancel quickly."""

DEATHS = 20
"""Workers that may die in one warm-up before it is given up."""

INLINE = 48
"""Up to this many files are parsed on the spot: starting a worker process costs about as much."""


class Steps(Protocol):
    """What warm-up reports to; `step` raises `Cancelled` when it should stop."""

    def step(self, done: int, total: int) -> None:
        """`done` of `total` files are read."""


def worker_count(asked: int | None) -> int:
    """Processes to use: what was asked for, else half the processors, at least one and at most four."""
    return asked if asked else min(4, max(1, (os.cpu_count() or 2) // 2))


def warm(
    memory: FileMemory,
    tree: Tree,
    paths: Sequence[str],
    steps: Steps,
    *,
    workers: int | None = None,
    awaited: bool = False,
    max_file_bytes: int,
    ignore: Sequence[str] = (),
) -> int:
    """Read and parse `paths`, keep the results, and answer how many files are now known.

    `awaited`: somebody waits for it, so that the workers do not stand back behind everything else.
    Raises `Cancelled` when `steps` says so; what was parsed until then is kept. Raises OSError when every worker
    stopped before the files were read.
    """
    batches = [
        Batch(str(tree.root), max_file_bytes, list(ignore), list(paths[at : at + BATCH]))
        for at in range(0, len(paths), BATCH)
    ]
    count = 1 if len(paths) <= INLINE else min(worker_count(workers), len(batches))
    results = _inline(batches) if len(paths) <= INLINE else _spread(batches, count, awaited)
    done = learned = 0
    steps.step(0, len(paths))
    try:
        for parsed in results:
            memory.learn([Learned(p.path, p.size, p.mtime_ns, p.content) for p in parsed if p.size >= 0])
            learned += sum(p.content is not None for p in parsed)
            done += len(parsed)
            steps.step(done, len(paths))
    finally:
        results.close()
    if done < len(paths):
        raise OSError(f"the warm-up workers stopped after {done} of {len(paths)} files")
    return learned


def _inline(batches: Sequence[Batch]) -> _Results:
    yield from map(parse, batches)


def _spread(batches: Sequence[Batch], count: int, awaited: bool) -> _Results:
    """Results of the batches as worker processes deliver them; closing the generator ends the workers."""
    queue = _Queue(batches)
    workers = [_Worker(awaited) for _ in range(count)]
    threads = [
        threading.Thread(target=queue.serve, args=(worker,), name=f"warm-up worker {n}", daemon=True)
        for n, worker in enumerate(workers)
    ]
    try:
        for thread in threads:
            thread.start()
        running = count
        while running:
            for result in queue.ready():
                if result is None:
                    running -= 1
                else:
                    yield result
    finally:
        for worker in workers:
            worker.close()


_Results = Generator[list[Parsed], None, None]


class _Queue:
    """Batches still to be parsed, and results not yet taken.

    A batch whose worker died is tried again file by file, so that the file that killed it costs only itself.
    """

    def __init__(self, batches: Sequence[Batch]) -> None:
        self._todo = deque(batches)
        self._done: list[list[Parsed] | None] = []
        self._deaths = 0
        self._changed = threading.Condition()

    def ready(self) -> list[list[Parsed] | None]:
        """Wait for results; None stands for a worker that has nothing left to do."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._done))
            results, self._done = self._done, []
            return results

    def serve(self, worker: _Worker) -> None:
        """Have one worker parse batches until none is left, starting it anew when it dies."""
        try:
            while (batch := self._next()) is not None:
                try:
                    self._put(worker.ask(batch))
                except (OSError, msgspec.MsgspecError) as error:
                    if not self._may_go_on() or not worker.restart():
                        return
                    log.warning("a warm-up worker died and was started again: %s", error)
                    self._give_back(batch)
        finally:
            self._put(None)

    def _may_go_on(self) -> bool:
        """Whether workers die now and then, and not for a reason that would kill each of them."""
        with self._changed:
            self._deaths += 1
            return self._deaths <= DEATHS

    def _next(self) -> Batch | None:
        with self._changed:
            return self._todo.popleft() if self._todo else None

    def _put(self, result: list[Parsed] | None) -> None:
        with self._changed:
            self._done.append(result)
            self._changed.notify()

    def _give_back(self, batch: Batch) -> None:
        if len(batch.paths) == 1:
            self._put([Parsed(batch.paths[0], -1, 0, None)])
            return
        with self._changed:
            self._todo.extend(msgspec.structs.replace(batch, paths=[path]) for path in batch.paths)


class _Worker:
    """One worker process. Its stdin closing, for whatever reason, ends it."""

    def __init__(self, awaited: bool) -> None:
        self._arguments = ["--awaited"] if awaited else []
        self._decoder = msgspec.msgpack.Decoder(list[Parsed])
        self._lock = threading.Lock()
        self._closed = False
        self._process = self._spawn()

    def restart(self) -> bool:
        """Replace a process that died; False when this worker was closed meanwhile."""
        with self._lock:
            if self._closed:
                return False
            self._end()
            self._process = self._spawn()
            return True

    def _spawn(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            # -P: nothing is imported from the workspace, whose files are not ours to trust
            [sys.executable, "-P", "-m", "sidecar.files.worker", *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )

    def ask(self, batch: Batch) -> list[Parsed]:
        """Have one batch parsed. Raises OSError when the process is gone."""
        if self._process.stdin is None or self._process.stdout is None:
            raise OSError("the worker has no pipes")
        send(self._process.stdin, batch)
        body = receive(self._process.stdout)
        if body is None:
            raise OSError("the worker ended in the middle of a batch")
        return self._decoder.decode(body)

    def close(self) -> None:
        """End the process and wait for it; it holds nothing that could be lost."""
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


def _environment() -> dict[str, str]:
    """This process's environment, with this very package importable whatever the current folder is."""
    home = str(Path(__file__).resolve().parents[2])
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
