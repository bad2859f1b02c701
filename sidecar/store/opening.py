"""Open a database, after creating, salvaging or migrating it as its state demands, or only to read it.

All of this happens under the folder's lock, so of several processes that open a database at once, one does the work and
the others find it done.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from diskcache.core import DBNAME

from sidecar.runtime.errors import SidecarError, StoreTooNew, StoreUnavailable
from sidecar.store import keys
from sidecar.store.backup import Backup, Changes, Extent
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

_READ_DESPITE = ("folder", "readOnly", "permission", "cannotOpen", "full", "io", "tooNew")
_HOLDS_WHAT_IS_FOUND = ("memories", "activity")
OPENING_PATIENCE = 3.0
"""Seconds to wait for another process before the database is opened as it is."""


def open_database(directory: Path, kind: DatabaseKind, *, is_copy: bool = False) -> Database:
    """Open the database of this kind in `directory`, making it if missing.

    One that cannot be written now, or that a newer program wrote, is opened read-only, unless it `is_copy` made for
    that; one that another process keeps busy is opened without inspection. Raises `StoreUnavailable` where neither is
    possible. `notice` of the result says what was salvaged, set aside or migrated, or why it can only be read.
    """
    lock = FolderLock(directory / f"{kind.name}.lock")
    backup = None if kind.derived else Backup(directory / kind.name)
    soundness = None if backup is None else Soundness(directory / kind.name, kind.version, backup)
    try:
        make_private(directory)
        with lock.held(OPENING_PATIENCE), _reachable(directory):
            notice = _prepare(directory, kind, lock, backup, soundness)
            cache = StoreCache(directory / kind.name, kind.durable, lock)
            with cache.connection() as sql:
                # Find out now, not at the first memory, whether a store cannot be written.
                sql.execute("BEGIN IMMEDIATE")
                sql.execute("ROLLBACK")
    except StoreUnavailable as error:
        if (
            error.data.reason == "busy"
            and (database := _open_busy(directory, kind, lock, backup, soundness)) is not None
        ):
            return database
        lock.close()
        if is_copy or (database := _open_copy(directory, kind, error)) is None:
            raise
        log.log(logging.INFO if kind.derived else logging.WARNING, "%s", database.notice)
        return database
    except BaseException:
        lock.close()
        raise
    if notice is not None:
        log.warning("%s", notice)
    return Database(cache, lock, kind.version, Opening(notice, backup, soundness))


def _open_busy(
    directory: Path, kind: DatabaseKind, lock: FolderLock, backup: Backup | None, soundness: Soundness | None
) -> Database | None:
    """Open the database while its lock is taken, and inspect it before the first write; None if unreadable."""
    cache = StoreCache(directory / kind.name, kind.durable, lock)
    prepare = partial(_prepare, directory, kind, lock, backup, soundness)
    database = Database(cache, lock, kind.version, Opening(None, backup, soundness, prepare))
    try:
        with database.reading() as rows:
            if rows.get(keys.VERSION) == kind.version:
                return database
    except StoreUnavailable as error:
        log.info("%s", error.message)
    cache.close()
    return None


def _open_copy(directory: Path, kind: DatabaseKind, why: StoreUnavailable) -> Database | None:
    """Open a copy, in a folder of its own, of a database that cannot be opened for writing; None if none can be made.

    The copy can be salvaged and migrated like any store, and SQLite can do in it what it must do even to read; the
    store itself is not touched. When the store changes, the copy counts as gone and is made again at the next opening.
    What can be made again is kept in the folder while it is open; everything else is refused with the reason.
    """
    folder = directory / kind.name
    if why.data.reason not in _READ_DESPITE or (kind.name in _HOLDS_WHAT_IS_FOUND and not _files_state(folder)):
        return None
    temporary = TemporaryDirectory(prefix="memory-sidecar-read-only-", ignore_cleanup_errors=True)
    copied, seen = Path(temporary.name), _files_state(folder)
    try:
        if not kind.derived:
            _copy_files(folder, copied / kind.name)
        if isinstance(why, StoreTooNew) and not kind.derived:
            lock = FolderLock(copied / f"{kind.name}.lock")
            cache = StoreCache(copied / kind.name, kind.durable, lock)
            database = Database(cache, lock, kind.version, Opening())
        else:
            database = open_database(copied, kind, is_copy=True)
    except (StoreUnavailable, OSError):
        temporary.cleanup()
        return None
    message = why.message.replace("is not usable", "cannot be written")
    done = "What can be made again is not kept" if kind.derived else "It can be read, and nothing new is kept"
    changes: dict[str, object] = {"notice": f"{message} {done}.", "temporary_folder": temporary}
    if not kind.derived:
        changes["refusal"] = type(why)(message, reason=why.data.reason, hint=why.data.hint)
        changes["is_outdated"] = lambda: _files_state(folder) != seen
    return database.reopened(**changes)


def _files_state(folder: Path) -> list[tuple[int, int]]:
    state = []
    for name in (DBNAME, f"{DBNAME}-wal"):
        with contextlib.suppress(OSError):
            if (status := (folder / name).stat()).st_size:
                state.append((status.st_mtime_ns, status.st_size))
    return state


def _copy_files(folder: Path, target: Path) -> None:
    """Copy the database's files; if the folder is missing, leave nothing, so that an empty database is made."""
    with contextlib.suppress(FileNotFoundError):
        names = sorted(path.name for path in folder.iterdir())
        target.mkdir(0o700)
        # The database comes before the log: what moves between them meanwhile is then in both.
        for name in names:
            if not name.endswith(("-shm", ".making")):
                shutil.copyfile(folder / name, target / name)


