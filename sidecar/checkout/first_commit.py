"""A repository's first commit, which distinguishes clones of a project from folders that only claim to be one."""

from __future__ import annotations

import os
import time
from pathlib import Path

from sidecar.checkout.git import git_output
from sidecar.checkout.repository import Repository, first_bytes
from sidecar.runtime.digests import sha1, sha256
from sidecar.text.lazy_patterns import lazy

_ID = lazy(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SECONDS = 3.0  # that git may take
_MAX_COMMIT = 1_000_000
_MAX_SHALLOW = 50_000_000


def first_commit(repository: Repository) -> str | None:
    """Return the id of the first commit on HEAD's line of first parents.

    None if it is not there or git is missing; "" if git timed out, so that it is not asked again.
    """
    began = time.monotonic()
    arguments = ["rev-list", "--first-parent", "--max-parents=0", "--max-count=1", "HEAD", "--"]
    commit = (git_output(repository.top, arguments, max_bytes=100, timeout=_SECONDS) or b"").decode().strip()
    if not commit and time.monotonic() - began >= _SECONDS:
        return ""
    ends = first_bytes(repository.common_dir / "shallow", _MAX_SHALLOW).decode("ascii", "replace").split()
    if not commit or commit in ends or not holds_commit(repository, commit):
        return None
    return commit


def holds_commit(repository: Repository, commit: str) -> bool:
    """Return whether a repository holds this commit itself rather than borrowing it from another's objects."""
    objects = repository.common_dir / "objects"
    if not _ID.fullmatch(commit) or _may_borrow(objects, commit):
        return False
    data = git_output(repository.top, ["cat-file", "commit", commit], max_bytes=_MAX_COMMIT, timeout=_SECONDS)
    hasher = sha256 if len(commit) == 64 else sha1
    whole = b"" if data is None else b"commit %d\0" % len(data) + data
    return bool(hasher(whole, usedforsecurity=False).hexdigest() == commit)


def _may_borrow(objects: Path, commit: str) -> bool:
    """Return whether objects may come from elsewhere, by an alternate or by a link that an archive can hold."""
    try:
        if os.path.lexists(objects / "info" / "alternates"):
            return True
        places = [objects, objects / "info", objects / "pack", objects / commit[:2]]
        places += [objects / commit[:2] / commit[2:], *(objects / "pack").glob("*")]
        return any(path.is_symlink() for path in places)
    except OSError:
        return True
