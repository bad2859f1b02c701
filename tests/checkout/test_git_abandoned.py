"""The git directory of a run whose process was killed is removed later, and nothing that it links to."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from sidecar.checkout.git import remove_abandoned


def test_only_what_killed_processes_left_long_ago_is_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects" / "pack").write_text("kept")
    hours_ago = time.time() - 7_200

    def left(name: str, *, old: bool) -> Path:
        made = tmp_path / f"memory-sidecar-git-{name}"
        made.mkdir()
        (made / "objects").symlink_to(tmp_path / "objects")
        if old:
            os.utime(made, (hours_ago, hours_ago))
        return made

    gone = [left(f"{ended.pid}-a", old=True), left("of_an_older_version", old=True)]
    stays = [left(f"{ended.pid}-b", old=False), left(f"{os.getpid()}-c", old=True)]
    remove_abandoned(tmp_path)
    assert not any(path.exists() for path in gone)
    assert all(path.exists() for path in stays)
    assert (tmp_path / "objects" / "pack").read_text() == "kept"
