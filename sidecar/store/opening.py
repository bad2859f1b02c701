"""Open a database: first make, salvage or migrate it if its state demands that, or else open it only to be read.

All of this is done under the folder's lock. If several processes open a database at once, one does the work, and the
others find it done.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from diskcache.core import DBNAME

from sidecar.runtime.errors import SidecarError, StoreTooNew, StoreUnavailable
from sidecar.store import keys
from sidecar.store.backup import Backup
from sidecar.store.cache import FileId, StoreCache, create
from sidecar.store.database import Database, Opening, transaction_number
from sidecar.store.faults import too_new, translating, unreachable
from sidecar.store.inspection import Inspection, inspect_database, pending_log, reader
from sidecar.store.location import PRIVATE_FILE, make_private
from sidecar.store.lock import FolderLock
from sidecar.store.mending import read_rows
from sidecar.store.rows import Rows
from sidecar.store.salvage import build_database, empty_rows, finish_salvage, free_name, salvage
from sidecar.store.schema import DatabaseKind
from sidecar.store.soundness import Soundness
from sidecar.system.files import sync_folder

log = logging.getLogger(__name__)

_READABLE_REASONS = ("folder", "readOnly", "permission", "cannotOpen", "full", "io", "tooNew")
_NOT_MADE_EMPTY = ("memories", "activity")  # if a database of these kinds is missing, no empty copy stands in for it
OPENING_PATIENCE = 3.0  # seconds to wait for another process before the database is opened without inspection


def open_database(directory: Path, kind: DatabaseKind, *, copy: Opening | None = None) -> Database:
    """Open the database of this kind in `directory`, and make it if it is missing. Raises `StoreUnavailable`.

    If it cannot be written now, or a newer program wrote it, a copy of it is opened only to be read (but no copy of a
    copy). If another process keeps it busy, it is opened without inspection. The result's `repair_message` says what
    was salvaged or migrated, or why the database can only be read. `copy` says what is known of a copy beforehand.
    """
    opener = _Opener(directory, kind, FolderLock(directory / f"{kind.name}.lock"), copy or Opening())
    try:
        make_private(directory)
        with opener.lock.held(OPENING_PATIENCE), _reachable(directory):
            notice = opener.prepare()
            cache = opener.cache()
            with cache.connection() as sql:
                # Find out now whether the store can be written, not when the first memory is recorded.
                sql.execute("BEGIN IMMEDIATE")
                sql.execute("ROLLBACK")
    except StoreUnavailable as error:
        if error.data.reason == "busy" and (database := opener.open_busy()) is not None:
            return database
        opener.lock.close()
        if copy is not None or (database := _open_copy(directory, kind, error)) is None:
            raise
        log.log(logging.INFO if kind.derived else logging.WARNING, "%s", database.repair_message)
        return database
    except BaseException:
        opener.lock.close()
        raise
    if notice is not None:
        log.warning("%s", notice)
    return opener.database(cache, notice)


def start_afresh(directory: Path, kind: DatabaseKind, lock: FolderLock, damaged: FileId | None, reason: str) -> None:
    """Replace a derived database that was found damaged or gone while in use, unless another process did so already.

    `damaged` is the file that was in use, or None if it was gone.
    """
    make_private(directory)
    with lock.held(), _reachable(directory):
        try:
            status = os.stat(directory / kind.name / DBNAME)
        except FileNotFoundError:
            _Opener(directory, kind, lock, Opening()).prepare()
            return
        if (status.st_dev, status.st_ino) == damaged:
            log.warning("%s", salvage(directory, kind, lock, Inspection(None, reason)))


@contextlib.contextmanager
def _reachable(directory: Path) -> Iterator[None]:
    with translating(directory):
        try:
            yield
        except OSError as error:
            raise unreachable(error, directory) from error


class _Opener:
    def __init__(self, directory: Path, kind: DatabaseKind, lock: FolderLock, template: Opening) -> None:
        self._template = template
        self.directory = directory
        self.folder = folder = directory / kind.name
        self.kind = kind
        self.lock = lock
        self.backup = None if kind.derived else Backup(folder)
        self.soundness = None if self.backup is None else Soundness(folder, kind.version, self.backup)

    def cache(self) -> StoreCache:
        return StoreCache(self.folder, self.kind.durable, self.lock)

    def database(
        self, cache: StoreCache, notice: str | None = None, before_first_write: Callable[[], object] | None = None
    ) -> Database:
        opening = msgspec.structs.replace(
            self._template,
            repair_message=self._template.repair_message or notice,
            backup=self.backup,
            soundness=self.soundness,
            before_first_write=before_first_write,
        )
        return Database(cache, self.lock, self.kind.version, opening)

    def open_busy(self) -> Database | None:
        """Open the database while its lock is taken; it is inspected before the first write. None if unreadable."""
        cache = self.cache()
        database = self.database(cache, before_first_write=self.prepare)
        try:
            with database.reading() as rows:
                if rows.get(keys.VERSION) == self.kind.version:
                    return database
        except StoreUnavailable as error:
            log.info("The database of %s is opened again: %s", self.directory, error.message)
        cache.close()
        return None

    def prepare(self) -> str | None:
        """Make the database, or repair it unless it is known to be whole; return what the user should know."""
        finish_salvage(self.directory, self.kind)
        soundness = self.soundness
        if not self.folder.exists():
            build_database(self.folder, self.kind, self.lock, self.kind.version, empty_rows(self.kind))
            if soundness is not None:
                soundness.record_whole()
            return None
        make_private(self.folder)
        if soundness is None:
            return self._repair(sound=False)
        if soundness.is_known_whole():
            with soundness.renewing():
                return self._repair(sound=True)
        notice = self._repair(sound=False)
        soundness.record_whole()
        return notice

    def _repair(self, *, sound: bool) -> str | None:
        """Salvage, complete and migrate the database as far as its state demands."""
        folder, kind, backup = self.folder, self.kind, self.backup
        notices = []
        extent = backup.extent() if backup is not None else None
        inspection = inspect_database(folder, kind, sound=sound)
        missing = 0 if extent is None or inspection.number is None else extent.number - inspection.number
        if inspection.damage is None and missing > 1:
            inspection = msgspec.structs.replace(inspection, damage=f"its last {missing} changes were missing")
        if inspection.version is not None and inspection.version > kind.version:
            raise too_new(folder, inspection.version, kind.version)
        if inspection.damage is not None:
            notices.append(salvage(self.directory, kind, self.lock, inspection))
            inspection = inspect_database(folder, kind)
            if inspection.damage is not None:
                raise StoreUnavailable(
                    f"The store in {folder} was salvaged and is still damaged: {inspection.damage}.", reason="damaged"
                )
        elif backup is not None and missing == 1:
            # A writer died before its commit, or the log lost the last transaction: repeat the transaction.
            changes = backup.last_changes()
            self._write(inspection.version, lambda rows: rows.apply(changes))
            inspection = inspect_database(folder, kind)
        for path in folder.glob(f"{DBNAME}*"):
            if (mode := path.stat().st_mode & 0o777) & ~PRIVATE_FILE:
                path.chmod(mode & PRIVATE_FILE)
        if not inspection.settings_agree:
            create(folder, kind.durable)
        if inspection.version is not None and inspection.version < kind.version:
            notices.append(self._migrate(inspection.version))
        if backup is not None:
            self._renew(backup)
        return " ".join(notices) or None

    def _renew(self, backup: Backup) -> None:
        """Rewrite the backup unless it agrees with the database."""
        with reader(self.folder, immutable=not pending_log(self.folder)) as sql:
            number, extent = transaction_number(sql), backup.extent()
            if extent is None or extent.number != number or not extent.whole or extent.outdated:
                backup.rewrite(number, read_rows(sql))

    def _write(self, version: int | None, change: Callable[[Rows], None]) -> None:
        """Change the database, which has layout `version`, in one transaction."""
        cache = self.cache()
        try:
            opening = Opening(backup=self.backup)
            with Database(cache, self.lock, version or self.kind.version, opening).writing() as rows:
                change(rows)
        finally:
            cache.close()

    def _migrate(self, version: int) -> str:
        copy = self._copy(version)

        def change(rows: Rows) -> None:
            for step in self.kind.migrations[version - 1 :]:
                step(rows)
            rows.set(keys.VERSION, self.kind.version)

        try:
            self._write(version, change)
        except SidecarError:
            raise
        except Exception as error:
            raise StoreUnavailable(
                f"The store in {self.folder} could not be migrated from layout version {version} to"
                f" {self.kind.version} ({type(error).__name__}: {error}). It was left as it was.",
                reason="migration",
                hint=f"Use the version of memory-sidecar that wrote it, and report this. A copy is in {copy}.",
            ) from error
        return (
            f"The store in {self.folder} was migrated from layout version {version} to {self.kind.version};"
            f" a copy of the earlier one is in {copy}."
        )

    def _copy(self, version: int) -> Path:
        """Copy the database with its pending log, by SQLite; return the copy's folder."""
        aside = free_name(self.directory, f"{self.kind.name}.v{version}-")
        making = self.folder.with_name(f"{self.kind.name}.copying")
        if making.exists():
            (making / DBNAME).unlink(missing_ok=True)
        make_private(making)
        os.close(os.open(making / DBNAME, os.O_CREAT | os.O_WRONLY, PRIVATE_FILE))
        with (
            reader(self.folder, immutable=False) as source,
            contextlib.closing(sqlite3.connect(making / DBNAME)) as target,
        ):
            source.backup(target)
        os.rename(making, aside)
        sync_folder(self.directory)
        return aside


