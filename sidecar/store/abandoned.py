"""Remove what hooks wrote for workspaces to which nobody returned: session journals and their locks.

A session's journal is removed when the session ends; the journal of a session that never ended, when a later session
starts in the same workspace. Where no later session starts, age decides.
"""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path

from sidecar.store.appended import open_locked

log = logging.getLogger(__name__)

JOURNAL_DAYS = 90  # age from which the journal of a session that never ended is removed
LOCK_DAYS = 2  # age from which an unused lock is removed
TEMPORARY_MS = 600_000
"""Age from which a temporary file, written and renamed in milliseconds, is known to be left by a killed writer."""
_DAY_MS = 86_400_000


def remove_abandoned(home: Path, now: int) -> int:
    """Remove journals and locks below `home / "hooks"` that are out of use at `now` (epoch ms); count the journals."""
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
    """Return milliseconds since the file was written; 0 if the file is gone."""
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
