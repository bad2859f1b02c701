"""A note beside a database that says that it was found whole, so that opening it need not read every row.

The note holds the state (inode, size, times) of the file at its inspection or after our own later writes; another
program that touches the file changes that state. What the pending log adds is verified by SQLite's checksums and the
number of the last transaction. The note is removed when a damaged row or page is met.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from diskcache.core import DBNAME

from sidecar import __version__
from sidecar.store.backup import Backup, Extent
from sidecar.store.codec import Codec, encode
from sidecar.store.faults import Undecodable
from sidecar.store.location import PRIVATE_FILE

EVERY_SECONDS = 7 * 86_400.0
"""Age from which a note no longer counts, so that the whole database is read again: disks lose data too."""

log = logging.getLogger(__name__)

FileState = tuple[int, int, int, int, int]  # device, inode, bytes, modification time, change time


class _Note(msgspec.Struct, frozen=True, array_like=True):
    """What was found whole, and when."""

    program: str  # that wrote the note
    layout: int  # of the note
    at: float  # when the whole database was last read
    file: FileState
    backup: FileState | None
    extent: Extent | None


_notes = Codec(_Note, derived=True)


class Soundness:
    """The note about the database in `folder`; the caller of its methods holds the folder's lock."""

    def __init__(self, folder: Path, layout: int, backup: Backup) -> None:
        self._database = folder / DBNAME
        self._place = folder / "sound.note"
        self._layout = layout
        self._backup = backup

    def is_known_whole(self) -> bool:
        """Return whether the database has not changed since it was found whole; if so, resume the backup."""
        note = self._read()
        if note is None or note.file != _state(self._database) or abs(time.time() - note.at) > EVERY_SECONDS:
            return False
        now = _state(self._backup.path)
        if note.extent is not None and note.backup is not None and now is not None:
            # Transactions that are still in the pending log have lengthened the backup.
            grown = now[:2] == note.backup[:2] and now[2] > note.backup[2]
            if grown or now == note.backup:
                self._backup.resume(note.extent)
        return True

    def record_whole(self) -> None:
        """Note that the database was just inspected and found whole."""
        self._write(time.time())

    def forget(self) -> None:
        """Make the next opening inspect the database."""
        try:
            self._place.unlink(missing_ok=True)
        except OSError as error:
            log.warning("%s cannot be removed: %s", self._place, error.strerror)

    @contextlib.contextmanager
    def renewing(self) -> Iterator[None]:
        """Renew the note after the block has changed the file."""
        before = _state(self._database)
        yield
        if before is not None and _state(self._database) != before and (note := self._read()) is not None:
            if note.file == before:
                self._write(note.at)
            else:
                self.forget()

    def _read(self) -> _Note | None:
        try:
            note = _notes.decode(self._place.read_bytes())
        except (OSError, Undecodable):
            return None
        return note if (note.program, note.layout) == (__version__, self._layout) else None

    def _write(self, at: float) -> None:
        file, extent = _state(self._database), self._backup.extent()
        if file is None:
            return
        complete = extent if extent is not None and extent.whole else None
        note = _Note(__version__, self._layout, at, file, _state(self._backup.path), complete)
        try:
            descriptor = os.open(self._place, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, PRIVATE_FILE)
            with os.fdopen(descriptor, "wb") as opened:
                opened.write(encode(note))
        except OSError as error:  # the next opening reads the whole database
            log.info("%s cannot be written: %s", self._place, error.strerror)


def _state(file: Path) -> FileState | None:
    try:
        return state_of(os.stat(file))
    except OSError:
        return None


def state_of(status: os.stat_result) -> FileState:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
