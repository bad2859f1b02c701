"""Read ahead in steps: requests go first between them, and the work can stop after each."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidecar.checkout.tree import Tree
from sidecar.files.workers.warm import FILES_PER_MESSAGE, warm
from sidecar.files.workspace_files import WorkspaceFiles
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
def files(tmp_path: Path) -> WorkspaceFiles:
    folder = tmp_path / "work"
    folder.mkdir()
    for number in range(10):
        (folder / f"f{number}.py").write_text(f"X = {number}\n")
    return WorkspaceFiles(FileStore.open(tmp_path / "store"), Tree(folder), "0" * 16)


def read(files: WorkspaceFiles, steps: CountedSteps, folder: Path) -> None:
    tree = Tree(folder)
    warm(files, tree, files.survey.find(lambda: None), steps.step)


def test_few_files_are_kept_in_one_step(files: WorkspaceFiles, tmp_path: Path) -> None:
    steps = CountedSteps()
    read(files, steps, tmp_path / "work")
    assert steps.done == [0, 4, 8, 10]
    assert len(files.pointers.current()) == 10


def test_results_before_a_cancelled_step_stay(files: WorkspaceFiles, tmp_path: Path) -> None:
    for number in range(10, FILES_PER_MESSAGE + 5):
        (tmp_path / "work" / f"f{number}.py").write_text(f"X = {number}\n")
    with pytest.raises(Cancelled):
        read(files, CountedSteps(last=FILES_PER_MESSAGE), tmp_path / "work")
    assert len(files.pointers.current()) == FILES_PER_MESSAGE
    rest = CountedSteps()
    read(files, rest, tmp_path / "work")
    assert rest.done == [0, 4, 5]
    assert len(files.pointers.current()) == FILES_PER_MESSAGE + 5
