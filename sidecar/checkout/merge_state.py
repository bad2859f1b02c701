"""Find unfinished git operations in a working tree, during which files that git also writes must be left alone."""

from __future__ import annotations

import time
from pathlib import Path

from sidecar.checkout.git import git_output
from sidecar.checkout.repository import find_repository, stamp

_OPERATIONS = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}


_STALE_SECONDS = 600.0  # an older lock of the index was left behind by a git process that died


def operation_in_progress(folder: Path) -> str | None:
    """Return the operation that git is in the middle of around `folder`, such as "a merge", or None."""
    repository = find_repository(folder)
    if repository is None:
        return None
    operation = next((name for marker, name in _OPERATIONS.items() if (repository.git_dir / marker).exists()), None)
    # A git command that is writing the index may be writing the working tree, too.
    locked = time.time() - stamp(repository.git_dir / "index.lock")[0] / 1e9 < _STALE_SECONDS
    return "a command" if operation is None and locked else operation


def is_tracked(folder: Path, path: str) -> bool:
    """Return whether the index holds `path`, relative to `folder`, or a file below it."""
    return bool(find_repository(folder) and git_output(folder, ["ls-files", "-z", "--", path]))
