"""The records of known repositories and their memories in the user's data folder.

A record, `<data home>/checkouts/<place>-<memory>.json`, is trusted more than the repository itself.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import msgspec

from sidecar.checkout.repository import stamp
from sidecar.checkout.repository_key import digest, mark_of, read_key
from sidecar.store.appended import replace

log = logging.getLogger(__name__)

RECORDS_FOLDER = "checkouts"
# The mark of an unreadable record, whose file name still gives place and memory.
DAMAGED = "damaged"
_MAX_RECORD_BYTES = 100_000


class RepositoryRecord(msgspec.Struct, frozen=True):
    """The record of a git directory: which memory it has."""

    memory: str  # the ids of the repository's workspaces are made from it
    place: str  # the git directory
    mark: str  # distinguishes the repository from others in the same place
    key: str | None = None  # digest of the repository's key
    origin: str | None = None
    root: str | None = None  # the repository's first commit
    alone: str | None = None  # why it shares no other repository's memory
    adopted: str | None = None  # the workspace id of its top folder before `git init`


class LastOpened(msgspec.Struct, frozen=True):
    """The content of `workspace.json` beside a workspace's stores: which folder was opened last, with its mark."""

    kind: str
    folder: str
    inner: str = ""
    origin: str | None = None
    mark: str = ""


def find_record(data_home: Path | None, git_dir: Path) -> RepositoryRecord | None:
    """Return the record of the git directory now in this place, or None."""
    if data_home is None:
        return None
    key, mark = read_key(git_dir), mark_of(git_dir)
    records = [
        record
        for record in _read_records(data_home, f"{_place_digest(git_dir)}-*.json")
        if record.mark in (mark, DAMAGED) or (key is not None and record.key == key_digest(key))
    ]
    return max(records, key=lambda record: record.key is not None, default=None)


def all_records(data_home: Path | None) -> list[RepositoryRecord]:
    return [] if data_home is None else list(_read_records(data_home, "*.json"))


def write_record(data_home: Path, record: RepositoryRecord) -> None:
    """Write a record unless it exists. A failure is only logged, because the record can be made again."""
    target = data_home / RECORDS_FOLDER / f"{_place_digest(Path(record.place))}-{record.memory}.json"
    try:
        data = msgspec.json.encode(record)
        if target.exists() and target.read_bytes() == data:
            return
        target.parent.mkdir(mode=0o700, exist_ok=True)
        replace(target, data)
    except (OSError, UnicodeEncodeError) as error:  # a path or an origin may not be text
        log.info("The record of repository %s cannot be stored: %s.", record.place, error)


def key_digest(key: str) -> str:
    return digest("key", key)


def id_before_git(data_home: Path | None, top: Path, common_dir: Path) -> str | None:
    """Return the id of the memory that a folder had before `git init`; None for a clone."""
    if data_home is None:
        return None
    id = digest("path", str(top))
    try:
        note = msgspec.json.decode((data_home / "workspaces" / id / "workspace.json").read_bytes(), type=LastOpened)
        reflog = common_dir / "logs" / "HEAD"
        is_clone = reflog.exists() and b"\tclone: " in reflog.read_bytes()[:_MAX_RECORD_BYTES].partition(b"\n")[0]
    except (OSError, msgspec.MsgspecError):
        return None
    return id if note.kind == "path" and note.mark == mark_of(top) and not is_clone else None


def _place_digest(git_dir: Path) -> str:
    return digest("checkout", str(git_dir), size=8)


def _read_records(data_home: Path, pattern: str) -> Iterator[RepositoryRecord]:
    files = (data_home / RECORDS_FOLDER).glob(pattern)
    for file in sorted(files, key=lambda file: (stamp(file)[0], file.name), reverse=True):
        memory = file.stem.partition("-")[2]
        try:
            record = msgspec.json.decode(file.read_bytes()[:_MAX_RECORD_BYTES], type=RepositoryRecord)
        except (OSError, ValueError) as error:
            log.info("The repository record %s cannot be read: %s.", file, type(error).__name__)
            record = RepositoryRecord(memory, "", DAMAGED)
        yield record if record.memory == memory else RepositoryRecord(memory, "", DAMAGED)
