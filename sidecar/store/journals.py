"""The journals that hooks write: their lines, how far each was learned from, its owner, and the removal of old ones.

A session's journal is removed when the session ends. If a session never ends, its journal is removed when a later
session starts in the same workspace, or else by its age.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from sidecar.store.appended import open_locked

log = logging.getLogger(__name__)

JOURNAL_DAYS = 90  # age from which the journal of a session that never ended is removed
LOCK_DAYS = 2  # age from which an unused lock is removed
TEMPORARY_MS = 600_000
"""Age from which a temporary file, written and renamed in milliseconds, is known to be left by a killed writer."""
_DAY_MS = 86_400_000


class JournalEntry(Protocol):
    """What every line has: a kind and, if the kind is `learned`, the byte up to which the journal was learned from."""

    @property
    def kind(self) -> str: ...

    @property
    def upto(self) -> int: ...


L = TypeVar("L", bound=JournalEntry)
Lines = Sequence[tuple[int, bytes, L]]


def read_lines(data: bytes, decoder: msgspec.json.Decoder[L]) -> list[tuple[int, bytes, L]]:
    """Return (offset, bytes, decoded line) for each line; skip broken lines."""
    lines: list[tuple[int, bytes, L]] = []
    at = 0
    for raw in data.splitlines(keepends=True):
        start, at = at, at + len(raw)
        try:
            lines.append((start, raw, decoder.decode(raw)))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
    return lines


def learned_upto(lines: Lines[L]) -> int:
    """Return the byte up to which the journal was learned from.

    A `learned` line that names a byte after its own start is outdated, and is ignored.
    """
    notes = (line.upto for start, _, line in lines if line.kind == "learned" and line.upto <= start)
    return max(notes, default=0)


class Owner(msgspec.Struct, frozen=True):
    """The session to which a journal belongs."""

    text: str = ""  # the session's id
    output: str | None = None  # path of its transcript
    tool: str = ""  # name of the agent
    given: tuple[str, ...] = ()  # processes that may be the agent's, nearest first
    ended: bool = False

    @property
    def process(self) -> str | None:
        return self.given[0] if self.given else None


_owner = msgspec.json.Decoder(Owner)


def owner_of(data: bytes) -> Owner:
    """Return the owner in a journal's last owner line, and whether the session ended after that line."""
    owner = Owner()
    for raw in data.splitlines():
        try:
            if raw.startswith(b'{"kind":"process"'):
                owner = _owner.decode(raw)
            elif raw.startswith(b'{"kind":"ended"'):
                owner = msgspec.structs.replace(owner, ended=True)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
    return owner


def journal_folder(home: Path, folder: Path) -> Path:
    from xxhash import xxh3_64_hexdigest

    return home / "hooks" / xxh3_64_hexdigest(str(folder).encode())


def remove_abandoned(home: Path, now: int) -> int:
    """Remove journals and locks in `home / "hooks"` that nobody uses any more; return the number of journals removed.

    `now` is in epoch milliseconds.
    """
    journals = 0
    for folder in _entries(home / "hooks"):
        for path in _entries(folder):
            try:
                if path.suffix == ".lock":
                    _remove_lock(path, now)
                elif path.suffix == ".jsonl":
                    journals += _remove_journal(path, now)
                elif path.suffix == ".tmp" and _age(path, now) > TEMPORARY_MS:
                    path.unlink(missing_ok=True)
            except OSError as error:
                log.info("%s cannot be removed: %s", path, error.strerror)
        with contextlib.suppress(OSError):  # the folder is rarely empty
            folder.rmdir()
    if journals:
        log.info("%d journals of hooks, untouched for %d days, were removed.", journals, JOURNAL_DAYS)
    return journals


def _remove_journal(path: Path, now: int) -> bool:
    if _age(path, now) <= JOURNAL_DAYS * _DAY_MS:
        return False
    with open_locked(path.with_suffix(".lock"), 0) as learning:
        if learning is None:
            return False
        with open_locked(path, 0) as writing:
            if writing is None or _age(path, now) <= JOURNAL_DAYS * _DAY_MS:
                return False
            path.unlink()
        path.with_suffix(".lock").unlink(missing_ok=True)
        return True


def _remove_lock(path: Path, now: int) -> None:
    if _age(path, now) <= LOCK_DAYS * _DAY_MS or path.with_suffix(".jsonl").exists():
        return
    with open_locked(path, 0) as lock:
        if lock is not None and not path.with_suffix(".jsonl").exists():
            path.unlink()


def _age(path: Path, now: int) -> float:
    """Return the milliseconds since the file was written; 0 if it is gone."""
    try:
        return now - path.stat().st_mtime * 1_000
    except FileNotFoundError:
        return 0.0


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        log.info("%s cannot be read: %s", folder, error.strerror)
        return []
