"""Warm-up: the files of a workspace read and parsed ahead of the first question, in worker processes."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from sidecar.checkout.tree import Tree
from sidecar.errors import SidecarError
from sidecar.files.memory import FileMemory, Learned
from sidecar.files.worker import Batch, Parsed, parse, receive, send

log = logging.getLogger(__name__)

BATCH = 32
"""Files per message to a worker: large enough to amortise the round trip, small enough to cancel quickly."""

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
    max_file_bytes: int,
    ignore: Sequence[str] = (),
) -> int:
    """Read and parse `paths`, keep the results, and answer how many files are now known.

    Raises `Cancelled` when `steps` says so; what was parsed until then is kept. Raises OSError when every worker
    stopped before the files were read.
    """
    batches = [
        Batch(str(tree.root), max_file_bytes, list(ignore), list(paths[at : at + BATCH]))
        for at in range(0, len(paths), BATCH)
    ]
    count = 1 if len(paths) <= INLINE else min(worker_count(workers), len(batches))
    results = _inline(batches) if len(paths) <= INLINE else _spread(batches, count)
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


def _spread(batches: Sequence[Batch], count: int) -> _Results:
    """Results of the batches as worker processes deliver them; closing the generator ends the workers."""
    todo = iter(batches)
    lock = threading.Lock()
    ready: list[list[Parsed] | None] = []
    signal = threading.Condition()
    workers = [_Worker() for _ in range(count)]

    def run(worker: _Worker) -> None:
        try:
            while True:
                with lock:
                    batch = next(todo, None)
                if batch is None:
                    return
                result = worker.ask(batch)
                with signal:
                    ready.append(result)
                    signal.notify()
        except (OSError, msgspec.MsgspecError, SidecarError) as error:
            log.warning("a warm-up worker stopped: %s", error)
        finally:
            with signal:
                ready.append(None)
                signal.notify()

    threads = [
        threading.Thread(target=run, args=(w,), name=f"warm-up worker {n}", daemon=True)
        for n, w in enumerate(workers)
    ]
    try:
        for thread in threads:
            thread.start()
        running = count
        while running:
            with signal:
                signal.wait_for(lambda: bool(ready))
                results, ready[:] = list(ready), []
            for result in results:
                if result is None:
                    running -= 1
                else:
                    yield result
    finally:
        for worker in workers:
            worker.close()


_Results = Generator[list[Parsed], None, None]


class _Worker:
    """One worker process. Its stdin closing, for whatever reason, ends it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            # -P: nothing is imported from the workspace, whose files are not ours to trust
            [sys.executable, "-P", "-m", "sidecar.files.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        self._decoder = msgspec.msgpack.Decoder(list[Parsed])

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
