"""Inspect a database before it is opened, without changing a byte of it.

Without a pending log, the database is read as immutable, so that SQLite neither locks nor creates a file; the caller
holds the folder's lock, which keeps writers away. With a pending log (another sidecar is running, or one was killed),
it is read through the log, read-only. SQLite may then touch its shared index file `-shm`, which holds no content.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
from diskcache.core import DBNAME, METADATA

from sidecar.store import keys
from sidecar.store.cache import BUSY_SECONDS, settings
from sidecar.store.database import transaction_number
from sidecar.store.faults import DAMAGE_ERRORS, is_damage, translate
from sidecar.store.schema import DatabaseKind

_SCHEMA_OBJECTS = frozenset(
    (kind, name)
    for kind, names in (
        ("table", "Settings Cache"),
        ("index", "sqlite_autoindex_Settings_1 Cache_key_raw Cache_expire_time"),
        ("trigger", "Settings_count_insert Settings_count_delete"),
        ("trigger", "Settings_size_insert Settings_size_update Settings_size_delete"),
    )
    for name in names.split()
)

_TRIAL_STATEMENTS = (
    "INSERT INTO Cache (key, raw, store_time, expire_time, access_time, access_count, tag, size, mode, filename, value)"
    " VALUES (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
    "UPDATE Cache SET size = 0",
    "DELETE FROM Cache",
    "SELECT rowid, key, raw, store_time, expire_time, access_time, access_count, tag, size, mode, filename, value"
    " FROM Cache INDEXED BY Cache_key_raw WHERE key = 0 AND raw = 0",
)
"""Statements that SQLite must be able to prepare, for which it works out the columns and the triggers."""


class Inspection(msgspec.Struct, frozen=True):
    """What an inspection found."""

    version: int | None  # of the layout; None if unreadable
    damage: str | None = None  # what is damaged
    settings_agree: bool = True  # diskcache's settings in the database are ours
    number: int | None = None  # of the last transaction; None if unreadable


def inspect_database(folder: Path, kind: DatabaseKind, *, sound: bool = False) -> Inspection:
    """Inspect the database in `folder`: every row of it or, if it is known to be `sound`, only its head.

    Raises `StoreUnavailable` if the database cannot be reached.
    """
    path = folder / DBNAME
    if not path.exists():
        return Inspection(None, "its database file is missing")
    if path.stat().st_size == 0:
        return Inspection(None, "its database file is empty")
    if pending_log(folder):
        with contextlib.suppress(*DAMAGE_ERRORS), reader(folder, immutable=True) as sql:
            version = _version(sql)
            if version is not None and version > kind.version:
                return Inspection(version)
    version = number = None
    try:
        with reader(folder, immutable=not pending_log(folder)) as sql:
            sql.text_factory = str  # twice as fast; fails for bytes that are not text, which are damage here
            number = transaction_number(sql)
            version = _version(sql)
            if version is not None and version > kind.version:
                return Inspection(version)
            inspection = inspect_rows(sql, kind, version, sound)
            return msgspec.structs.replace(inspection, number=number)
    except DAMAGE_ERRORS as error:
        if is_damage(error):
            return Inspection(version, str(error), number=number)
        raise translate(error, folder) from error


def pending_log(folder: Path) -> bool:
    """Return whether committed changes may be outside the main file."""
    wal = folder / f"{DBNAME}-wal"
    return wal.exists() and wal.stat().st_size > 0


@contextlib.contextmanager
def reader(folder: Path, *, immutable: bool) -> Iterator[sqlite3.Connection]:
    """Yield a connection that cannot write. Text that is not UTF-8 is returned as bytes."""
    uri = f"{(folder / DBNAME).absolute().as_uri()}?mode=ro{'&immutable=1' if immutable else ''}"
    with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as sql:
        sql.text_factory = _text
        sql.execute("PRAGMA trusted_schema = 0")
        yield sql


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _version(sql: sqlite3.Connection) -> int | None:
    row = sql.execute("SELECT value FROM Cache WHERE key = ? AND raw = 1", (keys.VERSION,)).fetchone()
    return row[0] if row is not None and type(row[0]) is int else None


def inspect_rows(sql: sqlite3.Connection, kind: DatabaseKind, version: int | None, sound: bool) -> Inspection:
    if version is None or version < 1:
        return Inspection(None, "it does not say its version")
    objects = set(sql.execute("SELECT type, name FROM sqlite_master").fetchall())
    if objects != _SCHEMA_OBJECTS:
        return Inspection(version, "its tables are not those of a store")
    for statement in _TRIAL_STATEMENTS:
        sql.execute(f"EXPLAIN {statement}").fetchall()
    if [name for _, _, name in sql.execute("PRAGMA index_info(Cache_key_raw)")] != ["key", "raw"]:
        return Inspection(version, "its keys are not indexed")
    stored = {key: value for key, value in sql.execute("SELECT key, value FROM Settings") if key not in METADATA}
    wanted = settings(kind.durable)
    if not stored.keys() <= wanted.keys():
        return Inspection(version, "it holds settings that memory-sidecar never writes")
    if not kind.derived and not sound:
        # Do not read a derived database as a whole: it may be large, and each of its values is verified when read.
        checked = [str(line) for (line,) in sql.execute("PRAGMA integrity_check(5)")]
        if checked != ["ok"]:
            return Inspection(version, "; ".join(checked))
        bad = sum(
            kind.problem(version, *row) is not None
            for row in sql.execute("SELECT key, raw, mode, filename, value FROM Cache")
        )
        if bad:
            return Inspection(version, f"{bad} {'entry is' if bad == 1 else 'entries are'} not readable")
    return Inspection(version, None, stored == wanted)
