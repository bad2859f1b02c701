"""Tombstones of deleted memories: rows beside the memories, made and lifted in the transaction of the deletion or undo.

All of them are kept decoded between requests. A counter row, which grows with each change, tells whether another
process has made or lifted one since.
"""

from __future__ import annotations

import threading
import time

from sidecar.store import keys
from sidecar.store.codec import Codec, encode
from sidecar.store.database import Rows, after
from sidecar.store.records import TombstoneRecord

_tombstones = Codec(TombstoneRecord)


class Graveyard:
    """The tombstones of one store. Safe for any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[object, tuple[TombstoneRecord, ...]] | None = None

    def all(self, rows: Rows) -> tuple[TombstoneRecord, ...]:
        """Every tombstone, with the changes of the transaction that `rows` belongs to, if any."""
        state = rows.get(keys.FORGOTTEN)
        if state is None:
            return ()
        with self._lock:
            if self._known is not None and self._known[0] == state:
                return self._known[1]
        found = rows.range(keys.TOMBSTONE, after(keys.TOMBSTONE))
        return tuple(tombstone for _, tombstone in _tombstones.readable(found))

    def remember(self, rows: Rows) -> None:
        """Keep what is on disk now; outside of a transaction, for one may still be rolled back."""
        state = rows.get(keys.FORGOTTEN)  # before the rows: a later state is read again, not missed
        found = self.all(rows)
        with self._lock:
            self._known = state, found


def bury(rows: Rows, tombstone: TombstoneRecord) -> None:
    """Note that a memory was deleted; inside a transaction."""
    rows.set(keys.of_parts(keys.TOMBSTONE, tombstone.id), encode(tombstone))
    _count(rows)


def lift(rows: Rows, id: str) -> None:
    """Drop the tombstone of a memory, if there is one; inside a transaction."""
    if rows.delete(keys.of_parts(keys.TOMBSTONE, id)):
        _count(rows)


def _count(rows: Rows) -> None:
    known = rows.get(keys.FORGOTTEN)
    # Starts at the time, so that a number lost with a damaged row is not given to another state.
    rows.set(keys.FORGOTTEN, known + 1 if type(known) is int else time.time_ns() // 1_000_000)
