"""A folder keeps its memory when it becomes a repository, and a repository in its place does not get it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.client.git import git
from tests.engine.conftest import MakeEngine
from tests.engine.test_memories import names, record

pytestmark = pytest.mark.process


@pytest.fixture
def folder(tmp_path: Path, make_engine: MakeEngine) -> Path:
    """Return a folder that was opened without git and has memory."""
    plain = tmp_path / "plain"
    plain.mkdir()
    engine = make_engine(plain)
    record(engine, "Ports start at 9000")
    record(engine, "I like short answers", type="user")
    engine.close()
    return plain


def commit(folder: Path, origin: str | None = None) -> None:
    (folder / "a.py").write_text("A = 1\n")
    git(folder, "init", "-q")
    git(folder, "add", "a.py")
    git(folder, "commit", "-qm", "first")
    if origin is not None:
        git(folder, "remote", "add", "origin", origin)


@pytest.mark.parametrize("origin", [None, "https://git.invalid/a/one.git"])
def test_memory_stays_and_is_shared_with_worktrees(folder: Path, origin: str | None, make_engine: MakeEngine) -> None:
    commit(folder, origin)
    engine = make_engine(folder)
    assert names(engine, "ports") == ["Ports start at 9000"]
    assert names(engine, "answers") == ["I like short answers"]
    git(folder, "worktree", "add", "-q", "../tree", "-b", "side")
    assert names(make_engine(folder.parent / "tree"), "ports") == ["Ports start at 9000"]
    git(folder.parent, "clone", "-q", str(folder), "clone")
    expected = [] if origin is None else ["Ports start at 9000"]
    git(folder.parent / "clone", "remote", "set-url", "origin", origin or str(folder))
    assert names(make_engine(folder.parent / "clone"), "ports")[:1] == expected


def test_a_clone_in_its_place_is_another(folder: Path, make_engine: MakeEngine, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    commit(other)
    shutil.rmtree(folder)
    git(tmp_path, "clone", "-q", str(other), str(folder))
    assert names(make_engine(folder), "ports") == []


def test_memory_of_a_folder_inside_stays_where_it_was(folder: Path, make_engine: MakeEngine) -> None:
    inner = folder / "inner"
    inner.mkdir()
    engine = make_engine(inner)
    record(engine, "Bees dance")
    engine.close()
    commit(folder)
    assert "Bees dance" not in names(make_engine(folder), "bees")
    assert names(make_engine(folder), "ports") == ["Ports start at 9000"]
