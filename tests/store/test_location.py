"""The data folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.location import data_home, make_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_default_is_the_platforms_and_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    before = os.umask(0)
    try:
        home = data_home()
        assert (home.name, mode(home), mode(home.parent)) == ("memory-sidecar", 0o700, 0o700)
        home.chmod(0o755)
        assert data_home() == home
        assert mode(home) == 0o700
    finally:
        os.umask(before)


def test_a_folder_of_the_users_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    made = data_home(Path("~/a/b"))
    assert made == tmp_path / "a" / "b"
    assert (mode(made), mode(made.parent)) == (0o700, 0o700)
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    theirs.chmod(0o755)
    assert data_home(theirs) == theirs
    assert mode(theirs) == 0o755


def test_a_relative_folder_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert data_home(Path("x/../y")) == tmp_path / "y"


@pytest.mark.parametrize("below", ["", "sub", "sub/deeper"])
def test_a_file_in_the_way(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("kept")
    with pytest.raises(StoreUnavailable) as raised:
        make_private(tmp_path / "file" / below)
    assert raised.value.data.hint
    assert (tmp_path / "file").read_text() == "kept"


def test_a_dangling_link_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(StoreUnavailable):
        make_private(tmp_path / "link" / "store")
