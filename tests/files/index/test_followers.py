"""Keep in step with file memory: take in what changed and nothing else, even when work stops half way."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.checkout.tree import Tree
from sidecar.files.index import followers
from sidecar.files.index.followers import SourceFiles
from sidecar.files.pace import Pace
from sidecar.files.retrieval.source_index import Indexed, SourceIndex
from sidecar.files.workers.warm import warm
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.store.file_store import FileStore


class Noting(SourceIndex):
    """Notes the paths that it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.puts: list[str] = []

    def put(self, path: str, made: Indexed) -> None:
        super().put(path, made)
        self.puts.append(path)


def no_step(done: int, total: int) -> None:
    """Ignore the progress."""


@pytest.fixture
def parts(tmp_path: Path) -> tuple[Path, WorkspaceFiles, Noting, SourceFiles, Callable[[], None]]:
    root = tmp_path / "work"
    root.mkdir()
    for name in "abc":
        (root / f"{name}.py").write_text(f"{name.upper()} = 1\n")
    tree = Tree(root)
    files = WorkspaceFiles(FileStore.open(tmp_path / "store"), tree, "0" * 16)

    def read() -> None:
        warm(files, tree, files.survey.find(lambda: None), no_step)

    read()
    held = Noting()
    return root, files, held, SourceFiles(files, held, threading.RLock()), read


Parts = tuple[Path, WorkspaceFiles, Noting, SourceFiles, Callable[[], None]]


def test_only_what_changed_is_taken_in(parts: Parts) -> None:
    root, files, held, follower, read = parts
    follower.catch_up()
    assert held.puts == ["a.py", "b.py", "c.py"]
    assert not follower.is_behind()
    (root / "b.py").write_text("B = 2\n")
    (root / "d.py").write_text("D = 1\n")
    (root / "c.py").unlink()
    files.update(["b.py", "c.py", "d.py"])
    read()
    assert follower.is_behind()
    follower.catch_up()
    assert held.puts[3:] == ["b.py", "d.py"]
    assert sorted(follower.held) == sorted(held.keys) == ["a.py", "b.py", "d.py"]
    held.puts.clear()
    follower.catch_up()
    assert held.puts == []


def test_a_few_unread_changes_are_read_on_the_spot_and_many_are_left_out(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, files, held, follower, read = parts
    follower.catch_up()
    (root / "a.py").write_text("A = 2\n")
    files.update(["a.py"])
    follower.catch_up()
    assert held.puts[3:] == ["a.py"]
    assert follower.waiting == []
    monkeypatch.setattr(followers, "READ_NOW", 1)
    for name in "ab":
        (root / f"{name}.py").write_text(f"{name.upper()} = 3\n")
    files.update(["a.py", "b.py"])
    follower.catch_up()
    assert (sorted(held.keys), follower.waiting) == (["c.py"], ["a.py", "b.py"])
    read()
    follower.catch_up()
    assert (sorted(held.keys), follower.waiting) == (["a.py", "b.py", "c.py"], [])


def test_interrupted_indexing_resumes_where_it_ended(parts: Parts) -> None:
    _, _, held, follower, _ = parts

    class Stop(Exception):
        pass

    class Stopping(Pace):
        def rest(self) -> None:
            raise Stop

    with pytest.raises(Stop):
        follower.catch_up(Stopping())
    assert held.puts == ["a.py"]
    assert follower.is_behind()
    follower.catch_up()
    assert held.puts == ["a.py", "b.py", "c.py"]


def test_a_file_is_outdated_when_it_changed_and_not_when_its_time_was_set_back(parts: Parts) -> None:
    root, files, _, _, _ = parts
    assert files.changed_since_read(["a.py", "b.py"]) == []
    os.utime(root / "a.py", (1, 1))
    assert files.changed_since_read(["a.py"]) == ["a.py"]
    files.update(["a.py"])
    assert files.changed_since_read(["a.py"]) == []
    (root / "b.py").write_text("B = 2\n")
    assert files.changed_since_read(["a.py", "b.py", "none.py"]) == ["b.py", "none.py"]


def test_the_background_can_be_stopped_in_the_middle_of_a_file(tmp_path: Path) -> None:
    """Terms are found without the lock, so no request waits for them; work that was stopped is resumed."""
    root = tmp_path / "work"
    root.mkdir()
    (root / "long.py").write_text("".join(f"value_{number}_of_{number * 7} = 1\n" for number in range(2_000)))
    tree = Tree(root)
    files = WorkspaceFiles(FileStore.open(tmp_path / "store"), tree, "0" * 16)
    warm(files, tree, files.survey.find(lambda: None), no_step)
    lock, sources = threading.RLock(), SourceIndex()
    follower = SourceFiles(files, sources, lock)
    steps: list[bool] = []

    class Enough(Exception):
        """The background is to end."""

    def free() -> bool:
        if got := lock.acquire(blocking=False):
            lock.release()
        return got

    class Stopping(Pace):
        def give_way(self) -> None:
            asked: list[bool] = []
            other = threading.Thread(target=lambda: asked.append(free()))
            other.start()
            other.join()
            steps.extend(asked)
            if len(steps) == 10:
                raise Enough

    with pytest.raises(Enough):
        follower.catch_up(Stopping())
    assert all(steps)
    assert len(sources) == 0
    assert follower.is_behind()
    follower.catch_up()
    assert list(sources.index.scores({"value_7_of_49": 1.0})) == ["long.py"]
