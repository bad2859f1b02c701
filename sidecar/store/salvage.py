"""Salvage a damaged database: copy its readable rows into a new database, and keep the damaged files beside it.

`opening.py` calls it. The new database is complete before the damaged one is moved, and each move is one rename. So
after a crash, one of the two is in place, once `finish_salvage` has completed an interrupted move.

First SQLite, which knows the pending log and the current pages, reads the rows from both ends, then one by one in
between. If it meets damage, the pages are also read directly (`pages.py`), for rows that SQLite cannot reach. Of two
copies of a row, the one stored later counts.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from sidecar.store import keys
from sidecar.store.backup import Backup
from sidecar.store.cache import StoreCache, create
from sidecar.store.faults import DAMAGE_ERRORS, too_new
from sidecar.store.inspection import Inspection, pending_log, reader
from sidecar.store.location import make_private
from sidecar.store.lock import FolderLock
from sidecar.store.mending import SalvagedRow, read_rows
from sidecar.store.pages import PageRow, rows_in_pages
from sidecar.store.schema import DatabaseKind
from sidecar.system.files import sync_folder

log = logging.getLogger(__name__)

_ROW_COLUMNS = "rowid, key, raw, store_time, tag, mode, filename, value"
_MAX_PROBES = 1_000_000  # rows tried one by one
_NOUNS = {
    keys.MEMORY: ("memory", "memories"),
    keys.HISTORY: ("version", "versions"),
    keys.ACCESS: ("access count", "access counts"),
    keys.SESSION: ("session", "sessions"),
}


def build_database(
    target: Path, kind: DatabaseKind, lock: FolderLock, version: int, rows: dict[str, SalvagedRow]
) -> None:
    """Make a database of the rows at `target`, complete or not at all."""
    making = target.with_name(f"{kind.name}.making")
    if making.exists():
        shutil.rmtree(making)
    make_private(making)
    create(making, kind.durable)
    cache = StoreCache(making, kind.durable, lock)
    try:
        with cache.connection() as sql, cache.transact():
            for key, row in rows.items():
                cache.set(key, row.value, tag=row.tag)
            cache.set(keys.VERSION, version)
        if not kind.derived:
            Backup(making).rewrite(0, read_rows(sql))
        sql.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        cache.close()
    os.rename(making, target)
    sync_folder(target.parent)


def empty_rows(kind: DatabaseKind) -> dict[str, SalvagedRow]:
    return {key: SalvagedRow(value, None) for key, value in kind.seed.items()}


def finish_salvage(directory: Path, kind: DatabaseKind) -> None:
    """Complete or drop the salvaged database that a crash left.

    If the damaged database was moved away already, the salvaged one takes its place.
    """
    salvaged = directory / f"{kind.name}.salvaged"
    if not salvaged.exists():
        return
    if (directory / kind.name).exists():
        shutil.rmtree(salvaged)
    else:
        os.rename(salvaged, directory / kind.name)
        sync_folder(directory)


def salvage(directory: Path, kind: DatabaseKind, lock: FolderLock, inspection: Inspection) -> str:
    """Replace a damaged database; return the message for the user. Raises `StoreTooNew`."""
    folder = directory / kind.name
    rows, lost, complete = ({}, 0, False) if kind.derived else _readable_rows(folder, kind, inspection)
    stored = rows.pop(keys.VERSION, None)
    version = inspection.version or (int(stored.value) if stored is not None else kind.version)
    if version > kind.version:
        raise too_new(folder, version, kind.version)
    if version == kind.version and kind.mend is not None:
        rows = kind.mend(rows)
    salvaged = directory / f"{kind.name}.salvaged"
    build_database(salvaged, kind, lock, version, rows)
    aside = free_name(directory, f"{kind.name}.damaged-")
    os.rename(folder, aside)
    os.rename(salvaged, folder)
    sync_folder(directory)
    return _notice(folder, kind, inspection, rows, lost, aside, complete)


def _readable_rows(
    folder: Path, kind: DatabaseKind, inspection: Inspection
) -> tuple[dict[str, SalvagedRow], int, bool]:
    """Return the readable rows, how many were unreadable, and whether the backup proves that none is missing."""
    backup = Backup(folder)
    saved = backup.rows()
    version = inspection.version or int(saved.get(keys.VERSION, SalvagedRow(kind.version, None)).value)
    saved = {key: row for key, row in saved.items() if kind.problem(version, key, 1, 1, None, row.value) is None}
    extent = backup.extent()
    complete = extent is not None and extent.whole and extent.number >= (inspection.number or 0)
    rows: dict[str, SalvagedRow] = dict(saved)
    lost = 0
    for row in _recover(folder):
        if kind.problem(version, row.key, row.raw, row.mode, row.filename, row.value) is not None:
            lost += 1
        elif not isinstance(row.key, str) or not isinstance(row.value, bytes | str | int):
            continue
        # Where they differ, a complete backup is right, except about rows written after it.
        elif not complete or (extent is not None and row.store_time > extent.at):
            rows[row.key] = SalvagedRow(row.value, row.tag if isinstance(row.tag, str | int) else None)
    return rows, lost, complete


def _recover(folder: Path) -> list[PageRow]:
    """Return every row that can be read, one for each key; the caller holds the folder's lock.

    Reading the file directly frees the locks that SQLite has on it for this process.
    """
    rows: dict[object, PageRow] = {}
    sound = False
    with contextlib.suppress(*DAMAGE_ERRORS), reader(folder, immutable=not pending_log(folder)) as sql:
        complete = _through_sqlite(sql, lambda row: rows.update({_identity(row): row}))
        sound = complete and sql.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
    if not sound:
        by_sqlite = len(rows)
        for row in rows_in_pages(folder):
            key = _identity(row)
            if key not in rows or rows[key].store_time < row.store_time:
                rows[key] = row
        log.warning("The damaged database in %s gave %d rows by SQLite, and %d in all.", folder, by_sqlite, len(rows))
    return list(rows.values())


def _identity(row: PageRow) -> object:
    return row.key if isinstance(row.key, str) else (type(row.key), row.key, row.rowid)


def _through_sqlite(sql: sqlite3.Connection, take: Callable[[PageRow], None]) -> bool:
    """Pass every row that SQLite can reach to `take`; return whether SQLite met no damage."""
    low = high = None
    try:
        for values in sql.execute(f"SELECT {_ROW_COLUMNS} FROM Cache NOT INDEXED ORDER BY rowid"):
            row = PageRow(*values)
            low = row.rowid
            take(row)
        return True
    except DAMAGE_ERRORS:
        log.info("Reading rows forward met damage after row %s.", low)
    try:
        for values in sql.execute(f"SELECT {_ROW_COLUMNS} FROM Cache NOT INDEXED ORDER BY rowid DESC"):
            row = PageRow(*values)
            if low is not None and row.rowid <= low:
                return False
            high = row.rowid
            take(row)
    except DAMAGE_ERRORS:
        log.info("Reading rows backward met damage before row %s.", high)
    first = 1 if low is None else low + 1
    for rowid in range(first, min(high or first, first + _MAX_PROBES)):
        with contextlib.suppress(*DAMAGE_ERRORS):
            for values in sql.execute(f"SELECT {_ROW_COLUMNS} FROM Cache WHERE rowid = ?", (rowid,)):
                take(PageRow(*values))
    return False


def _notice(
    folder: Path,
    kind: DatabaseKind,
    inspection: Inspection,
    rows: dict[str, SalvagedRow],
    lost: int,
    aside: Path,
    complete: bool,
) -> str:
    notice = f"The store in {folder} was damaged ({inspection.damage})."
    if kind.derived:
        return f"{notice} It can be made again and was started afresh; the damaged files are kept in {aside}."
    counts = Counter(key[:2] for key in rows)
    parts = [f"{counts[p]} {single if counts[p] == 1 else many}" for p, (single, many) in _NOUNS.items() if counts[p]]
    salvaged = f"Salvaged: {', '.join(parts)}." if parts else "Nothing in it could be read."
    gone = f" {lost} {'row was' if lost == 1 else 'rows were'} left behind as unreadable." if lost else ""
    if complete:
        gone += " Its backup is whole, so nothing is missing."
    return f"{notice} {salvaged}{gone} The damaged files are kept in {aside}."


def describe_set_aside(directory: Path) -> str | None:
    """Describe the damaged files that were set aside in a store's folder; None if there are none."""
    paths = sorted(directory.glob("*.damaged-*"))
    if not paths:
        return None
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return (
        f"This store was damaged and mended. The damaged files are kept in {paths[-1]}{more}; "
        "remove them once you miss nothing."
    )


def free_name(directory: Path, stem: str) -> Path:
    """Return an unused name in `directory`: `stem`, the time and, if needed, a number."""
    name = stem + time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    path, number = directory / name, 1
    while path.exists():
        number += 1
        path = directory / f"{name}-{number}"
    return path
