"""Decide which memory a repository has: its own, or that of another repository of which it is a clone.

A repository can claim any `origin`. So it shares another repository's memory only if it also holds proof: a key that
this program stored, or the first commit of the other repository. `identity.py` calls this module.
"""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sidecar.checkout.git import git_output
from sidecar.checkout.registry import RepositoryRecord, all_records, find_record, id_before_git, key_digest
from sidecar.checkout.repository import Repository, StrayFolder, first_bytes
from sidecar.checkout.repository_key import digest, mark_of, read_key
from sidecar.runtime.digests import sha1, sha256
from sidecar.text.cutting import printable
from sidecar.text.lazy_patterns import lazy

_COMMIT_ID = lazy(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# Limit of one run of git.
_GIT_SECONDS = 3.0
_MAX_COMMIT_BYTES = 1_000_000
_MAX_SHALLOW_BYTES = 50_000_000


class CloneIdentity(NamedTuple):
    """The memory that a repository has."""

    memory: str
    root: str | None = None  # the repository's first commit, if known
    alone: str | None = None  # why the repository does not share another's memory
    adopted: str | None = None  # the workspace id of its top folder before `git init`

    def workspace_id(self, inner: str) -> str:
        return digest("git", self.memory, inner) if inner or self.adopted is None else self.adopted


def clone_identity(repository: Repository, origin: str | None, inner: str, data_home: Path | None) -> CloneIdentity:
    """Decide which memory a repository has. Write nothing, and run git only if the records do not suffice."""
    own_record = find_record(data_home, repository.common_dir)
    root = own_record.root if own_record is not None else None
    if origin is not None and root is None:
        root = first_commit(repository)
    if own_record is not None and own_record.key is not None:
        return CloneIdentity(own_record.memory, root, own_record.alone, own_record.adopted)
    key = read_key(repository.common_dir)
    own_digest = None if key is None else key_digest(key)
    for record in all_records(data_home) if own_digest is not None else ():
        if record.key == own_digest:
            return CloneIdentity(record.memory, root, record.alone, record.adopted)
    alone, shared = None, False
    for original in _possible_originals(origin, data_home):
        if own_record is not None and original.memory == own_record.memory:
            shared |= original.place != own_record.place
        elif own_record is not None and original.key is None:
            continue  # neither repository has memories to share
        elif original.root and holds_commit(repository, original.root):
            return CloneIdentity(original.memory, root, adopted=original.adopted)
        elif original.key is not None:
            alone = alone or _explain_alone(repository, original, root, inner)
    if own_record is not None:
        return CloneIdentity(own_record.memory, root, None if shared else alone, own_record.adopted)
    git_dir = repository.common_dir
    adopted = id_before_git(data_home, repository.top, git_dir)
    if origin is not None and root:
        return CloneIdentity(digest("origin", origin, root), root, alone, adopted)
    return CloneIdentity(digest("repository", str(git_dir), mark_of(git_dir)), root, alone, adopted)


def stray_identity(stray: StrayFolder, data_home: Path | None) -> CloneIdentity:
    """Return the identity of a folder whose `.git` is not followed: the memory of its path before git, if any."""
    own_record = find_record(data_home, stray.place)
    if own_record is not None:
        return CloneIdentity(own_record.memory)
    text = f"{stray.place} points to the repository {stray.target}, which does not point back, so it is not followed"
    if stray.target.parent.name == "worktrees":
        text += "; if this is a worktree of it that was moved, run git worktree repair here"
    elif stray.target.name != ".git":
        target, top = shlex.quote(str(stray.target)), shlex.quote(str(stray.top))
        text += f"; if you put it there yourself, run git --git-dir={target} config core.worktree {top}"
    return CloneIdentity("", alone=printable(text))


def _possible_originals(origin: str | None, data_home: Path | None) -> Iterator[RepositoryRecord]:
    """Yield the known repositories of the same origin, because this one may be their clone."""
    candidates_seen = set()
    for record in all_records(data_home) if origin is not None else ():
        alike = record.memory, record.root, record.key is None
        if record.origin == origin and alike not in candidates_seen:
            candidates_seen.add(alike)
            yield record


def _explain_alone(repository: Repository, original: RepositoryRecord, root: str | None, inner: str) -> str:
    git_dir = Path(original.place)
    if (repository.common_dir / "shallow").exists():
        reason = "this one is a shallow clone, in which the first commit is missing (git fetch --unshallow)"
    elif not root:
        reason = "this one has no first commit of its own that can be read"
    else:
        reason = "this one does not have its first commit" if original.root else "its first commit is not known"
    place = git_dir.parent if git_dir.name == ".git" else git_dir
    table = json.dumps(str(repository.top / inner), ensure_ascii=False)
    of_other = CloneIdentity(original.memory, adopted=original.adopted)
    return printable(
        f"its origin names the memory of {place}, but {reason}. "
        f"If they belong together, put this into your own settings: "
        f'[workspaces.{table}] id = "{of_other.workspace_id(inner)}"'
    )


def first_commit(repository: Repository) -> str | None:
    """Return the oldest commit of HEAD's first-parent line, "" if git timed out, None without git or a commit."""
    began = time.monotonic()
    arguments = ["rev-list", "--first-parent", "--max-parents=0", "--max-count=1", "HEAD", "--"]
    commit = (git_output(repository.top, arguments, max_bytes=100, timeout=_GIT_SECONDS) or b"").decode().strip()
    if not commit and time.monotonic() - began >= _GIT_SECONDS:
        return ""
    ends = first_bytes(repository.common_dir / "shallow", _MAX_SHALLOW_BYTES).decode("ascii", "replace").split()
    if not commit or commit in ends or not holds_commit(repository, commit):
        return None
    return commit


def holds_commit(repository: Repository, commit: str) -> bool:
    """Return whether a repository itself holds a commit. Objects borrowed from another repository do not count."""
    objects = repository.common_dir / "objects"
    if not _COMMIT_ID.fullmatch(commit) or _may_borrow(objects, commit):
        return False
    data = git_output(repository.top, ["cat-file", "commit", commit], max_bytes=_MAX_COMMIT_BYTES, timeout=_GIT_SECONDS)
    hasher = sha256 if len(commit) == 64 else sha1
    whole = b"" if data is None else b"commit %d\0" % len(data) + data
    return bool(hasher(whole, usedforsecurity=False).hexdigest() == commit)


def _may_borrow(objects: Path, commit: str) -> bool:
    """Return whether objects may come from another repository, by an alternate or a link."""
    try:
        if os.path.lexists(objects / "info" / "alternates"):
            return True
        places = [objects, objects / "info", objects / "pack", objects / commit[:2]]
        places += [objects / commit[:2] / commit[2:], *(objects / "pack").glob("*")]
        return any(path.is_symlink() for path in places)
    except OSError:
        return True
