"""What git is doing with a file of the working tree: merging, tracking it, or having just changed it.

A generated file that git also writes needs to know three things: whether a merge or rebase is under way (then the
file is left alone), whether a difference was made by hand or came with a commit, and whether the commits since a
remembered one only added to it.
"""

from __future__ import annotations

import hashlib
import os
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
    """How git sees the file or folder at `path`, which is relative to `folder`.

    The contents are compared here: `git status` would run the filters that a repository's configuration names.
    """
    head = (git_output(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]) or b"").decode().strip()
    if not git_output(folder, ["ls-files", "-z", "--", path]):
        return Tracked(head, tracked=False, clean=False)
    listed = git_output(folder, ["ls-tree", "-r", "-z", "HEAD", "--", path]) if head else b""
    committed = dict(_entry(line) for line in (listed or b"").split(b"\0") if line)
    there = {os.fsencode(file.relative_to(folder)): file for file in _files(folder / path)}
    clean = committed.keys() == there.keys() and all(
        _blob_id(file, len(committed[name])) == committed[name] for name, file in there.items()
    )
    return Tracked(head, tracked=True, clean=clean)


def _entry(line: bytes) -> tuple[bytes, str]:
    """Path and object id of one line of `git ls-tree`: `<mode> <type> <id>TAB<path>`."""
    left, _, name = line.partition(b"\t")
    return name, left.split()[2].decode()


def _files(place: Path) -> list[Path]:
    if place.is_dir():
        return [file for file in place.rglob("*") if file.is_file()]
    return [place] if place.is_file() else []


def _blob_id(file: Path, digits: int) -> str:
    """The id git would give the file's bytes (gitformat-pack: "blob", the size, NUL, the content)."""
    data = file.read_bytes()
    hasher = hashlib.sha256 if digits == 64 else hashlib.sha1
    return hasher(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def moved_forward(folder: Path, old: str, new: str) -> bool:
    """Whether commit `new` has `old` among its ancestors: a commit, a pull, a merge, but no step aside."""
    if old == new or not old:
        return True
    return git_output(folder, ["merge-base", "--is-ancestor", old, new]) is not None


def unmerged(folder: Path, path: str) -> bool:
    """Whether git's index holds a conflict for the file or folder at `path`."""
    return bool(git_output(folder, ["ls-files", "--unmerged", "-z", "--", path]))
