"""Read ahead in steps: requests go first between them, and the work can stop after each."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidecar.checkout.tree import Tree
from sidecar.files.memory import FileMemory
from sidecar.files.workers.warm import BATCH, warm
from sidecar.runtime.errors import Cancelled
from sidecar.store.file_store import FileStore


class CountedSteps:
    """Notes each step, and ends the work at one of them."""

    def __init__(self, last: int | None = None) -> None:
        self.done: list[int] = []
        self._last = last

    def step(self, done: int, total: int) -> None:
        self.done.append(done)
        if done == self._last:
            raise Cancelled("enough")


@pytest.fixture
def files(tmp_path: Path) -> FileMemory:
    folder = tmp_path / "work"
    folder.mkdir()
    for number in range(10):
        (folder / f"f{number}.py").write_text(f"X = {number}\n")
    return FileMemory(FileStore.open(tmp_path / "store"), Tree(folder), "0" * 16)


def read(files: FileMemory, steps: CountedSteps, folder: Path) -> None:
    tree = Tree(folder)
    warm(files, tree, files.survey.find(lambda: None), steps.step)


def test_few_files_are_kept_in_one_step(files: FileMemory, tmp_path: Path) -> None:
    steps = CountedSteps()
    read(files, steps, tmp_path / "work")
    assert steps.done == [0, 4, 8, 10]
    assert len(files.current()) == 10


def test_results_before_a_cancelled_step_stay(files: FileMemory, tmp_path: Path) -> None:
    for number in range(10, BATCH + 5):
        (tmp_path / "work" / f"f{number}.py").write_text(f"X = {number}\n")
    with pytest.raises(Cancelled):
        read(files, CountedSteps(last=BATCH), tmp_path / "work")
    assert len(files.current()) == BATCH
    rest = CountedSteps()
    read(files, rest, tmp_path / "work")
    assert rest.done == [0, 4, 5]
    assert len(files.current()) == BATCH + 5
