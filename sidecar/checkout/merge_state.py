"""What git is doing with a file of the working tree: merging, tracking it, or having just changed it.

A generated file that git also writes needs to know three things: whether a merge or rebase is under way (then the
file is left alone), whether a difference was made by hand or came with a commit, and whether what it said before is
in the history of what it says now.
"""

from __future__ import annotations

import hashlib
import os
import time
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


_LEFT_BEHIND_SECONDS = 600.0
"""A lock of the index that is older was left by a git that died."""


class Tracked(NamedTuple):
    """How git sees some files. `tracked`: one of them at least is in git's index; `clean`: all are as committed."""

    tracked: bool
    clean: bool


def under_way(folder: Path) -> str | None:
    """What git is in the middle of in the working tree that holds `folder`, such as "a merge"; None for nothing."""
    repository = find_repository(folder)
    if repository is None:
        return None
    found = next(
        (name for marker, name in _UNDER_WAY.items() if (repository.git_dir / marker).exists()), None
    )
    return "a command" if found is None and _index_is_locked(repository.git_dir) else found


def _index_is_locked(git_dir: Path) -> bool:
    """Whether a git command is writing the index, and so perhaps the working tree."""
    try:
        made = (git_dir / "index.lock").stat().st_mtime
    except OSError:
        return False
    return time.time() - made < _LEFT_BEHIND_SECONDS


def tracked(folder: Path, path: str) -> Tracked:
    """How git sees the file or folder at `path`, which is relative to `folder`.

    The contents are compared here: `git status` would run the filters that a repository's configuration names.
    """
    if find_repository(folder) is None:
        return Tracked(tracked=False, clean=False)
    if not git_output(folder, ["ls-files", "-z", "--", path]):
        return Tracked(tracked=False, clean=False)
    listed = git_output(folder, ["ls-tree", "-r", "-z", "HEAD", "--", path])
    committed = dict(_entry(line) for line in (listed or b"").split(b"\0") if line)
    there = {os.fsencode(file.relative_to(folder)): file for file in _files(folder / path)}
    clean = committed.keys() == there.keys() and all(
        _blob_id(file.read_bytes(), len(committed[name])) == committed[name] for name, file in there.items()
    )
    return Tracked(tracked=True, clean=clean)


def _entry(line: bytes) -> tuple[bytes, str]:
    """Path and object id of one line of `git ls-tree`: `<mode> <type> <id>TAB<path>`."""
    left, _, name = line.partition(b"\t")
    return name, left.split()[2].decode()


def _files(place: Path) -> list[Path]:
    if place.is_dir():
        return [file for file in place.rglob("*") if file.is_file()]
    return [place] if place.is_file() else []


def _blob_id(data: bytes, digits: int) -> str:
    hasher = hashlib.sha256 if digits == 64 else hashlib.sha1
    return hasher(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def was_committed(folder: Path, path: str, blob: str) -> bool:
    """Whether the history of the commit checked out holds the content with the id `blob` at `path`.

    Then what stands there now came after it: somebody changed it. On a branch that never held it, it only looks so.
    """
    found = git_output(folder, ["log", "-1", "--format=%H", f"--find-object={blob}", "HEAD", "--", path])
    return bool(found and found.strip())


def committed(folder: Path, path: str) -> frozenset[str]:
    """The files below `path`, relative to `folder`, that the commit checked out holds."""
    listed = git_output(folder, ["ls-tree", "-r", "-z", "HEAD", "--", path])
    return frozenset(os.fsdecode(_entry(line)[0]) for line in (listed or b"").split(b"\0") if line)


def has_object(folder: Path, blob: str) -> bool:
    """Whether git was ever given the content with this id, on whichever branch."""
    return git_output(folder, ["cat-file", "-e", blob]) is not None


def blob_id(folder: Path, data: bytes) -> str:
    """The id that git gives a content in the repository of `folder` (gitformat-pack: "blob", size, NUL, content)."""
    repository = find_repository(folder)
    objects = "" if repository is None else _config(repository.common_dir)
    return _blob_id(data, 64 if "sha256" in objects else 40)


def _config(common_dir: Path) -> str:
    try:
        return (common_dir / "config").read_text("utf-8", "replace").casefold()
    except OSError:
        return ""
