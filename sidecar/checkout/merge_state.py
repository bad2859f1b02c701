"""Find unfinished git operations in a working tree, during which nobody else may write its files."""

from __future__ import annotations

import time
from pathlib import Path

from sidecar.checkout.repository import find_repository, stamp

_OPERATIONS = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
_STALE_SECONDS = 600.0  # age above which the index lock was left behind by a dead git process


def operation_in_progress(folder: Path) -> str | None:
    """Return git's unfinished operation in the working tree of `folder`, such as "a merge", or None."""
    repository = find_repository(folder)
    if repository is None:
        return None
    operation = next((name for marker, name in _OPERATIONS.items() if (repository.git_dir / marker).exists()), None)
    # A git command that writes the index may also write the working tree.
    locked = time.time() - stamp(repository.git_dir / "index.lock")[0] / 1e9 < _STALE_SECONDS
    return "a command" if operation is None and locked else operation
