"""Decide whether a person or git changed a file, from what git has done since the last look.

`memory_file` asks, because only a person's edit of MEMORY.md counts as the user's word. The file's bytes are not
enough: git converts line ends, `$Id$` and encodings. A change counts as typed only if git has since done nothing but
commit typed text, and no other commit has this text in any form. In doubt, git made the change.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from pathlib import Path

import msgspec
from msgspec.structs import replace

from sidecar.checkout.git import git_output
from sidecar.checkout.repository import Repository, find_repository, first_bytes, stamp
from sidecar.runtime.digests import blake2b, sha1, sha256
from sidecar.text.lazy_patterns import lazy

# HEAD's log is recognised by this many bytes at its end.
_TAIL_BYTES = 1_000
# If more bytes were added to HEAD's log, no decision is made.
_MAX_LOG_BYTES = 1_000_000
_MAX_COMMITS_OF_PATH = 10_000
_MAX_GIT_BYTES = 8_000_000
# Git gets this many ids on stdin.
_IDS_PER_RUN = 400
# The longest time from a git command's writing of the index to its move of HEAD.
BUSY_SECONDS = 2.0
_EXPANDED_ID = lazy(r"\$Id:[^$\n]*\$")
_COMMIT_ACTION = lazy(rb"commit(?: \((?:amend|initial)\))?: ")
_COMMIT_ID = lazy(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class GitBusy(Exception):
    """A git command may be running; try again in a moment."""


class GitTrace(msgspec.Struct, frozen=True):
    """The state of git at one moment."""

    place: str  # the repository, or the folder itself outside git
    in_git: bool = False
    head: str = ""
    log: int = -1  # length of HEAD's log in bytes, -1 without a log
    tail: str = ""  # digest of the log's end
    stash: str = ""
    index: dict[str, str] = {}  # the blob of each path


def unexpand_id(text: str) -> str:
    """Return a text with each expanded `$Id: ... $` as `$Id$`."""
    return _EXPANDED_ID.sub("$Id$", text)


def normalise_text(text: str) -> str:
    """Return a text for comparison: without byte order mark, carriage returns and expanded `$Id$`."""
    return unexpand_id(text.removeprefix("\ufeff").replace("\r\n", "\n"))


def git_trace(folder: Path, path: str | None = None) -> GitTrace:
    """Return the state of git in the working tree of `folder`, with the blobs of `path` and what is below it."""
    repository = find_repository(folder)
    if repository is None:
        return GitTrace(_identity(folder))
    log = repository.git_dir / "logs" / "HEAD"
    size = stamp(log)[1]
    if size < 0 and not (repository.common_dir / "reftable").exists() and not _has_commit(repository):
        size = 0
    stash = repository.common_dir / "logs" / "refs" / "stash"
    return GitTrace(
        place=_identity(repository.git_dir),
        in_git=True,
        head=first_bytes(repository.git_dir / "HEAD").decode("utf-8", "replace"),
        log=size,
        tail=_digest(first_bytes(log, _TAIL_BYTES, max(0, size - _TAIL_BYTES))) if size > 0 else "",
        stash=_digest(first_bytes(repository.common_dir / "refs" / "stash") + str(stamp(stash)[1]).encode()),
        index={} if path is None else _index(folder, path),
    )


def matches_index(text: str, path: str, now: GitTrace) -> bool:
    """Return whether a file's text is the one that git's index had at `now`."""
    return now.index.get(path) in _possible_blob_ids(text)


def git_stamp(repository: Repository | None) -> tuple[tuple[int, int], ...]:
    """Return a value that changes with the result of `git_trace`, at the cost of three `stat` calls."""
    return () if repository is None else tuple([stamp(path) for path in _stamped_paths(repository)])


@lru_cache(maxsize=16)
def _stamped_paths(repository: Repository) -> tuple[Path, ...]:
    git_dir = repository.git_dir
    return git_dir / "HEAD", git_dir / "logs" / "HEAD", repository.common_dir / "refs" / "stash"


def hand_edited_paths(
    folder: Path, before: GitTrace | None, now: GitTrace, texts: Mapping[str, str | None]
) -> set[str]:
    """Return the paths in `texts` that a person changed or, where the text is None, removed. Raises `GitBusy`.

    `before` is the state of git at the last look, `now` the state just before the texts were read.
    """
    if before is None or before.place != now.place or before.in_git != now.in_git:
        return set()
    if not now.in_git:
        return set(texts)
    if before.stash != now.stash:
        return set()
    candidates = dict(texts)
    own_commits = _own_commits(folder, before, now)
    if own_commits is None:  # git did more than commit, so trust only files that no commit touched
        candidates = {
            path: texts[path] for path in texts if path not in now.index and _commits_touching(folder, path, 1) == []
        }
    changed = {path for path, text in candidates.items() if text is None}
    # A checkout removes tracked files first and moves HEAD last; a file may have become tracked since `now`.
    if own_commits is not None and changed:
        tracked = any(path in before.index or path in now.index for path in changed)
        if (tracked and _is_busy(folder)) or replace(git_trace(folder), index=now.index) != now:
            raise GitBusy
    ids = {path: _possible_blob_ids(text) for path, text in candidates.items() if text is not None}
    if not ids or _is_transformed(folder, ids):
        return changed
    known_blobs = _known_blobs(folder, {id for path_ids in ids.values() for id in path_ids})
    if known_blobs is None:
        return changed
    if own_commits is not None and known_blobs and _is_busy(folder):
        raise GitBusy
    for path, path_ids in ids.items():
        if not known_blobs & path_ids or (
            own_commits is not None and _is_typed_and_committed(folder, path, path_ids, before, now, own_commits)
        ):
            changed.add(path)
    return changed


def _is_typed_and_committed(
    folder: Path, path: str, ids: Collection[str], before: GitTrace, now: GitTrace, own_commits: Collection[str]
) -> bool:
    """Return whether git knows a text only because a person's edit was added or committed since `before`."""
    blob = now.index.get(path)
    if blob not in ids or blob == before.index.get(path):
        return False
    commits = _commits_touching(folder, path)
    if commits is None:
        return False
    other_commits = [commit for commit in commits if commit not in own_commits]
    options = "--stdin -r -m --root --raw --no-abbrev --no-renames --".split()
    answers = _run_in_batches(folder, ["diff-tree", *options, path], other_commits)
    return all(answer is not None and not any(id.encode() in answer for id in ids) for answer in answers)


