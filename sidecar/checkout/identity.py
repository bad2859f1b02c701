"""A workspace's identity: equal for worktrees, clones and moved checkouts, different for same-named folders.

| the folder | its id is made of |
|---|---|
| in a git repository | the repository's memory (`clone_identity.py`) and the folder's inner path |
| the top of a repository, with memory from before `git init` | the real path, as before |
| a sub-folder of a monorepo | the repository's memory and the inner path, so its memory is separate from the top's |
| in a submodule | the submodule's memory: a submodule has its own git directory and origin |
| in a repository only by chance (a home folder under git) | that repository's memory, as git sees it |
| in no repository, or in one that does not point back to it | its real path |
| with an override in the user's settings | the override's text, or the override itself if it is an existing id |
"""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import Literal

import msgspec

from sidecar.checkout import registry
from sidecar.checkout.clone_identity import CloneIdentity, clone_identity, stray_identity
from sidecar.checkout.origin import read_origin
from sidecar.checkout.repository import Repository, StrayFolder, find_owner
from sidecar.checkout.repository_key import digest, ensure_key, mark_of
from sidecar.text.lazy_patterns import lazy

_ID = lazy(r"[0-9a-f]{32}")


Mark = tuple[int, int, int] | None


class Identity(msgspec.Struct, frozen=True):
    """The identity of a workspace folder."""

    id: str  # names the folder's memory
    kind: Literal["git", "path", "override"]
    folder: Path  # the real path
    repository: Path | None  # the top of the working tree
    inner: str  # the path from the top to `folder`
    origin: str | None  # the normalised remote
    checkout: str  # names this working tree on this machine
    alone: str | None = None  # why the folder unexpectedly shares no other folder's memory
    clone: CloneIdentity | None = None  # the repository's part of `id`
    mark: str = ""  # distinguishes the repository from a later one in the same place


def identify(folder: Path, data_home: Path | None, override: str | None = None) -> Identity:
    """Identify `folder` by the records in `data_home`, if it is given. Never raises or writes."""
    real = Path(os.path.realpath(folder))
    checkout = digest("checkout", str(real), size=8)
    owner = find_owner(real)
    inner = "" if owner is None or real == owner.top else real.relative_to(owner.top).as_posix()
    repository = owner if isinstance(owner, Repository) else None
    top = None if repository is None else repository.top
    origin = None if repository is None else read_origin(repository)
    mark = "" if owner is None else mark_of(owner.place)
    override = (override or "").strip()
    if override:
        exists = data_home is not None and _ID.fullmatch(override) and (data_home / "workspaces" / override).is_dir()
        id = override if exists else digest("override", override)
        return Identity(id, "override", real, top, inner if top else "", origin, checkout)
    if isinstance(owner, StrayFolder):
        clone = stray_identity(owner, data_home)
        id = digest("git", clone.memory, inner) if clone.memory else digest("path", str(real))
        known_by = clone if clone.memory else None
        return Identity(id, "path", real, None, "", None, checkout, clone.alone, known_by, mark)
    if repository is None:
        return Identity(digest("path", str(real)), "path", real, None, "", None, checkout)
    clone = clone_identity(repository, origin, inner, data_home)
    return Identity(clone.workspace_id(inner), "git", real, top, inner, origin, checkout, clone.alone, clone, mark)


def record_identity(identity: Identity, data_home: Path, *, keep: bool = False) -> None:
    """Record which memory a workspace's repository has. With `keep`, also store a key in the repository."""
    repository, clone = find_owner(identity.folder), identity.clone
    if repository is None or clone is None or mark_of(repository.place) != identity.mark:
        return
    git_dir = repository.place
    before = registry.find_record(data_home, git_dir)
    key = ensure_key(git_dir) if keep and isinstance(repository, Repository) else None
    registry.write_record(
        data_home,
        registry.RepositoryRecord(
            memory=before.memory if before is not None and before.key is not None else clone.memory,
            place=str(git_dir),
            mark=identity.mark,
            key=registry.key_digest(key) if key is not None else before.key if before is not None else None,
            origin=identity.origin,
            root=clone.root,
            alone=clone.alone,
            adopted=clone.adopted,
        ),
    )


class OpenedFolder:
    """A workspace's folder as it was when the workspace was opened. Thread-safe."""

    def __init__(self, identity: Identity, data_home: Path | None) -> None:
        self.identity = identity
        self._home = data_home
        top = identity.repository or identity.folder
        git = top / ".git"
        self._paths = (identity.folder, git / "config" if git.is_dir() else git)
        self._lock = threading.Lock()
        self._marks = self._current_marks()

    @property
    def is_gone(self) -> bool:
        return not self.identity.folder.is_dir()

    def is_replaced(self) -> bool:
        """Return whether the folder now has another id. Network drives change inodes, so these do not tell."""
        if self.identity.kind == "override":
            return False
        marks = self._current_marks()
        if marks == self._marks or marks[0] is None:
            return False
        with self._lock:
            if identify(self.identity.folder, self._home).id != self.identity.id:
                # `git init` changes the identity of an open folder only when the folder is opened again.
                return self.identity.kind == "git" or marks[0] != self._marks[0]
            self._marks = marks
        return False

    def _current_marks(self) -> tuple[Mark, Mark]:
        first, second = self._paths
        return _mark(first), _mark(second)


def _mark(path: Path) -> Mark:
    try:
        status = os.stat(path)
    except OSError:
        return None
    # A new file may get the inode of a deleted file, but not its time as well.
    return status.st_dev, status.st_ino, status.st_mtime_ns if stat.S_ISREG(status.st_mode) else 0
