"""A pool whose workers end between two rounds of work."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.files.workers.pool import WorkerProcesses
from sidecar.files.workers.worker import Batch


def batches(folder: Path) -> list[Batch]:
    (folder / "one.py").write_text("def first_one(): ...\n")
    return [Batch(str(folder), 100_000, [], ["one.py"])]


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_workers_that_have_ended_are_started_again(tmp_path: Path) -> None:
    work = batches(tmp_path)
    with WorkerProcesses(1, awaited=True) as pool:
        first = list(pool.run(work))
        pool._workers[0]._process.kill()
        pool._workers[0]._process.wait()
        assert list(pool.run(work)) == first
    assert [one.path for one in first[0]] == ["one.py"]


def test_a_worker_has_a_batch_only_in_its_turn(tmp_path: Path) -> None:
    held: list[str] = []

    @contextlib.contextmanager
    def turn() -> Iterator[None]:
        held.append("begun")
        yield
        held.append("ended")

    with WorkerProcesses(1, awaited=False, turn=turn) as pool:
        found = [one.path for result in pool.run(batches(tmp_path) * 3) for one in result]
    assert found == ["one.py"] * 3
    assert held == ["begun", "ended"] * 3
