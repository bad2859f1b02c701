"""Read whatever rows are left of a damaged database.

First SQLite, which knows the pending log and the current pages, reads the rows from both ends and then one by one in
between. If it meets damage, the pages are also read directly (`pages.py`), for rows that SQLite can no longer reach; of
two copies of a row, the one stored later counts.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

from sidecar.store.faults import BROKEN
from sidecar.store.inspection import pending_log, reader
from sidecar.store.pages import PageRow, rows_in_pages

log = logging.getLogger(__name__)

_COLUMNS = "rowid, key, raw, store_time, tag, mode, filename, value"
_MAX_PROBES = 1_000_000


def recover(folder: Path) -> list[PageRow]:
    """Return every row that can be read, one for each key; the caller holds the folder's lock.

    Reading the file directly frees any lock that this process has on it through SQLite.
    """
    rows: dict[object, PageRow] = {}
    sound = False
    with contextlib.suppress(*BROKEN), reader(folder, immutable=not pending_log(folder)) as sql:
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
        for values in sql.execute(f"SELECT {_COLUMNS} FROM Cache NOT INDEXED ORDER BY rowid"):
            row = PageRow(*values)
            low = row.rowid
            take(row)
        return True
    except BROKEN:
        log.info("Reading rows forward met damage after row %s.", low)
    try:
        for values in sql.execute(f"SELECT {_COLUMNS} FROM Cache NOT INDEXED ORDER BY rowid DESC"):
            row = PageRow(*values)
            if low is not None and row.rowid <= low:
                return False
            high = row.rowid
            take(row)
    except BROKEN:
        log.info("Reading rows backward met damage before row %s.", high)
    first = 1 if low is None else low + 1
    for rowid in range(first, min(high or first, first + _MAX_PROBES)):
        with contextlib.suppress(*BROKEN):
            for values in sql.execute(f"SELECT {_COLUMNS} FROM Cache WHERE rowid = ?", (rowid,)):
                take(PageRow(*values))
    return False
