"""Store keys and values in diskcache's table plainly, or not at all.

Stock diskcache pickles values of unknown types and unpickles whatever the database declares pickled, so a planted row
runs code (CVE-2025-69872); it also moves large values to side files, and a planted row could name any file. This `Disk`
writes text and integers as keys, and bytes, text and integers as values, all inside the database, and reads nothing
else.
"""

from __future__ import annotations

import logging
from typing import Any, NoReturn

import diskcache
from diskcache.core import MODE_RAW

from sidecar.store.faults import ForeignRow

log = logging.getLogger(__name__)

_INT64 = range(-(2**63), 2**63)


class MsgpackDisk(diskcache.Disk):  # type: ignore[misc]
    """Stores msgpack bytes made by `codec.py`, text and 64-bit integers; refuses everything else."""

    def put(self, key: object) -> tuple[str | int, bool]:
        """Return the key as the database holds it. Raises `TypeError` for anything that would need pickling."""
        if type(key) is str or (type(key) is int and key in _INT64):
            return key, True
        raise TypeError(f"a store key is text or a 64-bit integer, not {type(key).__name__}")

    def get(self, key: object, raw: object) -> str | int:
        """Return the key as it was passed to `put`. Raises `ForeignRow` for a key that `put` never makes."""
        if raw == 1 and (type(key) is str or type(key) is int):
            return key
        raise ForeignRow("a key in a form that this program never writes")

    def store(self, value: object, read: bool, key: object = None) -> tuple[int, int, None, bytes | str | int]:
        """Return the columns size, mode, filename, value. Raises `TypeError` for what would need pickling or a file."""
        if read:
            raise TypeError("a store value is never a file")
        if type(value) is bytes or type(value) is str:
            if len(value) >= self.min_file_size:
                raise ValueError(f"a store value of {len(value)} bytes is too large")
            return 0, MODE_RAW, None, value
        if type(value) is int and value in _INT64:
            return 0, MODE_RAW, None, value
        raise TypeError(f"a store value is bytes, text or a 64-bit integer, not {type(value).__name__}")

    def fetch(self, mode: object, filename: object, value: Any, read: bool) -> bytes | str | int:
        """Return a value that `store` made. Raises `ForeignRow` for any other, without interpreting or opening it."""
        if mode == MODE_RAW and filename is None and not read and type(value) in (bytes, str, int):
            return value  # type: ignore[no-any-return]
        raise ForeignRow("a value in a form that this program never writes")

    def filename(self, key: object = None, value: object = None) -> NoReturn:
        raise TypeError("a store value is never a file")

    def remove(self, file_path: object) -> None:
        """Delete nothing, since a row that names a file is not ours."""
        log.warning("A stored row named a file; the file was left alone.")