def _is_busy(folder: Path) -> bool:
    """Return whether a git command that writes files may be running."""
    repository = find_repository(folder)
    if repository is None or (repository.git_dir / "index.lock").exists():
        return True
    return abs(time.time() - stamp(repository.git_dir / "index")[0] / 1e9) < BUSY_SECONDS


def _own_commits(folder: Path, before: GitTrace, now: GitTrace) -> set[str] | None:
    """Return the commits made since `before`; None in doubt, and if anything but a commit moved HEAD."""
    repository = find_repository(folder)
    if repository is None or before.log < 0 or not before.log <= now.log <= before.log + _MAX_LOG_BYTES:
        return None
    log = repository.git_dir / "logs" / "HEAD"
    tail = first_bytes(log, min(_TAIL_BYTES, before.log), max(0, before.log - _TAIL_BYTES))
    if before.log and _digest(tail) != before.tail:
        return None
    own_commits = set[str]()
    for line in first_bytes(log, now.log - before.log, before.log).splitlines():
        heads, _, action = line.partition(b"\t")
        old, new = (*heads.split(b" ", 2), b"", b"")[:2]
        if _COMMIT_ACTION.match(action):
            own_commits.add(new.decode("ascii", "replace"))
        elif old != new or not action.startswith(b"checkout: "):  # a new branch at HEAD touches no file
            return None
    return own_commits


