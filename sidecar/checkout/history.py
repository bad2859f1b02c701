"""Read the ancestors of the current commit: their messages, and the files that they changed.

Git's plumbing commands run no configured program; with `--name-only`, they read neither files nor blobs.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.checkout.git import git_output
from sidecar.checkout.repository import find_repository, first_bytes, stamp
from sidecar.text.lazy_patterns import lazy

log = logging.getLogger(__name__)

# One run of git reads this many commits in a few hundredths of a second.
COMMITS_PER_RUN: Final = 250
# A commit with more files is a release, a rename or a reformatting, and its message describes none of the files.
MAX_COMMIT_FILES: Final = 30
MAX_MESSAGE_CHARS: Final = 1_000
MAX_GIT_BYTES: Final = 8_000_000
# No more commits are listed, however many are asked for.
MAX_COMMITS: Final = 100_000
_COMMIT_ID = lazy(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_TRAILER = lazy(
    r"^(?:[A-Z][A-Za-z]+(?:-[A-Za-z]+)*-[Bb]y|git-svn-id|Change-Id|cc|Cc|Closes-Bug|Reviewed-on|Link)\s*:"
    r"|^\(cherry picked from commit"
)


class Commit(NamedTuple):
    """One commit."""

    id: str
    at: int  # epoch milliseconds
    message: str
    files: tuple[str, ...]  # relative to the workspace; empty for a commit of more than `MAX_COMMIT_FILES` files


class History:
    """The commits of one checkout. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(os.path.realpath(folder))

    def state(self) -> tuple[object, ...] | None:
        """Return a value that changes when HEAD may have moved, by a few `stat` calls; None outside a repository."""
        repository = find_repository(self.folder)
        if repository is None:
            return None
        git_dir, common_dir, branch = repository.git_dir, repository.common_dir, repository.branch()
        return (
            first_bytes(git_dir / "HEAD"),
            stamp(git_dir / "logs" / "HEAD"),
            stamp(git_dir / "HEAD" if branch is None else common_dir / branch),
            stamp(common_dir / "packed-refs"),
            stamp(common_dir / "shallow"),
        )

    def ancestors(self, limit: int) -> list[str] | None:
        """Return HEAD and its newest ancestors, newest first, without merges; None if git fails or is missing."""
        arguments = ["rev-list", "--no-merges", f"--max-count={min(limit, MAX_COMMITS)}", "HEAD", "--"]
        output = git_output(self.folder, arguments, max_bytes=MAX_COMMITS * 70, timeout=20.0)
        if output is None:
            unborn = git_output(self.folder, ["rev-list", "--max-count=1", "--all"], max_bytes=100)
            return [] if unborn == b"" else None
        return [line.decode("ascii") for line in output.split() if _COMMIT_ID.fullmatch(line)]

    def commits(self, ids: Sequence[str]) -> list[Commit] | None:
        """Return the readable commits among `ids`, in the order of `ids`; None if git fails."""
        repository = find_repository(self.folder)
        if repository is None:
            return None
        prefix = repository.prefix(self.folder)
        all_commits: list[Commit] = []
        for start in range(0, len(ids), COMMITS_PER_RUN):
            batch = ids[start : start + COMMITS_PER_RUN]
            read = self._read_batch(batch, prefix)
            if read is None and len(batch) > 1:
                single = [self._read_batch([id], prefix) for id in batch]
                if not any(single):
                    return None
                read = [commit for commits in single for commit in commits or ()]
            if read is None:
                return None
            all_commits += read
        return all_commits

    def renamed_path(self, path: str) -> str | None:
        """Return the path to which the last commit of `path` moved the unchanged file, or None."""
        repository = find_repository(self.folder)
        if repository is None:
            return None
        prefix = repository.prefix(self.folder)
        last = git_output(self.folder, ["rev-list", "--no-merges", "--max-count=1", "HEAD", "--", path], max_bytes=100)
        id = (last or b"").strip().decode("ascii", "replace")
        if not _COMMIT_ID.fullmatch(id.encode()):
            return None
        # `-M100%` compares the ids of whole files, so git reads no content.
        arguments = ["diff-tree", "-r", "-z", "-M100%", "--diff-filter=R", "--name-status", "--no-ext-diff"]
        answer = git_output(self.folder, [*arguments, "--no-commit-id", id], max_bytes=MAX_GIT_BYTES)
        fields = (answer or b"").decode("utf-8", "replace").split("\0")
        for old, new in zip(fields[1::3], fields[2::3], strict=False):
            if old == prefix + path and new.startswith(prefix):
                return new.removeprefix(prefix)
        return None

    def _read_batch(self, ids: Sequence[str], prefix: str) -> list[Commit] | None:
        mark = os.urandom(12).hex()  # no author of a message can guess it
        arguments = [
            "diff-tree", "--stdin", "-r", "-z", "--root", "--name-only", "--no-renames", "--no-ext-diff",
            "--encoding=UTF-8", f"--pretty=tformat:{mark}%x00%H%x00%ct%x00%B%x00",
        ]  # fmt: skip
        stdin = "".join(f"{id}\n" for id in ids).encode("ascii")
        answer = git_output(self.folder, arguments, stdin, max_bytes=MAX_GIT_BYTES, timeout=20.0)
        if answer is None:
            return None
        parts = answer.decode("utf-8", "replace").split(f"{mark}\0")[1:]
        return [commit for part in parts if (commit := _commit(part, prefix)) is not None]


def _commit(part: str, prefix: str) -> Commit | None:
    fields = part.split("\0")
    if len(fields) < 4 or not fields[1].isdecimal():
        return None
    names = [name.removeprefix("\n") for name in fields[3:]]
    names = [name for name in names if name and "\ufffd" not in name]
    files = (name.removeprefix(prefix) for name in names if name.startswith(prefix))
    lines = (line.rstrip() for line in fields[2][: 4 * MAX_MESSAGE_CHARS].split("\n"))
    message = "\n".join(line for line in lines if not _TRAILER.match(line)).strip()[:MAX_MESSAGE_CHARS]
    at = min(int(fields[1]), 10**11) * 1000
    return Commit(fields[0], at, message, tuple(files) if len(names) <= MAX_COMMIT_FILES else ())


class HeadMoves:
    """The files that git changed by moving HEAD, known before the system notifies of them. Thread-safe."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._lock = threading.Lock()
        self._state: tuple[object, ...] | None = None
        self._commit: str | None = None

    def changed_paths(self) -> list[str]:
        """Return the files that differ between HEAD at the last call and HEAD now; none at the first call."""
        with self._lock:
            state = self._history.state()
            if state == self._state:
                return []
            self._state = state
            before, self._commit = self._commit, self._head()
            if before is None or self._commit is None or before == self._commit:
                return []
            arguments = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff"]
            output = git_output(self._history.folder, [*arguments, before, self._commit, "--"], max_bytes=MAX_GIT_BYTES)
        repository = find_repository(self._history.folder)
        if not output or repository is None:
            return []
        prefix = repository.prefix(self._history.folder)
        names = (name.decode("utf-8", "surrogateescape") for name in output.split(b"\0") if name)
        return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]

    def _head(self) -> str | None:
        output = git_output(self._history.folder, ["rev-list", "--max-count=1", "HEAD", "--"], max_bytes=200)
        return output.decode("ascii", "replace").strip() if output else None
