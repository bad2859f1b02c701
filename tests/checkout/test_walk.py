"""A walk yields the files of a workspace that are worth remembering, in order."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from sidecar.checkout.tree import Tree


def test_a_walk_is_sorted_and_complete(root: Path) -> None:
    wanted = ["a-b/x.py", "a.py", "a/b.py", "a/b/c.py", "a0.py", "b.py"]
    wanted.remove("a/b.py")
    for path in wanted:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("1")
    found = list(Tree(root).walk())
    paths = [file.path for file in found]
    assert paths == sorted(paths)
    assert set(wanted) <= set(paths)
    tree = Tree(root)
    assert found == [tree.stat(path) for path in paths]


def test_walk_leaves_out_large_binary_and_special_files(root: Path) -> None:
    (root / "large.py").write_text("x" * 2000)
    (root / "image.PNG").write_text("x")
    os.mkfifo(root / "pipe.py")
    (root / "loop").symlink_to(root)
    os.mkdir(os.fsencode(root) + b"/bad\xff")
    with open(os.fsencode(root) + b"/bad\xff/x.py", "w") as file:
        file.write("1")
    assert {file.path for file in Tree(root, max_file_bytes=1000).walk()} == {"src/a.py", "with space ü#?%.py"}


def test_a_walk_can_be_stopped(root: Path) -> None:
    class Stop(Exception):
        pass

    def check() -> None:
        raise Stop

    with pytest.raises(Stop):
        list(Tree(root).walk(check=check))


def test_a_walk_of_a_missing_folder_yields_nothing(tmp_path: Path) -> None:
    assert list(Tree(tmp_path / "missing").walk()) == []


def test_a_deep_tree_is_walked(tmp_path: Path) -> None:
    folder = tmp_path / ("d/" * 500)
    folder.mkdir(parents=True)
    (folder / "x.py").write_text("1")
    assert [file.path for file in Tree(tmp_path).walk()] == ["d/" * 500 + "x.py"]


def test_a_folder_that_cannot_be_listed_is_logged(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = os.scandir

    def refuse(path: str | int) -> object:
        if str(path).endswith("/src"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with caplog.at_level(logging.INFO):
        assert {file.path for file in Tree(root).walk()} == {"with space ü#?%.py"}
    assert "src" in caplog.text
