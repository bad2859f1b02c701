"""A second copy of a database's rows, in a file beside the database: a base, then every transaction since.

A frame of the file holds a transaction's number, the rows that the transaction set or removed, and a checksum. It is
appended before SQLite commits. So an acknowledged transaction is in one of the two files whatever happens to the other,
and the numbers tell which transactions the database has lost. Appending does not wait for the disk: the backup guards
against damage to a file, not against a power cut, which the database survives by itself.

Only the holder of the folder's lock may write. The file is rewritten when the frames have outgrown the base; and at
once when text was removed for good, so that the backup holds no text that the database no longer has.
"""

from __future__ import annotations

import contextlib
import logging
import os
import struct
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import xxhash

from sidecar.store import keys
from sidecar.store.cache import FileId
from sidecar.store.location import PRIVATE_FILE
from sidecar.store.mending import SalvagedRow

log = logging.getLogger(__name__)

_FRAME_HEAD = struct.Struct(">4sBIQd8s")  # mark, kind, bytes of the rows, number, time, checksum
_FRAME_MARK = b"\xf5MSB"
_BASE_FRAME, _CHANGE_FRAME, _REMOVAL_FRAME = 0, 1, 2
_ROWS_AT_ONCE = 2_000  # rows in a frame of the base
_MIN_GROWTH = 1 << 20  # with fewer bytes of frames, the file is not rewritten for its size
_REMOVED_FOR_GOOD = (keys.HISTORY, keys.CANDIDATE)

Changes = Mapping[str, SalvagedRow | None]
_decoder = msgspec.msgpack.Decoder(dict[str, tuple[Any, Any] | None])
_encoder = msgspec.msgpack.Encoder()


class _Frame(NamedTuple):
    kind: int
    start: int
    end: int
    number: int
    at: float
    rows: bytes

    def changes(self) -> dict[str, SalvagedRow | None]:
        return {key: None if row is None else SalvagedRow(*row) for key, row in _decoder.decode(self.rows).items()}


class Extent(NamedTuple):
    """How far a backup can be read."""

    file: FileId
    base: int = 0  # where the base ends
    start: int = 0  # where the last transaction begins
    end: int = 0  # where the last transaction ends
    number: int = -1  # of the last transaction
    at: float = 0.0  # when it was made
    outdated: bool = False  # the file must be rewritten
    whole: bool = True  # no frame is damaged


class Backup:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "rows.backup"
        self._extent: Extent | None = None

    def extent(self) -> Extent | None:
        """Return how far the file can be read; None if no frame can be read. Only new frames are read again."""
        try:
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                id = status.st_dev, status.st_ino
                extent = self._extent
                if extent is None or extent.file != id or extent.end > status.st_size:
                    extent = Extent(id)
                if (further := _read_further(file, extent)).end < status.st_size and extent.end:
                    further = _read_further(file, Extent(id))  # the file was replaced or damaged
                self._extent = further._replace(whole=further.end == status.st_size)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                log.warning("%s cannot be read: %s", self.path, error.strerror)
            self._extent = None
        return self._extent if self._extent is not None and self._extent.number >= 0 else None

    def resume(self, extent: Extent) -> None:
        """Trust an extent that an earlier process read, as long as the file is the same."""
        self._extent = extent

    def append(self, number: int, changes: Changes) -> bool:
        """Append transaction `number`; return False if the file must be rewritten afterwards. Raises OSError."""
        extent = self.extent()
        if extent is not None and extent.number == number:  # a process appended it and died before the commit
            if self.last_changes() == changes:  # keep the frame: this process may also die before the commit
                return not extent.outdated
            extent = self._cut(extent.start)
        if extent is None or extent.number != number - 1:
            return False
        removes = any(row is None and key.startswith(_REMOVED_FOR_GOOD) for key, row in changes.items())
        kind = _REMOVAL_FRAME if removes else _CHANGE_FRAME
        frame = _pack_frame(kind, number, changes.items())
        with _descriptor(self.path, os.O_WRONLY) as file:
            if not extent.whole:
                os.ftruncate(file, extent.end)
            try:
                _write(file, frame, extent.end)
            except OSError:
                os.ftruncate(file, extent.end)
                raise
        added = _Frame(kind, extent.end, extent.end + len(frame), number, time.time(), b"")
        self._extent = _extended(extent._replace(whole=True), added)
        return not self._extent.outdated

    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def revoke(self, number: int) -> None:
        """Remove transaction `number` from the file, if it is there, because it was not committed."""
        with contextlib.suppress(OSError):
            if (extent := self.extent()) is not None and extent.number == number:
                self._cut(extent.start)

    def rewrite(self, number: int, rows: Iterable[tuple[str, SalvagedRow]]) -> None:
        """Write the file anew from all rows as of transaction `number`; if that fails, leave no file."""
        making = self.path.with_name(f"{self.path.name}.making")
        self._extent = None
        try:
            making.unlink(missing_ok=True)
            with _descriptor(making, os.O_CREAT | os.O_EXCL | os.O_WRONLY) as file:
                remaining = iter(rows)
                at = _write(file, _pack_frame(_BASE_FRAME, number, ()), 0)
                while portion := list(islice(remaining, _ROWS_AT_ONCE)):
                    at += _write(file, _pack_frame(_BASE_FRAME, number, portion), at)
            os.replace(making, self.path)
        except OSError as error:
            log.warning("%s could not be rewritten: %s", self.path, error.strerror)
            for path in (making, self.path):
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)

    def rows(self) -> dict[str, SalvagedRow]:
        """Return the rows as of the last transaction; skip damaged frames."""
        rows: dict[str, SalvagedRow] = {}
        with contextlib.suppress(OSError), self.path.open("rb") as file:
            for frame in _frames(file, 0, beyond_damage=True):
                for key, row in frame.changes().items():
                    if row is None:
                        rows.pop(key, None)
                    else:
                        rows[key] = row
        return rows

    def last_changes(self) -> dict[str, SalvagedRow | None]:
        """Return what the last transaction changed. Raises OSError."""
        extent = self.extent()
        with self.path.open("rb") as file:
            frame = next(_frames(file, extent.start), None) if extent is not None else None
        return frame.changes() if frame is not None else {}

    def _cut(self, end: int) -> Extent | None:
        with _descriptor(self.path, os.O_WRONLY) as file:
            os.ftruncate(file, end)
        self._extent = None
        return self.extent()


