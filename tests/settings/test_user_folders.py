"""Where our folders are on Linux, by the environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sidecar.settings.user_folders import FolderKind, user_folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")


@pytest.mark.parametrize(
    ("kind", "variable", "usual", "given"),
    [
        ("data", "XDG_DATA_HOME", ".local/share/memory-sidecar", "memory-sidecar"),
        ("config", "XDG_CONFIG_HOME", ".config/memory-sidecar", "memory-sidecar"),
        ("log", "XDG_STATE_HOME", ".local/state/memory-sidecar/log", "memory-sidecar/log"),
    ],
)
def test_the_folders_are_those_of_the_xdg_specification(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: FolderKind, variable: str, usual: str, given: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for empty in (None, ""):
        if empty is None:
            monkeypatch.delenv(variable, raising=False)
        else:
            monkeypatch.setenv(variable, empty)
        assert user_folder(kind) == tmp_path / usual
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert user_folder(kind) == tmp_path / "elsewhere" / given
