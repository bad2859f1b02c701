"""Whether a person or git changed a file, decided while git is at work."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidecar.checkout.hand_edits import GitBusy, git_trace, hand_edited_paths
from tests.client.git import git


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "page.md").write_text("A page.\n")
    return tmp_path


def test_a_page_that_git_took_after_the_look_at_its_state_is_not_removed_by_hand(folder: Path) -> None:
    before = git_trace(folder, "page.md")
    git(folder, "add", "page.md")
    git(folder, "commit", "-qm", "one")
    (folder / "page.md").unlink()  # as a checkout does before it moves HEAD
    with pytest.raises(GitBusy):
        hand_edited_paths(folder, before, before, {"page.md": None})


def test_a_page_that_git_never_had_is_removed_by_hand(folder: Path) -> None:
    before = git_trace(folder, "page.md")
    (folder / "page.md").unlink()
    assert hand_edited_paths(folder, before, before, {"page.md": None}) == {"page.md"}