def _read_further(file: BinaryIO, extent: Extent) -> Extent:
    for frame in _frames(file, extent.end):
        extent = _extended(extent, frame)
    return extent


def _extended(extent: Extent, frame: _Frame) -> Extent:
    base = frame.end if frame.kind == _BASE_FRAME else extent.base
    return extent._replace(
        base=base,
        start=frame.start,
        end=frame.end,
        number=frame.number,
        at=frame.at,
        outdated=extent.outdated or frame.kind == _REMOVAL_FRAME or frame.end - base > max(_MIN_GROWTH, base),
    )


def _frames(file: BinaryIO, start: int, *, beyond_damage: bool = False) -> Iterator[_Frame]:
    """Yield the frames from `start` up to the first damaged one; `beyond_damage`, all undamaged frames."""
    at = start
    while True:
        file.seek(at)
        head = file.read(_FRAME_HEAD.size)
        if len(head) == _FRAME_HEAD.size:
            mark, kind, length, number, written, checksum = _FRAME_HEAD.unpack(head)
            # If the length is damaged, do not read gigabytes.
            if mark == _FRAME_MARK and length <= os.fstat(file.fileno()).st_size:
                rows = file.read(length)
                if len(rows) == length and _checksum(head, rows) == checksum:
                    yield _Frame(kind, at, at + len(head) + length, number, written, rows)
                    at += len(head) + length
                    continue
        if not head or not beyond_damage:
            return
        file.seek(at + 1)
        further = file.read().find(_FRAME_MARK)
        if further < 0:
            return
        at += 1 + further


def _pack_frame(kind: int, number: int, changes: Iterable[tuple[str, SalvagedRow | None]]) -> bytes:
    rows = _encoder.encode(dict(changes))
    head = _FRAME_HEAD.pack(_FRAME_MARK, kind, len(rows), number, time.time(), bytes(8))
    return head[:-8] + _checksum(head, rows) + rows


def _checksum(head: bytes, rows: bytes) -> bytes:
    state = xxhash.xxh3_64(head[:-8])
    state.update(rows)
    return state.digest()


@contextlib.contextmanager
def _descriptor(path: Path, flags: int) -> Iterator[int]:
    file = os.open(path, flags, PRIVATE_FILE)
    try:
        yield file
    finally:
        os.close(file)


def _write(file: int, data: bytes, at: int) -> int:
    """Write all bytes at offset `at`, although the system may take few at once; return how many."""
    written = 0
    while written < len(data):
        written += os.pwrite(file, data[written:], at + written)
    return written
