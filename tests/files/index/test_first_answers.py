"""A new large checkout answers from its important files while its first walk is still under way."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest

from sidecar.files import importance
from sidecar.files.index import code_index
from tests.files.index.test_cut_short import opened

COUNT = 40


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(importance, "FILES_READ_FIRST", 4)
    root = tmp_path / "work"
    for number in range(COUNT):
        place = root / ("" if number < 4 else "deep/er") / f"part{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"def build_part_{number}() -> None: ...\n")
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


def test_the_first_map_does_not_wait_for_the_first_walk(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_index, "MAP_SECONDS", 1.0)
    _, files, code = opened(root)
    walking, drawn = threading.Event(), threading.Event()

    def check() -> None:
        walking.set()
        assert drawn.wait(30)

    walk = threading.Thread(target=files.snapshot.all_files, args=(check,))
    walk.start()
    assert walking.wait(30)
    try:
        assert set(code.draw_map(1024).files) == {f"part{number}.py" for number in range(4)}
        assert code.unscanned() == COUNT - 4
        assert not files.snapshot.files
    finally:
        drawn.set()
        walk.join()
    assert len(code.draw_map(1024).files) > 4
    assert not code.unscanned()
