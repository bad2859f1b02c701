"""A store that cannot be written, or that a newer program wrote, is read all the same: as a copy in a room of its own.

The copy can be salvaged and migrated like any store, and SQLite can do in it what it must do even to read; nothing of
the store itself is touched. When that changes, the copy counts as gone and is made anew by who opens it again. What
can be made again is kept in the room as long as it is open; all else is refused with the reason.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from diskcache.core import DBNAME

from sidecar.runtime.errors import StoreTooNew, StoreUnavailable
from sidecar.store.cache import open_cache
from sidecar.store.database import Database
from sidecar.store.lock import FolderLock
from sidecar.store.schema import Kind

_REASONS = ("folder", "readOnly", "permission", "cannotOpen", "full", "io", "tooNew")
_HOLDS_WHAT_IS_FOUND = ("memories", "activity")


def read_only(
    directory: Path, kind: Kind, why: StoreUnavailable, opened: Callable[[Path, Kind], Database]
) -> Database | None:
    """The database of this kind in `directory`, to be read; None when there is nothing in it that can be.

    `opened` opens a database that can be written.
    """
    folder = directory / kind.name
    if why.data.reason not in _REASONS or (kind.name in _HOLDS_WHAT_IS_FOUND and not _is_there(folder)):
        return None
    room = TemporaryDirectory(prefix="memory-sidecar-read-only-", ignore_cleanup_errors=True)
    seen = _state(folder)
    try:
        if not kind.derived:
            _copy(folder, Path(room.name) / kind.name)
        if isinstance(why, StoreTooNew) and not kind.derived:
            database = _as_it_is(Path(room.name), kind)
        else:
            database = opened(Path(room.name), kind)
    except (StoreUnavailable, OSError):
        room.cleanup()
        return None
    database.room = room
    message = why.message.replace("is not usable", "cannot be written")
    done = "What can be made again is not kept" if kind.derived else "It can be read, and nothing new is kept"
    database.notice = f"{message} {done}."
    if not kind.derived:
        database.refusal = type(why)(message, reason=why.data.reason, hint=why.data.hint)
        database.is_outdated = lambda: _state(folder) != seen
    return database


def _state(folder: Path) -> list[tuple[int, int]]:
    state = []
    for name in (DBNAME, f"{DBNAME}-wal"):
        with contextlib.suppress(OSError):
            if (found := (folder / name).stat()).st_size:
                state.append((found.st_mtime_ns, found.st_size))
    return state


def _is_there(folder: Path) -> bool:
    return bool(_state(folder))


def _copy(folder: Path, place: Path) -> None:
    """Copies what belongs to the database; a folder that is not there leaves nothing, so that an empty one is made."""
    with contextlib.suppress(FileNotFoundError):
        names = sorted(path.name for path in folder.iterdir())
        place.mkdir(0o700)
        # Before the log: what is moved from the log into the database meanwhile is then in both.
        for name in names:
            if not name.endswith(("-shm", ".making")):
                shutil.copyfile(folder / name, place / name)


def _as_it_is(directory: Path, kind: Kind) -> Database:
    lock = FolderLock(directory / f"{kind.name}.lock")
    return Database(open_cache(directory / kind.name, kind.durable, lock), lock, kind.version, None, None)
