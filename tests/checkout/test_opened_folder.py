"""Another workspace in a folder's place is noticed; one that only moved, went or came back is not."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sidecar.checkout.identity import OpenedFolder, identify, record_identity


def repository(place: Path, origin: str | None) -> Path:
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    if origin is not None:
        subprocess.run(["git", "-C", str(place), "remote", "add", "origin", origin], check=True)
    return place


def test_another_repository_in_a_folder_s_place_is_noticed(tmp_path: Path) -> None:
    folder = repository(tmp_path / "work", "https://git.invalid/a/one.git")
    standing = OpenedFolder(identify(folder, None), None)
    assert not standing.is_replaced()
    folder.rename(tmp_path / "away")
    assert not standing.is_replaced()
    assert standing.is_gone
    repository(folder, "https://git.invalid/a/two.git")
    assert standing.is_replaced()
    assert not standing.is_gone


def test_a_second_repository_in_the_same_folder_is_noticed(tmp_path: Path) -> None:
    folder = repository(tmp_path / "work", None)
    inner = folder / "inner"
    inner.mkdir()
    standings = [OpenedFolder(identify(folder, None), None), OpenedFolder(identify(inner, None), None)]
    (folder / ".git").rename(tmp_path / "git")
    repository(folder, "https://git.invalid/a/two.git")
    assert [one.is_replaced() for one in standings] == [True, True]


def test_the_same_repository_opened_again_counts_as_the_same(tmp_path: Path) -> None:
    origin = "https://git.invalid/a/one.git"
    folder, home = repository(tmp_path / "work", origin), tmp_path / "data"
    subprocess.run(["git", "-C", str(folder), "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    shutil.copytree(folder, tmp_path / "again")
    home.mkdir()
    found = identify(folder, home)
    record_identity(found, home)
    standing = OpenedFolder(found, home)
    shutil.rmtree(folder)
    assert not standing.is_replaced()
    (tmp_path / "again").rename(folder)
    assert not standing.is_replaced()
    shutil.rmtree(folder)
    repository(folder, origin)
    assert standing.is_replaced()


@pytest.mark.parametrize("override", [None, "mine"])
def test_a_folder_without_memory_that_becomes_a_repository_is_the_same_until_it_is_opened_again(
    tmp_path: Path, override: str | None
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    standing = OpenedFolder(identify(folder, None, override), None)
    repository(folder, None)
    assert not standing.is_replaced()
