"""Find rows directly in the pages of a database file, where SQLite can no longer walk its trees; for `salvage.py`.

This follows "Database File Format" of the SQLite documentation: table leaf pages (type 13), their cells, records and
overflow chains, and the frames of the write-ahead log. It returns whatever looks like a row of the table `Cache`; a
value's checksum tells whether the value is whole. Freed pages hold no old rows, since deleted content is overwritten
(`secure_delete` in `cache.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from diskcache.core import DBNAME

_LEAF_PAGE_TYPE = 13
_PAGE_SIZES = frozenset({512, 1024, 2048, 4096, 8192, 16384, 32768, 65536})
_DEFAULT_PAGE_BYTES = 4096
_CACHE_COLUMNS = 12  # columns of diskcache's table
_WAL_HEADER, _FRAME_HEADER = 32, 24


class PageRow(NamedTuple):
    """A row of the table; nothing in it has been verified."""

    rowid: int
    key: object
    raw: object
    store_time: float
    tag: object
    mode: object
    filename: object
    value: object


def rows_in_pages(folder: Path) -> Iterator[PageRow]:
    """Yield every row on any table leaf of the main file, with the changes of the committed log."""
    data = _read(folder / DBNAME)
    log = _read(folder / f"{DBNAME}-wal")
    size = _page_size(data, log)
    pages = {number + 1: data[number * size : (number + 1) * size] for number in range(-(-len(data) // size))}
    pages.update(_committed(log, size))
    for number, page in pages.items():
        yield from _leaf_rows(pages, number, page, size)


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _page_size(data: bytes, log: bytes) -> int:
    for size in (int.from_bytes(data[16:18], "big"), int.from_bytes(log[8:12], "big")):
        if size == 1 or size in _PAGE_SIZES:
            return 65536 if size == 1 else size
    return _DEFAULT_PAGE_BYTES


def _committed(log: bytes, size: int) -> dict[int, bytes]:
    """Return the pages in the log's frames up to its last commit; stop at frames of an earlier use of the file."""
    pages: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    salt = log[16:24]
    for start in range(_WAL_HEADER, len(log) - _FRAME_HEADER - size + 1, _FRAME_HEADER + size):
        number, commit = struct.unpack_from(">II", log, start)
        if log[start + 8 : start + 16] != salt:
            break
        waiting[number] = log[start + _FRAME_HEADER : start + _FRAME_HEADER + size]
        if commit:
            pages.update(waiting)
            waiting.clear()
    return pages


def _leaf_rows(pages: dict[int, bytes], number: int, page: bytes, size: int) -> Iterator[PageRow]:
    head = 100 if number == 1 else 0
    if len(page) < head + 8 or page[head] != _LEAF_PAGE_TYPE:
        return
    count = int.from_bytes(page[head + 3 : head + 5], "big")
    for index in range(count):
        at = head + 8 + 2 * index
        try:
            row = _cell(pages, page, int.from_bytes(page[at : at + 2], "big"), size)
        except (IndexError, ValueError, struct.error, RecursionError):
            continue
        if row is not None:
            yield row


def _cell(pages: dict[int, bytes], page: bytes, at: int, size: int) -> PageRow | None:
    length, at = _varint(page, at)
    rowid, at = _varint(page, at)
    if not 0 < length <= len(pages) * size:
        return None
    columns = _columns(_payload(pages, page, at, length, size))
    if len(columns) != _CACHE_COLUMNS or type(columns[3]) not in (int, float):
        return None
    _, key, raw, stored, _, _, _, tag, _, mode, filename, value = columns
    return PageRow(rowid, key, raw, float(str(stored)), tag, mode, filename, value)


def _payload(pages: dict[int, bytes], page: bytes, at: int, length: int, size: int) -> bytes:
    """Return the payload of a cell, collected from its overflow pages; section 1.6 of the format defines the split."""
    most = size - 35
    if length <= most:
        return _exactly(page[at : at + length], length)
    least = (size - 12) * 32 // 255 - 23
    local = least + (length - least) % (size - 4)
    local = local if local <= most else least
    parts = [_exactly(page[at : at + local], local)]
    following = int.from_bytes(page[at + local : at + local + 4], "big")
    rest = length - local
    while rest > 0:
        more = pages.get(following, b"")
        piece = _exactly(more[4 : 4 + min(rest, size - 4)], min(rest, size - 4))
        parts.append(piece)
        rest -= len(piece)
        following = int.from_bytes(more[:4], "big")
    return b"".join(parts)


def _exactly(data: bytes, length: int) -> bytes:
    if len(data) != length:
        raise ValueError("cut short")
    return data


def _columns(payload: bytes) -> list[object]:
    header, at = _varint(payload, 0)
    body = header
    columns: list[object] = []
    while at < header:
        kind, at = _varint(payload, at)
        value, body = _column(payload, kind, body)
        columns.append(value)
    return columns


_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def _column(payload: bytes, kind: int, at: int) -> tuple[object, int]:
    if kind == 0:
        return None, at
    if kind in _INTEGER_BYTES:
        size = _INTEGER_BYTES[kind]
        return int.from_bytes(_exactly(payload[at : at + size], size), "big", signed=True), at + size
    if kind == 7:
        return struct.unpack_from(">d", payload, at)[0], at + 8
    if kind in (8, 9):
        return kind - 8, at
    size = (kind - 12) // 2
    data = _exactly(payload[at : at + size], size)
    return (data.decode() if kind % 2 else data), at + size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for index in range(8):
        byte = data[at + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + index + 1
    return value << 8 | data[at + 8], at + 9
