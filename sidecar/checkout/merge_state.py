"""What git is doing with a file of the working tree: merging, tracking it, or having just changed it.

A generated file that git also writes needs to know three things: whether a merge or rebase is under way (then the
file is left alone), whether a difference was made by hand or came with a commit, and whether the commits since a
remembered one only added to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sidecar.checkout.git import git_output
from sidecar.checkout.repository import find_repository

_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}


class Tracked(NamedTuple):
    """How git sees some files. `head` is the commit checked out, "" for none or no repository.

    `tracked`: at least one of them is in git's index; `clean`: all of them are as in that commit.
    """

    head: str
    tracked: bool
    clean: bool


def under_way(folder: Path) -> str | None:
    """What git is in the middle of in the working tree that holds `folder`, such as "a merge"; None for nothing."""
    repository = find_repository(folder)
    if repository is None:
        return None
    return next((name for marker, name in _UNDER_WAY.items() if (repository.git_dir / marker).exists()), None)


def tracked(folder: Path, path: str) -> Tracked:
    """How git sees the file or folder at `path`, which is relative to `folder`."""
    head = (git_output(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]) or b"").decode().strip()
    listed = git_output(folder, ["ls-files", "-z", "--", path])
    if not listed:
        return Tracked(head, tracked=False, clean=False)
    changed = git_output(folder, ["status", "--porcelain", "-z", "--untracked-files=all", "--", path])
    return Tracked(head, tracked=True, clean=changed == b"")


def moved_forward(folder: Path, old: str, new: str) -> bool:
    """Whether commit `new` has `old` among its ancestors: a commit, a pull, a merge, but no step aside."""
    if old == new or not old:
        return True
    return git_output(folder, ["merge-base", "--is-ancestor", old, new]) is not None


def unmerged(folder: Path, path: str) -> bool:
    """Whether git's index holds a conflict for the file or folder at `path`."""
    return bool(git_output(folder, ["ls-files", "--unmerged", "-z", "--", path]))
