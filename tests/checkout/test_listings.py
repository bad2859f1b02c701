"""A walk that trusts earlier listings finds what a walk without them finds, whatever happened between."""

from __future__ import annotations

import os
import random
import shutil
import sys
import time
from pathlib import Path

import msgspec
import pytest

from sidecar.checkout import walk as module
from sidecar.checkout.snapshot import FolderSnapshot
from sidecar.checkout.tree import Tree
from sidecar.checkout.walk import Listings

TICK = 0.02
"""Longer than a tick of the clock that stamps folders."""


def check() -> None:
    pass


def found(tree: Tree, listings: Listings | None) -> tuple[dict[str, int], set[str], int]:
    """Return files, folders, and the number of folders listed."""
    snapshot = FolderSnapshot(tree)
    if listings is not None:
        snapshot.listings.load(listings.pack())
    snapshot.rescan(check=check, trusting=listings is not None)
    return snapshot.files, snapshot.folders, snapshot.listings.renewed


@pytest.fixture(params=[1, 1_000], ids=["another process", "this process"])
def settled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let another process or this one look at the files."""
    monkeypatch.setattr(module, "SETTLED_NS", 0)
    monkeypatch.setattr(module, "MANY_FOLDERS", request.param)


@pytest.fixture
def walked(tmp_path: Path, settled: None) -> tuple[Path, Tree, Listings]:
    for name in (
        "a/b/c.py",
        "a/d.py",
        "e/f/g.py",
        "e/f.txt",
        "e-h.py",
        "i/.gitignore",
        "i/j.log",
        "i/k/l.log",
        ".git/HEAD",
    ):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("*.tmp\n" if place.name == ".gitignore" else "ref: refs/heads/main\n")
    time.sleep(TICK)
    tree = Tree(tmp_path)
    snapshot = FolderSnapshot(tree)
    snapshot.rescan(check=check)
    time.sleep(TICK)
    return tmp_path, tree, snapshot.listings


def test_unchanged_folders_are_not_listed_again(walked: tuple[Path, Tree, Listings]) -> None:
    _, tree, listings = walked
    files, folders, listed = found(tree, listings)
    assert (files, folders) == found(tree, None)[:2]
    assert "i/k/l.log" in files
    assert listed == 0


def test_a_file_edited_in_place_has_another_mark(walked: tuple[Path, Tree, Listings]) -> None:
    root, tree, listings = walked
    before = found(tree, None)[0]["a/b/c.py"]
    (root / "a/b/c.py").write_text("other text")
    assert found(tree, listings)[0]["a/b/c.py"] != before


def test_rules_edited_in_place_count_below_their_folder(walked: tuple[Path, Tree, Listings]) -> None:
    root, tree, listings = walked
    with (root / "i/.gitignore").open("a") as file:
        file.write("*.log\n")
    assert {path for path in found(tree, listings)[0] if path.startswith("i/")} == {"i/.gitignore"}


def test_rules_of_the_user_count(walked: tuple[Path, Tree, Listings]) -> None:
    root, _, listings = walked
    other = Tree(root, extra_ignores=["*.log"])
    assert found(other, listings)[:2] == found(other, None)[:2]
    assert "i/j.log" not in found(other, listings)[0]


def test_a_folder_that_becomes_a_repository_is_left_alone(walked: tuple[Path, Tree, Listings]) -> None:
    root, tree, listings = walked
    (root / "e/f/.git").mkdir()
    time.sleep(TICK)
    snapshot = FolderSnapshot(tree)
    snapshot.rescan(check=check)  # not yet a repository: its listing must not be trusted
    (root / "e/f/.git/HEAD").write_text("ref: refs/heads/main\n")
    (root / "e/f/.git/objects").mkdir()
    (root / "e/f/.git/refs").mkdir()
    assert found(tree, snapshot.listings)[:2] == found(tree, None)[:2]
    assert found(tree, listings)[:2] == found(tree, None)[:2]


def test_a_folder_changed_a_moment_ago_is_listed_again(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a")
    tree = Tree(tmp_path)
    snapshot = FolderSnapshot(tree)
    snapshot.rescan(check=check)
    (tmp_path / "b.py").write_text("b")  # perhaps in the same tick
    assert "b.py" in found(tree, snapshot.listings)[0]


def test_files_are_looked_at_here_if_no_process_can(
    walked: tuple[Path, Tree, Listings], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, tree, listings = walked
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert found(tree, listings)[:2] == found(tree, None)[:2]


def test_listings_of_an_earlier_version_count_as_none(walked: tuple[Path, Tree, Listings]) -> None:
    _, tree, listings = walked
    listings.load(msgspec.msgpack.encode({"": ((1, 2, 3), 4, False, "a/\0e/\0e-h.py")}))
    assert found(tree, listings)[:2] == found(tree, None)[:2]
    assert found(tree, listings)[2] > 0


def test_damaged_listings_count_as_none(walked: tuple[Path, Tree, Listings]) -> None:
    _, tree, listings = walked
    listings.load(listings.pack()[:-3])
    assert found(tree, listings)[:2] == found(tree, None)[:2]


@pytest.mark.parametrize("seed", range(6))
def test_random_changes_are_all_found(walked: tuple[Path, Tree, Listings], seed: int) -> None:
    root, tree, listings = walked
    chance = random.Random(seed)
    for step in range(12):
        folders = [root, *(path for path in root.rglob("*") if path.is_dir() and ".git" not in path.parts)]
        files = [path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts]
        folder, file = chance.choice(folders), chance.choice(files)
        match chance.randrange(7):
            case 0:
                (folder / f"new{step}.py").write_text("new")
            case 1:
                (folder / f"folder{step}").mkdir()
                (folder / f"folder{step}" / "x.py").write_text("x")
            case 2:
                file.unlink()
            case 3:
                os.replace(file, folder / f"moved{step}.log")
            case 4:
                (folder / ".gitignore").write_text(chance.choice(["*.py\n", "*.log\n", "!*.py\n", "/x.py\n", ""]))
            case 5 if folder != root:
                shutil.rmtree(folder)
                folder.write_text("a file in place of a folder")
            case _:
                file.write_text(f"edited {step}")
        if not any(path.is_file() and ".git" not in path.parts for path in root.rglob("*")):
            (root / "last.py").write_text("last")
        time.sleep(TICK)
        snapshot = FolderSnapshot(tree)
        snapshot.listings.load(listings.pack())
        snapshot.rescan(check=check, trusting=True)
        assert (snapshot.files, snapshot.folders) == found(tree, None)[:2]
        listings = snapshot.listings
        time.sleep(TICK)
