"""Create a store's database, and run diskcache's operations over connections of our own.

`create` uses diskcache's own constructor, which rewrites every setting in some forty synchronous commits, each of which
waits for every other writer. `StoreCache` skips it: `inspection.py` has verified the settings, so attaching only reads.

A connection serves one thread at a time. At most `CONNECTIONS_KEPT` unused ones stay open, because each takes two open
files, and some systems allow a process 256. A connection remembers which file it opened: after another process has
replaced that file, the next use connects to the new one. A forked child is refused, because a fork copies SQLite's
notes on its locks but not the locks.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import diskcache
import msgspec
from diskcache.core import DBNAME, MODE_RAW

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.faults import ForeignRow, StoreGone, forked, translating
from sidecar.store.location import PRIVATE_FILE
from sidecar.store.lock import FolderLock

log = logging.getLogger(__name__)

BUSY_SECONDS = 20.0  # a statement waits this long for another process
_CLOSE_SECONDS = 0.4  # closing waits this long for running requests
SYNCHRONOUS_FULL, SYNCHRONOUS_NORMAL = 2, 1  # values of "PRAGMA synchronous"
CONNECTIONS_KEPT = 3
CACHE_KIB = 1_024  # SQLite's cache for one connection, whatever the database's settings say

_INT64 = range(-(2**63), 2**63)

FileId = tuple[int, int]  # device and inode


class MsgpackDisk(diskcache.Disk):  # type: ignore[misc]
    """Stores only msgpack bytes of `codec.py`, text and 64-bit integers, all inside the database.

    Stock diskcache pickles values of unknown types, and unpickles whatever the database declares pickled, so that a
    planted row runs code (CVE-2025-69872). It also moves large values to side files, and a planted row could name any
    file.
    """

    def put(self, key: object) -> tuple[str | int, bool]:
        """Return the key as the database holds it. Raises `TypeError` for a key that would need pickling."""
        if type(key) is str or (type(key) is int and key in _INT64):
            return key, True
        raise TypeError(f"a store key is text or a 64-bit integer, not {type(key).__name__}")

    def get(self, key: object, raw: object) -> str | int:
        """Return the key as it was passed to `put`. Raises `ForeignRow` for a key that `put` never makes."""
        if raw == 1 and (type(key) is str or type(key) is int):
            return key
        raise ForeignRow("a key in a form that this program never writes")

    def store(self, value: object, read: bool, key: object = None) -> tuple[int, int, None, bytes | str | int]:
        """Return the columns size, mode, filename, value. Raises `TypeError` for what would need pickling or a file."""
        if read:
            raise TypeError("a store value is never a file")
        if type(value) is bytes or type(value) is str:
            if len(value) >= self.min_file_size:
                raise ValueError(f"a store value of {len(value)} bytes is too large")
            return 0, MODE_RAW, None, value
        if type(value) is int and value in _INT64:
            return 0, MODE_RAW, None, value
        raise TypeError(f"a store value is bytes, text or a 64-bit integer, not {type(value).__name__}")

    def fetch(self, mode: object, filename: object, value: Any, read: bool) -> bytes | str | int:
        """Return a value that `store` made. Raises `ForeignRow` for any other value, without interpreting it."""
        if mode == MODE_RAW and filename is None and not read and type(value) in (bytes, str, int):
            return value  # type: ignore[no-any-return]
        raise ForeignRow("a value in a form that this program never writes")

    def filename(self, key: object = None, value: object = None) -> NoReturn:
        raise TypeError("a store value is never a file")

    def remove(self, file_path: object) -> None:
        """Delete nothing: a row that names a file is not ours."""
        log.warning("A stored row named a file; the file was left alone.")


def settings(durable: bool) -> dict[str, str | int]:
    """Return every setting that diskcache keeps in the database; all processes use the same settings.

    Nothing is evicted, and no value leaves the database for a side file. The database is not mapped into memory, since
    truncating a mapped file kills the process.
    """
    return {
        "statistics": 0,
        "tag_index": 0,
        "eviction_policy": "none",
        "size_limit": 2**62,
        "cull_limit": 0,
        "sqlite_auto_vacuum": 1,
        "sqlite_cache_size": 2**13,
        "sqlite_journal_mode": "wal",
        "sqlite_mmap_size": 0,
        "sqlite_synchronous": SYNCHRONOUS_FULL if durable else SYNCHRONOUS_NORMAL,
        "disk_min_file_size": 2**30,
        "disk_pickle_protocol": 5,
    }


def create(folder: Path, durable: bool) -> None:
    """Create or repair the tables and settings of the database in `folder`, which must exist."""
    # Make the database file with our mode before SQLite makes it by the umask: its other files get the same mode.
    with contextlib.suppress(FileExistsError):
        os.close(os.open(folder / DBNAME, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE))
    with translating(folder):
        cache = diskcache.Cache(str(folder), timeout=BUSY_SECONDS, disk=MsgpackDisk, **settings(durable))
        cache.close()


class _Connection(msgspec.Struct, eq=False):
    sql: sqlite3.Connection
    file: FileId
    users: int = 1


class StoreCache(diskcache.Cache):  # type: ignore[misc]
    """Runs diskcache's table operations over our own connections to the database that `create` made."""

    def __init__(self, folder: Path, durable: bool, lock: FolderLock) -> None:
        self._directory = str(folder)
        self.folder = folder
        self._path = str(folder / DBNAME)
        self._lock = lock
        self._durable = durable
        self._timeout = BUSY_SECONDS
        self._closed = False
        self._pid = os.getpid()
        self._local = threading.local()
        self._txn_id: int | None = None
        self._guard = threading.RLock()
        self._idle = threading.Condition(self._guard)
        self._connections: list[_Connection] = []
        self._free: list[_Connection] = []  # connections that no thread uses; the last used one is last
        for key, value in settings(durable).items():
            setattr(self, key, value)
        self._disk = MsgpackDisk(
            self._directory, min_file_size=self.disk_min_file_size, pickle_protocol=self.disk_pickle_protocol
        )

    @contextlib.contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Yield this thread's connection, which `close` does not close until the block ends. May be nested."""
        if self._pid != os.getpid():
            raise forked(self.folder)
        pooled: _Connection | None = getattr(self._local, "pooled", None)
        if pooled is None:
            if self._closed:
                raise self._closed_error()
            pooled = self._local.pooled = self._take_free() or self._connect()
        else:
            pooled.users += 1
        try:
            yield pooled.sql
        finally:
            if pooled.users > 1:  # needs no lock: only this thread changes it, and `close` only compares with 0
                pooled.users -= 1
            else:
                with self._guard:
                    pooled.users = 0
                    self._give_back(pooled)

    def begin(self, sql: sqlite3.Connection) -> None:
        """Begin a transaction, which excludes all other writers, on this thread's connection."""
        sql.execute("BEGIN IMMEDIATE")
        self._txn_id = threading.get_ident()

    def end(self) -> None:
        """Record that the transaction was committed or rolled back."""
        self._txn_id = None

    def in_transaction(self) -> bool:
        """Return whether this thread of this process holds the open transaction."""
        return self._txn_id == threading.get_ident() and self._pid == os.getpid()

    def _take_free(self) -> _Connection | None:
        """Return an unused connection to the current file; None if there is none."""
        file = self.file()
        with self._guard:
            while self._free and not self._closed:
                pooled = self._free.pop()
                if pooled.file == file:
                    pooled.users = 1
                    return pooled
                self._drop(pooled)
        return None

    def _give_back(self, pooled: _Connection) -> None:
        del self._local.pooled
        # A connection on which a rollback failed cannot be used again.
        if self._closed or pooled.sql.in_transaction or len(self._free) >= CONNECTIONS_KEPT:
            self._drop(pooled)
            self._idle.notify_all()
        else:
            self._free.append(pooled)

    def _closed_error(self) -> StoreUnavailable:
        return StoreUnavailable(f"The store in {self.folder} is closed.", reason="closed")

    def file(self) -> FileId:
        """Return the device and inode of the database's current file. Raises `StoreGone` if there is none."""
        try:
            status = os.stat(self._path)
        except OSError as error:
            raise StoreGone(
                f"The store in {self.folder} is gone: {error.strerror}.",
                reason="gone",
                hint="Its files were removed while the sidecar ran; restart the sidecar.",
            ) from error
        return status.st_dev, status.st_ino

    def _connect(self) -> _Connection:
        until = time.monotonic() + BUSY_SECONDS
        while True:
            file = self.file()
            sql = sqlite3.connect(
                f"{Path(self._path).as_uri()}?mode=rw",
                uri=True,
                timeout=BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                self._configure(sql)
                same = file == self.file()
            except BaseException as error:
                sql.close()
                # While the database is being replaced, some of its files may be missing.
                moved = isinstance(error, sqlite3.Error) and file != self.file()
                if not moved or time.monotonic() > until:
                    raise
                continue
            if same:
                break
            sql.close()
        pooled = _Connection(sql, file)
        with self._guard:
            self._connections.append(pooled)
            if self._closed:
                self._drop(pooled)
                raise self._closed_error()
        return pooled

    def _configure(self, sql: sqlite3.Connection) -> None:
        for name, value in settings(self._durable).items():
            if name.startswith("sqlite_") and name != "sqlite_auto_vacuum":
                sql.execute(f"PRAGMA {name[7:]} = {value}").fetchall()
        # Keep each connection's cache small, since the system's cache serves all connections.
        sql.execute(f"PRAGMA cache_size = -{CACHE_KIB}").fetchall()
        # Overwrite what is deleted, so that a purged memory cannot be read from the free pages.
        sql.execute("PRAGMA secure_delete = 1").fetchall()
        sql.execute("PRAGMA trusted_schema = 0")
        # Make SQLite open the log now, so that it belongs to the file that the caller has identified.
        sql.execute("SELECT 1 FROM Cache LIMIT 1").fetchall()

    def _drop(self, pooled: _Connection) -> None:
        for pool in (self._connections, self._free):
            if pooled in pool:
                pool.remove(pooled)
        if getattr(self._local, "pooled", None) is pooled:
            del self._local.pooled
        pooled.sql.close()

    @property
    def sql(self) -> sqlite3.Connection:
        """Return this thread's connection, inside `connection`."""
        pooled: _Connection = self._local.pooled
        return pooled.sql

    _con = sql  # the name that diskcache's own methods use

    def close(self, noting: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext) -> None:
        """Close all connections; a connection in use is closed when its thread is done with it.

        Runs inside `noting()`, unless another process keeps the folder locked.
        """
        if self._pid != os.getpid():
            return
        with self._idle:
            self._closed = True
        # Closing the last connection removes the log: hold the lock, so that no process moves the files meanwhile.
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(self._lock.held(_CLOSE_SECONDS))
                stack.enter_context(noting())
            except StoreUnavailable:
                log.info("The database in %s is closed while another process has its lock.", self.folder)
            self._close_idle(time.monotonic() + _CLOSE_SECONDS)

    def _close_idle(self, until: float) -> None:
        with self._idle:
            while True:
                for pooled in [connection for connection in self._connections if connection.users == 0]:
                    self._drop(pooled)
                remaining = until - time.monotonic()
                if not self._connections or remaining <= 0:
                    return
                self._idle.wait(remaining)
