"""Remove what hooks wrote for workspaces to which nobody returned: session journals and their locks.

A session's journal is removed when the session ends; that of a session that never ended, when a later one starts in the
same workspace. If no later one starts, age decides. Lines from which nothing was learned are counted and reported.
"""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path
from typing import NamedTuple

import msgspec

from sidecar.store.appended import open_locked
from sidecar.store.journal_lines import learned_upto, read_lines

log = logging.getLogger(__name__)

JOURNAL_DAYS = 90
LOCK_DAYS = 2
TEMPORARY_MS = 600_000
"""A file that takes milliseconds to write and was not renamed for this long was left by a writer that was killed."""
_DAY_MS = 86_400_000
_TEACHING = ("tool", "user", "assistant", "compaction")


class Removed(NamedTuple):
    """Counts of journals, locks, and the journals' lines from which nothing was learned."""

    journals: int = 0
    locks: int = 0
    unlearned: int = 0


class _Line(msgspec.Struct):
    kind: str
    upto: int = 0


_line = msgspec.json.Decoder(_Line)


def remove_abandoned(home: Path, now: int) -> Removed:
    """Remove what is no longer used below `home / "hooks"` at `now` (epoch ms), as far as it can be removed."""
    journals = locks = unlearned = 0
    for left_folder in _entries(home / "hooks"):
        for path in _entries(left_folder):
            try:
                if path.suffix == ".lock":
                    locks += _remove_lock(path, now)
                elif path.suffix == ".jsonl" and (lines := _remove_journal(path, now)) is not None:
                    journals += 1
                    unlearned += lines
                elif path.suffix == ".tmp" and _age(path, now) > TEMPORARY_MS:
                    path.unlink(missing_ok=True)
            except OSError as error:
                log.info("%s cannot be removed: %s", path, error.strerror)
        with contextlib.suppress(OSError):  # the folder is rarely empty
            left_folder.rmdir()
    removed = Removed(journals, locks, unlearned)
    if journals:
        log.log(
            logging.WARNING if unlearned else logging.INFO,
            "Removed %d journals of hooks, untouched for %d days; nothing was learned from %d lines of them.",
            journals,
            JOURNAL_DAYS,
            unlearned,
        )
    return removed


def unlearned(data: bytes) -> int:
    """Count the lines of a journal that teach something and from which nothing was learned yet."""
    lines = read_lines(data, _line)
    upto = learned_upto(lines)
    return sum(1 for start, _, line in lines if line.kind in _TEACHING and start >= upto)


def _remove_journal(path: Path, now: int) -> int | None:
    """Return the number of lines from which nothing was learned, or None if the journal stays."""
    if _age(path, now) <= JOURNAL_DAYS * _DAY_MS:
        return None
    with open_locked(path.with_suffix(".lock"), 0) as learning:
        if learning is None:
            return None
        with open_locked(path, 0) as writing:
            if writing is None or _age(path, now) <= JOURNAL_DAYS * _DAY_MS:
                return None
            lines = unlearned(path.read_bytes())
            path.unlink()
        path.with_suffix(".lock").unlink(missing_ok=True)
        return lines


def _remove_lock(path: Path, now: int) -> bool:
    """Remove a lock that has no journal; return whether it was removed."""
    if _age(path, now) <= LOCK_DAYS * _DAY_MS or path.with_suffix(".jsonl").exists():
        return False
    with open_locked(path, 0) as lock:
        if lock is None or path.with_suffix(".jsonl").exists():
            return False
        path.unlink()
        return True


def _age(path: Path, now: int) -> float:
    """Return milliseconds since the file was written; 0 if it is gone."""
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
