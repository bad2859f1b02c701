"""The errors of the database, and their translation into `StoreUnavailable`.

No exception of the database library leaves this room: `translating` turns each into one of ours.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import diskcache

from sidecar.runtime.errors import SidecarError, StoreTooNew, StoreUnavailable


class ForeignRow(Exception):
    """Raised for a row in a form that this program never writes (pickle, side file)."""


class Undecodable(ValueError):
    """Raised for stored bytes whose checksum or layout does not match."""


class StoreDamaged(StoreUnavailable):
    """Raised for a database that cannot be read; the next opening sets it aside and salvages it."""


class StoreGone(StoreUnavailable):
    """Raised if the files of an open store have been removed."""


def level_of(error: SidecarError) -> int:
    """Return the log level of a failure; that a store was closed during background work is no warning."""
    return logging.INFO if error.data.reason == "closed" else logging.WARNING


_DAMAGE_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
_DAMAGE_WORDS = (
    "malformed",
    "not a database",
    "no such table",
    "no such column",
    "has no column named",
    "unsupported file format",
    "Could not decode",
)

_BY_CODE: dict[int, tuple[str, str, str]] = {
    sqlite3.SQLITE_FULL: ("full", "the disk is full", "Free some space and try again; nothing was lost."),
    sqlite3.SQLITE_READONLY: (
        "readOnly",
        "it cannot be written",
        "Check who owns the folder and its permissions, or choose another store folder.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "cannotOpen",
        "its database cannot be opened",
        "Check that the folder exists, who owns it and its permissions.",
    ),
    sqlite3.SQLITE_PERM: ("permission", "access was denied", "Check who owns the folder and its permissions."),
    sqlite3.SQLITE_BUSY: (
        "busy",
        "another process kept it locked for too long",
        "Try again; if it stays so, look for a suspended memory-sidecar process.",
    ),
    sqlite3.SQLITE_LOCKED: ("busy", "it is locked", "Try again."),
    sqlite3.SQLITE_IOERR: (
        "io",
        "reading or writing the disk failed",
        "Check the disk and its free space; nothing that was acknowledged is lost.",
    ),
}


DAMAGE_ERRORS = (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError)
"""Exceptions of sqlite3 for a damaged file; UnicodeDecodeError is for a message that quotes the file's bytes."""


def is_damage(error: Exception) -> bool:
    """Return whether an error says that a file's content is damaged, not merely that the file is inaccessible."""
    if not isinstance(error, sqlite3.Error):
        return True
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None and (code & 0xFF) in _DAMAGE_CODES:
        return True
    return isinstance(error, sqlite3.DatabaseError) and any(word in str(error) for word in _DAMAGE_WORDS)


def translate(error: Exception, folder: Path) -> StoreUnavailable:
    if isinstance(error, diskcache.Timeout):
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    if is_damage(error):
        return StoreDamaged(
            f"The store in {folder} is damaged ({error}).",
            reason="damaged",
            hint="Restart the sidecar: it sets the damaged database aside and salvages what is readable.",
        )
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    reason, what, hint = _BY_CODE.get(code, ("unavailable", str(error), "Run `memory-sidecar doctor`."))
    return StoreUnavailable(f"The store in {folder} is not usable: {what}.", reason=reason, hint=hint)


LIBRARY_ERRORS = (sqlite3.Error, UnicodeDecodeError, diskcache.Timeout)
"""Exceptions of the database library that `translate` accepts."""


@contextlib.contextmanager
def translating(folder: Path) -> Iterator[None]:
    try:
        yield
    except LIBRARY_ERRORS as error:
        raise translate(error, folder) from error


def unreachable(error: OSError, folder: Path) -> StoreUnavailable:
    return StoreUnavailable(
        f"The store in {folder} is not usable: {error.strerror or error}.",
        reason="folder",
        hint="Check that it is a folder of yours that can be written, or choose another store folder.",
    )


def forked(folder: Path) -> StoreUnavailable:
    return StoreUnavailable(
        f"The store in {folder} was opened before this process was forked.",
        reason="forked",
        hint="SQLite's locks don't pass a fork: use the store in the process that opened it, or spawn.",
    )


def too_new(folder: Path, version: int, supported: int) -> StoreTooNew:
    """Return the error for a database of layout `version`, if this program knows versions up to `supported`."""
    return StoreTooNew(
        f"The store in {folder} has layout version {version}; this memory-sidecar knows versions up to {supported}."
        " It was left untouched.",
        reason="tooNew",
        hint="Update memory-sidecar, or point it at another store folder.",
    )