def start_afresh(directory: Path, kind: DatabaseKind, lock: FolderLock, damaged: FileId | None, reason: str) -> None:
    """Replace a derived database found damaged or gone in use, unless another process has done so already.

    `damaged` is the file that was in use then, or None if it was gone.
    """
    make_private(directory)
    with lock.held(), _reachable(directory):
        try:
            status = os.stat(directory / kind.name / DBNAME)
        except FileNotFoundError:
            _prepare(directory, kind, lock, None, None)
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


def _prepare(
    directory: Path, kind: DatabaseKind, lock: FolderLock, backup: Backup | None, soundness: Soundness | None
) -> str | None:
    folder = directory / kind.name
    finish_salvage(directory, kind)
    if not folder.exists():
        build_database(folder, kind, lock, kind.version, empty_rows(kind))
        if soundness is not None:
            soundness.found()
        return None
    make_private(folder)
    sound = soundness is not None and soundness.known()
    with contextlib.nullcontext() if soundness is None or not sound else soundness.carry():
        notice = _repair(directory, kind, lock, backup, sound)
    if soundness is not None and not sound:
        soundness.found()
    return notice


def _repair(directory: Path, kind: DatabaseKind, lock: FolderLock, backup: Backup | None, sound: bool) -> str | None:
    """Salvage, mend and migrate the database as its state demands."""
    folder = directory / kind.name
    notices = []
    extent = backup.extent() if backup is not None else None
    inspection = _count_missing(inspect_database(folder, kind, sound=sound), extent)
    if inspection.version is not None and inspection.version > kind.version:
        raise too_new(folder, inspection.version, kind.version)
    if inspection.damage is not None:
        notices.append(salvage(directory, kind, lock, inspection))
        inspection = inspect_database(folder, kind)
        if inspection.damage is not None:
            raise StoreUnavailable(
                f"The store in {folder} was salvaged and is still damaged: {inspection.damage}.", reason="damaged"
            )
    elif backup is not None and extent is not None and inspection.number == extent.number - 1:
        # Its writer died before it committed, or the log lost the last transaction: repeat it to be sure.
        _write(folder, kind, lock, inspection.version, backup, lambda rows: _apply(rows, backup.last_changes()))
        inspection = inspect_database(folder, kind)
    for path in folder.glob(f"{DBNAME}*"):
        if (mode := path.stat().st_mode & 0o777) & ~PRIVATE_FILE:
            path.chmod(mode & PRIVATE_FILE)
    if not inspection.settings_agree:
        create(folder, kind.durable)
    if inspection.version is not None and inspection.version < kind.version:
        notices.append(_migrate(folder, kind, lock, inspection.version, backup))
    if backup is not None:
        _renew_backup(folder, backup)
    return " ".join(notices) or None


def _count_missing(inspection: Inspection, extent: Extent | None) -> Inspection:
    """Also count as damage transactions that only the backup has; the last one may not have been committed."""
    if inspection.damage is None and inspection.number is not None and extent is not None:
        missing = extent.number - inspection.number
        if missing > 1:
            return msgspec.structs.replace(inspection, damage=f"its last {missing} changes were missing")
    return inspection


def _renew_backup(folder: Path, backup: Backup) -> None:
    """Rewrite the backup unless it agrees with the database."""
    with reader(folder, immutable=not pending_log(folder)) as sql:
        number, extent = transaction_number(sql), backup.extent()
        if extent is None or extent.number != number or not extent.whole or extent.outdated:
            backup.rewrite(number, read_rows(sql))


def _apply(rows: Rows, changes: Changes) -> None:
    for key, row in changes.items():
        if row is None:
            rows.delete(key)
        else:
            rows.set(key, row.value, tag=row.tag)


def _write(
    folder: Path,
    kind: DatabaseKind,
    lock: FolderLock,
    version: int | None,
    backup: Backup | None,
    change: Callable[[Rows], None],
) -> None:
    cache = StoreCache(folder, kind.durable, lock)
    try:
        with Database(cache, lock, version or kind.version, Opening(backup=backup)).writing() as rows:
            change(rows)
    finally:
        cache.close()


def _migrate(folder: Path, kind: DatabaseKind, lock: FolderLock, version: int, backup: Backup | None) -> str:
    copy = _copy_database(folder, kind, version)

    def change(rows: Rows) -> None:
        for step in kind.migrations[version - 1 :]:
            step(rows)
        rows.set(keys.VERSION, kind.version)

    try:
        _write(folder, kind, lock, version, backup, change)
    except SidecarError:
        raise
    except Exception as error:
        raise StoreUnavailable(
            f"The store in {folder} could not be migrated from layout version {version} to {kind.version}"
            f" ({type(error).__name__}: {error}). It was left as it was.",
            reason="migration",
            hint=f"Use the version of memory-sidecar that wrote it, and report this. A copy is in {copy}.",
        ) from error
    return (
        f"The store in {folder} was migrated from layout version {version} to {kind.version};"
        f" a copy of the earlier one is in {copy}."
    )


def _copy_database(folder: Path, kind: DatabaseKind, version: int) -> Path:
    """Copy the database through SQLite, so that the copy includes the pending log."""
    aside = free_name(folder.parent, f"{kind.name}.v{version}-")
    making = folder.with_name(f"{kind.name}.copying")
    if making.exists():
        (making / DBNAME).unlink(missing_ok=True)
    make_private(making)
    os.close(os.open(making / DBNAME, os.O_CREAT | os.O_WRONLY, PRIVATE_FILE))
    with reader(folder, immutable=False) as source, contextlib.closing(sqlite3.connect(making / DBNAME)) as target:
        source.backup(target)
    os.rename(making, aside)
    sync_folder(folder.parent)
    return aside