def _open_copy(directory: Path, kind: DatabaseKind, why: StoreUnavailable) -> Database | None:
    """Open a copy, in a temporary folder, of a database that cannot be opened for writing; None if impossible.

    SQLite can lock the copy, and we can salvage or migrate it, without touching the store. When the store changes, the
    copy counts as gone, and the next opening makes a new one. The copy of a derived database may be written, and is
    lost when it is closed; writing to any other copy is refused with the reason `why`.
    """
    folder = directory / kind.name
    state = _files_state(folder)
    if why.data.reason not in _READABLE_REASONS or (kind.name in _NOT_MADE_EMPTY and not state):
        return None
    temporary = TemporaryDirectory(prefix="memory-sidecar-read-only-", ignore_cleanup_errors=True)
    copied = Path(temporary.name)
    message = why.message.replace("is not usable", "cannot be written")
    consequence = "What can be made again is not kept" if kind.derived else "It can be read, and nothing new is kept"
    opening = Opening(
        repair_message=f"{message} {consequence}.",
        temporary_folder=temporary,
        refusal=None if kind.derived else type(why)(message, reason=why.data.reason, hint=why.data.hint),
        is_outdated=None if kind.derived else lambda: _files_state(folder) != state,
    )
    try:
        if not kind.derived:
            _copy_files(folder, copied / kind.name)
        if isinstance(why, StoreTooNew) and not kind.derived:
            lock = FolderLock(copied / f"{kind.name}.lock")
            return Database(StoreCache(copied / kind.name, kind.durable, lock), lock, kind.version, opening)
        return open_database(copied, kind, copy=opening)
    except (StoreUnavailable, OSError):
        temporary.cleanup()
        return None


def _files_state(folder: Path) -> list[tuple[int, int]]:
    state = []
    for name in (DBNAME, f"{DBNAME}-wal"):
        with contextlib.suppress(OSError):
            if (status := (folder / name).stat()).st_size:
                state.append((status.st_mtime_ns, status.st_size))
    return state


def _copy_files(folder: Path, target: Path) -> None:
    """Copy the database's files. If the folder is missing, copy nothing, so that an empty database is opened."""
    with contextlib.suppress(FileNotFoundError):
        names = sorted(path.name for path in folder.iterdir())
        target.mkdir(0o700)
        # Copy the database before its log: what moves from the log into the database meanwhile is then in both copies.
        for name in names:
            if not name.endswith(("-shm", ".making")):
                shutil.copyfile(folder / name, target / name)
