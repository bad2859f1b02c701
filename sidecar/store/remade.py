"""A database of values that can be made again: found damaged or gone in the middle of use, it is started afresh."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.cache import FileId
from sidecar.store.database import Database, Rows
from sidecar.store.faults import StoreDamaged, StoreGone
from sidecar.store.opening import open_database, start_afresh
from sidecar.store.schema import Kind

R = TypeVar("R")


class Remade:
    """One derived database. What it cannot give any more reads as absent; only other faults raise StoreUnavailable."""

    def __init__(self, directory: Path, kind: Kind, database: Database) -> None:
        self.directory = directory
        self.notice = database.notice
        self._kind = kind
        self._database = database

    @classmethod
    def open(cls, directory: Path, kind: Kind) -> Remade:
        """Opens the database of this kind in `directory`, made if missing; `StoreUnavailable`."""
        return cls(directory, kind, open_database(directory, kind))

    def close(self) -> None:
        """Closes all files; idempotent."""
        self._database.close()

    def size(self) -> int:
        """Bytes on disk."""
        return self._database.size()

    def read(self, work: Callable[[Rows], R], absent: R) -> R:
        """What `work` reads; `absent` when the database had to be started afresh."""
        seen = self._database.file()
        try:
            with self._database.reading() as rows:
                return work(rows)
        except StoreUnavailable as error:
            self._replace(seen, error)
        return absent

    def write(self, work: Callable[[Rows], R]) -> R:
        """Runs `work` in one transaction; once more in a new database when it had to be started afresh."""
        seen = self._database.file()
        try:
            with self._database.writing() as rows:
                return work(rows)
        except StoreUnavailable as error:
            self._replace(seen, error)
        with self._database.writing() as rows:
            return work(rows)

    def _replace(self, seen: FileId | None, error: StoreUnavailable) -> None:
        if not isinstance(error, StoreDamaged | StoreGone):
            raise error
        start_afresh(self._database.folder.parent, self._kind, self._database.lock, seen, error.message)
