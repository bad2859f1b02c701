"""Named values derived from a memory store, such as the snapshot of its index; they can be made again.

Each value is a file with a checksum in the database's own folder, so that a database that is set aside takes its values
along. A new file is written beside the old one and renamed; a damaged file reads as absent. The files may hold words of
memories, so before a purge is acknowledged, `drop` removes all of them, even incomplete ones.

A note of a file's state says that the file was found whole, so that the next opening need not read all of it. As in
`soundness.py`, the note expires after a week and once anything touches the file.
"""

from __future__ import annotations

import contextlib
import logging
import mmap
import os
import time
from pathlib import Path

import xxhash

from sidecar.store import keys
from sidecar.store.database import Database
from sidecar.store.faults import Undecodable, unreachable
from sidecar.store.location import PRIVATE_FILE
from sidecar.store.soundness import EVERY_SECONDS, state_of

_VALUE_ENDING = ".derived"
_UNFINISHED_ENDING = ".making"
_SOUND_ENDING = ".sound"
_CHECKSUM_BYTES = 8  # bytes of xxh3-64, in front of the value
_PIECE_BYTES = 1 << 20  # read at once to verify a value

log = logging.getLogger(__name__)


class DerivedValues:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._folder = database.folder

    def has(self, name: str) -> bool:
        """Return whether a value of this name is stored, even a damaged one."""
        return self._path(name).exists()

    def get(self, name: str) -> memoryview | None:
        """Return the value of this name, mapped into memory; None if it is missing or damaged.

        The view stays valid when the file is replaced or removed. Writing to the view does not change the file.
        """
        source = self._path(name)
        try:
            with source.open("rb") as file:
                state, note = repr(state_of(os.fstat(file.fileno()))).encode(), source.with_suffix(_SOUND_ENDING)
                if not _is_noted(note, state):
                    digest, checksum = xxhash.xxh3_64(), file.read(_CHECKSUM_BYTES)
                    # Do not verify through the map: the pages read would stay in memory.
                    while piece := file.read(_PIECE_BYTES):
                        digest.update(piece)
                    if digest.digest() != checksum:
                        raise Undecodable("the checksum does not fit")
                    with contextlib.suppress(OSError):
                        _write_file(note, state)
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))[_CHECKSUM_BYTES:]
        except FileNotFoundError:
            return None
        except (OSError, Undecodable) as error:
            log.warning("%s cannot be used and counts as absent: %s.", source, error)
            return None

    def purge_state(self) -> object:
        """Return a value that changes whenever any process purges, deletes or brings back a memory."""
        return self._database.read(lambda rows: rows.get(keys.FORGOTTEN))

    def written_at(self, seq: int) -> float | None:
        """Return when change `seq` was written; None if the log no longer has that change.

        The time distinguishes two stores that reached the same number in different ways.
        """
        return self._database.read(lambda rows: rows.stored_at(keys.change_key(seq)))

    def put(self, name: str, value: bytes, purges: object) -> bool:
        """Store a value that was derived when `purge_state` was `purges`; return whether it was stored.

        If a memory was purged meanwhile, the value may hold its words, and is refused.
        """
        with self._database.lock.held():
            if self.purge_state() != purges:
                return False
            self.write(name, value)
        return True

    def write(self, name: str, value: bytes) -> None:
        """Replace a value as a whole or not at all; the caller holds the folder's lock. Raises `StoreUnavailable`.

        This does not wait for the disk: a value that a power cut shortened fails its checksum.
        """
        making = self._folder / f"{name}{_UNFINISHED_ENDING}"
        try:
            making.unlink(missing_ok=True)
            _write_file(making, xxhash.xxh3_64_digest(value), value, flags=os.O_EXCL)
            os.replace(making, self._path(name))
        except OSError as error:
            with contextlib.suppress(OSError):
                making.unlink(missing_ok=True)
            raise unreachable(error, self._folder) from error

    def drop(self) -> None:
        """Remove every value; the caller holds the folder's lock. Raises `StoreUnavailable`."""
        try:
            for ending in (_VALUE_ENDING, _UNFINISHED_ENDING, _SOUND_ENDING):
                for file in self._folder.glob(f"*{ending}"):
                    file.unlink(missing_ok=True)
        except OSError as error:
            raise unreachable(error, self._folder) from error

    def size(self) -> int:
        total = 0
        for file in self._folder.glob(f"*{_VALUE_ENDING}"):
            with contextlib.suppress(FileNotFoundError):
                total += file.stat().st_size
        return total

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{_VALUE_ENDING}"


def _is_noted(note: Path, state: bytes) -> bool:
    with contextlib.suppress(OSError):
        return note.read_bytes() == state and abs(time.time() - note.stat().st_mtime) < EVERY_SECONDS
    return False


def _write_file(file: Path, *parts: bytes, flags: int = os.O_TRUNC) -> None:
    with os.fdopen(os.open(file, os.O_CREAT | os.O_WRONLY | flags, PRIVATE_FILE), "wb") as opened:
        opened.writelines(parts)
