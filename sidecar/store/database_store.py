"""Base classes of stores over one database: open, close, measure, and replace a damaged derived database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Self, TypeVar

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.cache import FileId
from sidecar.store.database import Database
from sidecar.store.faults import StoreDamaged, StoreGone
from sidecar.store.opening import open_database, start_afresh
from sidecar.store.rows import Rows
from sidecar.store.schema import DatabaseKind

R = TypeVar("R")


class DatabaseStore:
    """One database, for any thread and any number of processes.

    Every method can raise `StoreUnavailable`. A damaged record is skipped and logged.
    """

    kind: ClassVar[DatabaseKind]

    def __init__(self, directory: Path, database: Database) -> None:
        self.directory = directory
        self.repair_message = database.repair_message
        self._database = database

    @classmethod
    def open(cls, directory: Path) -> Self:
        return cls(directory, open_database(directory, cls.kind))

    @property
    def schema_version(self) -> int:
        return self.kind.version

    @property
    def is_gone(self) -> bool:
        """Return whether the store's files were deleted, so that it must be reopened."""
        return self._database.file() is None

    def close(self) -> None:
        self._database.close()

    def size(self) -> int:
        return self._database.size()


class DerivedStore(DatabaseStore):
    """A store of values that can be made again: if its database is damaged or missing, a new one is started.

    Lost values read as absent; only other faults raise `StoreUnavailable`.
    """

    def _read(self, work: Callable[[Rows], R]) -> R | None:
        """Return what `work` reads; None if a new database had to be started."""
        file = self._database.file()
        try:
            return self._database.read(work)
        except StoreUnavailable as error:
            self._replace(file, error)
        return None

    def _write(self, work: Callable[[Rows], R]) -> R:
        """Run `work` in one transaction; run it again if a new database had to be started."""
        file = self._database.file()
        try:
            with self._database.writing() as rows:
                return work(rows)
        except StoreUnavailable as error:
            self._replace(file, error)
        with self._database.writing() as rows:
            return work(rows)

    def _replace(self, file: FileId | None, error: StoreUnavailable) -> None:
        if not isinstance(error, StoreDamaged | StoreGone):
            raise error
        start_afresh(self._database.folder.parent, self.kind, self._database.lock, file, error.message)
