"""Git as the tests run it: as somebody who is not the user of this machine, on a branch named `main`."""

from __future__ import annotations

import subprocess
from pathlib import Path

_SETTINGS = (
    "-c user.name=T -c user.email=t@example.invalid -c init.defaultBranch=main"
    " -c maintenance.auto=false"  # without which each commit starts another process
).split()


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder and return what it prints. Raises CalledProcessError."""
    return subprocess.run(
        ["git", *_SETTINGS, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout
