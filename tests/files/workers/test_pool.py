"""A pool whose workers end: between two rounds of work, over a file, and after too long."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from sidecar.files.workers import pool as pool_module
from sidecar.files.workers.pool import WorkerProcesses
from sidecar.files.workers.worker import Batch, Parsed


def batches(folder: Path) -> list[Batch]:
    (folder / "one.py").write_text("def first_one(): ...\n")
    return [Batch(str(folder), 100_000, [], ["one.py"])]


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_workers_that_have_ended_are_started_again(tmp_path: Path) -> None:
    work, others = batches(tmp_path), set(psutil.Process().children())
    with WorkerProcesses(1, awaited=True) as pool:
        first = list(pool.run(work))
        for worker in set(psutil.Process().children()) - others:
            worker.kill()
            worker.wait()
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


def test_files_that_end_their_workers_cost_only_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = pool_module.WorkerProcess.ask

    def ask(self: pool_module.WorkerProcess, batch: Batch) -> list[Parsed]:
        if any(path.startswith("bad") for path in batch.paths):
            self._process.kill()
        return real(self, batch)

    monkeypatch.setattr(pool_module.WorkerProcess, "ask", ask)
    monkeypatch.setattr(pool_module, "MAX_DEATHS", 2)
    for number in range(4):
        for name in ("bad", "good"):
            (tmp_path / f"{name}{number}.py").write_text("X = 1\n")
    work = [Batch(str(tmp_path), 100_000, [], [f"bad{number}.py", f"good{number}.py"]) for number in range(4)]
    with WorkerProcesses(1, awaited=True) as pool:
        found = {one.path: one.content is not None for result in pool.run(work) for one in result}
    assert found == {f"{name}{number}.py": name == "good" for number in range(4) for name in ("bad", "good")}


def test_a_worker_that_is_busy_for_too_long_ends() -> None:
    endless = "from sidecar.system.processes import limit\nlimit('CPU', 1)\nwhile True: pass"
    assert subprocess.run([sys.executable, "-P", "-c", endless]).returncode == -signal.SIGXCPU
