"""The base of every store here: rows under text keys, read with single statements and written in transactions."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import msgspec

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.backup import Backup
from sidecar.store.cache import FileId, StoreCache
from sidecar.store.faults import LIBRARY_ERRORS, StoreDamaged, StoreGone, too_new, translate, translating
from sidecar.store.keys import VERSION
from sidecar.store.lock import FolderLock
from sidecar.store.mending import SalvagedRow, read_rows
from sidecar.store.rows import Rows, roll_back
from sidecar.store.soundness import Soundness

log = logging.getLogger(__name__)

R = TypeVar("R")


class Opening(msgspec.Struct, frozen=True, eq=False):
    """How a database was opened, and the files beside it."""

    repair_message: str | None = None  # what was done, for the user
    backup: Backup | None = None
    soundness: Soundness | None = None
    before_first_write: Callable[[], object] | None = None
    temporary_folder: TemporaryDirectory[str] | None = None  # holds the copy, if only a copy could be opened
    refusal: StoreUnavailable | None = None  # why nothing may be written to the copy
    is_outdated: Callable[[], bool] | None = None  # whether the original has changed since it was copied


class Database:
    """One open database; `version` is the layout version that this program writes."""

    def __init__(self, cache: StoreCache, lock: FolderLock, version: int, opening: Opening) -> None:
        self.cache = cache
        self.lock = lock
        self._version = version
        self._opening = opening
        self._backup = opening.backup
        self._before_first_write = opening.before_first_write
        soundness = opening.soundness
        self._renewing_note = contextlib.nullcontext if soundness is None else soundness.renewing
        self._rows = Rows(cache, soundness)
        self.repair_message = opening.repair_message

    @property
    def folder(self) -> Path:
        return self.cache.folder

    @contextlib.contextmanager
    def reading(self) -> Iterator[Rows]:
        """Yield rows to read; each call is one consistent statement. Inside `writing`, it sees that block's changes."""
        with self._explaining_errors(), self.cache.connection():
            yield self._rows

    def read(self, work: Callable[[Rows], R]) -> R:
        """Return what `work` reads; see `reading`."""
        with self._explaining_errors(), self.cache.connection():
            return work(self._rows)

    def explain(self, error: Exception) -> StoreUnavailable:
        """Translate an exception; if it says that the database is damaged, let the next opening inspect it."""
        refusal = translate(error, self.cache.folder)
        if isinstance(refusal, StoreDamaged):
            self._rows.report_damage()
        return refusal

    @contextlib.contextmanager
    def _explaining_errors(self) -> Iterator[None]:
        try:
            yield
        except LIBRARY_ERRORS as error:
            raise self.explain(error) from error

    @contextlib.contextmanager
    def writing(self) -> Iterator[Rows]:
        """Run the block as one transaction: on disk when the block has ended, rolled back if the block raises.

        No other process can write meanwhile, so keep the block short and never await in it.
        """
        if self.cache.in_transaction():
            raise RuntimeError("a transaction of this store is already open in this thread")
        self.check_writable()
        with self.lock.held(), self._explaining_errors(), self._renewing_note(), contextlib.ExitStack() as stack:
            if self._before_first_write is not None:
                self._before_first_write()
                self._before_first_write = None
            sql = stack.enter_context(self.cache.connection())
            self.cache.begin(sql)
            changes = stack.enter_context(self._rows.collecting_changes())
            number = None
            try:
                self._check_version()
                yield self._rows
                if changes and self._backup is not None:
                    number = transaction_number(sql) + 1
                    complete = self._append(number, changes)
                    sql.execute(f"PRAGMA user_version = {number}")
                sql.execute("COMMIT")
            except BaseException:
                roll_back(sql)
                if number is not None and self._backup is not None:
                    self._backup.revoke(number)
                raise
            finally:
                self.cache.end()
            if number is not None and self._backup is not None and not complete:
                self._backup.rewrite(number, read_rows(sql))

    def truncate_log(self) -> None:
        """Empty the write-ahead log, which still holds deleted rows, as far as running readers allow."""
        with translating(self.cache.folder), self.cache.connection() as sql:
            sql.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def check_writable(self) -> None:
        """Raise `StoreUnavailable` with the reason if nothing may be written here."""
        if (why := self._opening.refusal) is not None:
            raise type(why)(why.message, reason=why.data.reason, hint=why.data.hint)

    def _append(self, number: int, changes: Mapping[str, SalvagedRow | None]) -> bool:
        """Append the open transaction to the backup; return False if that failed or the backup must be rewritten."""
        assert self._backup is not None
        try:
            return self._backup.append(number, changes)
        except OSError as error:
            log.warning("%s cannot be written: %s", self._backup.path, error.strerror)
            return False

    def _check_version(self) -> None:
        # A newer sidecar may have migrated the database after this process had opened it.
        version = self._rows.get(VERSION)
        if type(version) is not int:
            raise StoreDamaged(
                f"The store in {self.cache.folder} is damaged: it does not say its version.",
                reason="damaged",
                hint="Restart the sidecar: it sets the damaged database aside and salvages what is readable.",
            )
        if version != self._version:
            raise too_new(self.cache.folder, version, self._version)

    def file(self) -> FileId | None:
        """Return the identity of the database's current file; None if the file is gone or is an outdated copy."""
        try:
            return None if (outdated := self._opening.is_outdated) and outdated() else self.cache.file()
        except StoreGone:
            return None

    def size(self) -> int:
        total = 0
        for path in self.cache.folder.glob("cache.db*"):
            with contextlib.suppress(FileNotFoundError):
                total += path.stat().st_size
        if self._backup is not None:
            total += self._backup.size()
        return total

    def close(self) -> None:
        """Close every connection. Any later use raises `StoreUnavailable`."""
        with translating(self.cache.folder):
            self.cache.close(self._renewing_note)
        self.lock.close()
        if self._opening.temporary_folder is not None:
            self._opening.temporary_folder.cleanup()


def transaction_number(sql: sqlite3.Connection) -> int:
    """Return the number of the last committed transaction, from SQLite's header."""
    return int(sql.execute("PRAGMA user_version").fetchone()[0])