def _commits_touching(folder: Path, path: str, limit: int = _MAX_COMMITS_OF_PATH) -> list[str] | None:
    """Return all known commits that changed a path; None if there are more than `limit`."""
    repository = find_repository(folder)
    if repository is None:
        return None
    fetched = first_bytes(repository.git_dir / "FETCH_HEAD", 65_536).decode("utf-8", "replace").splitlines()
    more = [id.group() for line in fetched[:100] if (id := _COMMIT_ID.match(line))]
    options = ["--all", "--reflog", "--full-history", "--ignore-missing", f"--max-count={limit + 1}"]
    answer = git_output(folder, ["rev-list", *options, *more, "--", path])
    if answer is None:
        return None
    commits = answer.decode("ascii", "replace").split()
    return commits if len(commits) <= max(limit, 1) else None


def _is_transformed(folder: Path, paths: Iterable[str]) -> bool:
    """Return whether an attribute of these files may make git change them beyond what `_possible_blob_ids` undoes."""
    attributes = ("working-tree-encoding", "filter")
    stdin = "".join(f"{path}\0" for path in paths).encode()
    answer = git_output(folder, ["check-attr", "--stdin", "-z", *attributes], stdin[:32_768], max_bytes=_MAX_GIT_BYTES)
    if answer is None or len(stdin) > 32_768:
        return True
    values = answer.split(b"\0")[2::3]
    return any(value not in (b"unspecified", b"unset") for value in values)


def _known_blobs(folder: Path, ids: Collection[str]) -> set[str] | None:
    """Return those of `ids` that are blobs of the repository; None in doubt."""
    known_blobs = set[str]()
    for answer in _run_in_batches(folder, ["cat-file", "--batch-check"], sorted(ids)):
        if answer is None:
            return None
        lines = (line.split() for line in answer.decode("ascii", "replace").splitlines())
        known_blobs.update(line[0] for line in lines if len(line) == 3 and line[1] != "missing")
    return known_blobs


def _run_in_batches(folder: Path, arguments: list[str], ids: list[str]) -> Iterator[bytes | None]:
    """Yield git's output for each batch of ids; None where git fails."""
    for start in range(0, len(ids), _IDS_PER_RUN):
        stdin = "".join(f"{id}\n" for id in ids[start : start + _IDS_PER_RUN]).encode()
        yield git_output(folder, arguments, stdin, max_bytes=_MAX_GIT_BYTES)


def _possible_blob_ids(text: str) -> set[str]:
    """Return the ids of all blobs that a text may have in git, by line ends, byte order mark and `$Id$`."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n")
    forms = {text}
    for form, ending, mark in product((lines, unexpand_id(lines)), ("\n", "\r\n"), ("", "\ufeff")):
        forms.add(mark + form.replace("\n", ending))
    hashers = (sha1, sha256)
    data = [form.encode("utf-8", "surrogatepass") for form in forms]
    return {
        hasher(b"blob %d\0" % len(form_bytes) + form_bytes, usedforsecurity=False).hexdigest()
        for form_bytes in data
        for hasher in hashers
    }


def _index(folder: Path, path: str) -> dict[str, str]:
    """Return the blobs in the index at or below a path, by path relative to `folder`."""
    listing = git_output(folder, ["ls-files", "-z", "--stage", "--", path]) or b""
    blobs: dict[str, str] = {}
    for line in listing.split(b"\0"):
        details, _, name = line.partition(b"\t")
        if name:
            blobs[os.fsdecode(name)] = details.split()[1].decode("ascii", "replace")
    return blobs


def _has_commit(repository: Repository) -> bool:
    """Return whether HEAD names a commit; a new repository has none."""
    branch = repository.branch()
    if branch is None or (repository.common_dir / branch).exists():
        return True
    return f" {branch}\n".encode() in first_bytes(repository.common_dir / "packed-refs", _MAX_LOG_BYTES)


def _identity(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return str(path)
    return f"{path} {status.st_dev}:{status.st_ino}"


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
