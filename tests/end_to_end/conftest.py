"""Real repositories for end-to-end tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.client.git import git

SOURCE = Path(__file__).resolve().parents[2] / "sidecar"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A committed repository whose sources are this project's own store: real files of a real size."""
    folder = tmp_path / "project"
    target = folder / "store"
    target.mkdir(parents=True)
    for path in (SOURCE / "store").glob("*.py"):
        (target / path.name).write_bytes(path.read_bytes())
    (folder / "README.md").write_text("# Project\n\nKeeps things.\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder
