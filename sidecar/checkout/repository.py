"""Find the git repository of a folder by reading files only, regardless of `GIT_DIR` and similar variables.

A `.git` file or symlink could name any repository of this machine. It is followed only if that repository points back,
by a registered worktree or by `core.worktree` (a submodule).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from sidecar.checkout.gitconfig import read_config, read_user_config

_MAX_POINTER_FILE_BYTES = 8192
# The greatest length of a user's name or address.
_MAX_USER_CHARS = 200
_OPERATION_MARKERS = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
# An older lock of the index was left behind by a dead git process.
_STALE_LOCK_SECONDS = 600.0


class Repository(msgspec.Struct, frozen=True):
    """A repository with a working tree. All paths are real."""

    top: Path
    git_dir: Path
    common_dir: Path

    @property
    def place(self) -> Path:
        """Return the path that identifies this repository."""
        return self.common_dir

    def inner(self, folder: Path) -> str:
        """Return the POSIX path from the top to `folder` (a real path); "" for the top itself."""
        return "" if folder == self.top else folder.relative_to(self.top).as_posix()

    def prefix(self, folder: Path) -> str:
        """Return what the paths of files in `folder` (a real path) begin with, seen from the top: "" or "inner/"."""
        return "" if folder == self.top else f"{self.inner(folder)}/"

    @property
    def main_top(self) -> Path:
        """Return the main working tree, which is the base of relative remote URLs in every worktree."""
        return self.common_dir.parent if self.common_dir.name == ".git" else self.common_dir

    def branch(self) -> str | None:
        """Return the reference to which HEAD points; None for a detached or invalid HEAD."""
        text = first_bytes(self.git_dir / "HEAD").decode("utf-8", "replace")
        name = text.removeprefix("ref: ").strip()
        followed = text.startswith("ref: ") and re.fullmatch(r"refs/[^\0]{1,400}", name) and ".." not in name
        return name if followed else None


class StrayFolder(msgspec.Struct, frozen=True):
    """A folder whose `.git` points to a repository that does not point back."""

    top: Path
    target: Path

    @property
    def place(self) -> Path:
        """Return the path of the folder's `.git`."""
        return self.top / ".git"


def find_repository(folder: Path) -> Repository | None:
    """Return the innermost repository that holds `folder` (a real path), or None."""
    owner = find_owner(folder)
    return owner if isinstance(owner, Repository) else None


def find_owner(folder: Path) -> Repository | StrayFolder | None:
    """Return the innermost repository that holds `folder`, or a folder with a stray `.git` below that."""
    for candidate in (folder, *folder.parents):
        git_dir = _marked_git_dir(candidate)
        if git_dir is not None and not _points_back(git_dir, candidate):
            return StrayFolder(candidate, git_dir)
        # The next step finds a directory called `.git` as its parent's repository.
        if git_dir is None and candidate.name != ".git" and _is_git_dir(candidate):
            git_dir = candidate
        if git_dir is not None:
            return Repository(candidate, git_dir, _common_dir(git_dir))
    return None


def git_dir_of(top: Path) -> Path | None:
    """Return the git directory of the working tree `top`; None for any other folder."""
    git_dir = _marked_git_dir(top)
    return git_dir if git_dir is not None and _points_back(git_dir, top) else None


def _marked_git_dir(top: Path) -> Path | None:
    """Return the git directory of `top`: its folder `.git`, or the directory to which its `.git` points."""
    marker = top / ".git"
    try:
        if marker.is_dir():
            real = Path(os.path.realpath(marker))
        elif marker.is_file():
            pointer = _read_pointer(marker, prefix="gitdir:")
            if pointer is None:
                return None
            real = Path(os.path.realpath(top / pointer))
        else:
            return None
    except (OSError, ValueError):
        return None
    return real if _is_git_dir(real) else None


def _points_back(git_dir: Path, top: Path) -> bool:
    """Return whether a git directory is in `top` or points back to it."""
    real = Path(os.path.realpath(top))
    if git_dir == real / ".git":
        return True
    if _common_dir(git_dir) != git_dir:
        back = _read_pointer(git_dir / "gitdir", prefix="")
        return back is not None and _is_same_path(git_dir / back, real / ".git")
    settings = [pair for name in ("config", "config.worktree") for pair in read_config(git_dir / name)]
    trees = [value for key, value in settings if key == "core.worktree"]
    return bool(trees) and _is_same_path(git_dir / trees[-1], real)


def _is_same_path(path: Path, other: Path) -> bool:
    """Return whether `path` is the real path `other`, with its last part followed as a link or not."""
    try:
        return Path(os.path.realpath(path.parent), path.name) == other or path.resolve() == other
    except (OSError, ValueError, RuntimeError):
        return False


def _common_dir(git_dir: Path) -> Path:
    """Return the common directory of a git directory. Only a worktree's is another directory."""
    pointer = _read_pointer(git_dir / "commondir", prefix="")
    real = None if pointer is None else Path(os.path.realpath(git_dir / pointer))
    return real if real is not None and git_dir.parent == real / "worktrees" else git_dir


def _is_git_dir(path: Path) -> bool:
    """Check like git whether a directory has a HEAD, `objects` and `refs`."""
    try:
        if not os.path.lexists(path / "HEAD"):
            return False
        common = _common_dir(path)
        return (common / "objects").is_dir() and (common / "refs").is_dir()
    except (OSError, ValueError):
        return False


def _read_pointer(file: Path, *, prefix: str) -> str | None:
    """Return the path in a pointer file such as `gitdir: ../x`; None if the file holds no valid pointer."""
    line = os.fsdecode(first_bytes(file, _MAX_POINTER_FILE_BYTES)).rstrip("\r\n") if os.path.isfile(file) else ""
    if not line.startswith(prefix) or "\0" in line:
        return None
    return line.removeprefix(prefix).strip() or None


def first_bytes(path: Path, max_bytes: int = 1_000, start: int = 0) -> bytes:
    """Return up to `max_bytes` bytes of a file from `start` on; none if the file is unreadable."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(max_bytes)
    except (OSError, ValueError):
        return b""


def operation_in_progress(folder: Path) -> str | None:
    """Return git's unfinished operation in the working tree of `folder`, such as "a merge", or None."""
    repository = find_repository(folder)
    if repository is None:
        return None
    operations = (name for marker, name in _OPERATION_MARKERS.items() if (repository.git_dir / marker).exists())
    operation = next(operations, None)
    # A git command that writes the index may also write the working tree.
    locked = time.time() - stamp(repository.git_dir / "index.lock")[0] / 1e9 < _STALE_LOCK_SECONDS
    return "a command" if operation is None and locked else operation


def stamp(path: Path) -> tuple[int, int]:
    """Return a file's modification time in nanoseconds and its size; (0, -1) for a missing file."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return 0, -1
    return status.st_mtime_ns, status.st_size


class GitUser(NamedTuple):
    name: str | None = None
    email: str | None = None


def read_user(folder: Path, environ: Mapping[str, str]) -> GitUser:
    """Return the user that git would record for a commit, without running git."""
    repository = find_repository(folder)
    values = read_user_config(environ, None if repository is None else repository.common_dir / "config")
    return GitUser(
        *(" ".join(values.get(f"user.{key}", "").split())[:_MAX_USER_CHARS] or None for key in GitUser._fields)
    )
