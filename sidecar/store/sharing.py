"""Records of what the team's database, which shares memories between machines, has of each memory.

The room `team` reads and writes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sidecar.store import keys
from sidecar.store.records import MemoryRecord, Record
from sidecar.store.rows import Rows
from sidecar.store.tables import Table


class SharedRecord(Record, frozen=True, kw_only=True):
    """A memory as the team's database last had it."""

    v: int = 1
    version: int  # in the team's database
    digest: str  # of the memory's content there
    gone: str | None = None  # `deleted` or `purged`
    author: str | None = None
    claims: tuple[str, str | None, bool] | None = None  # (type, category, pinned) from its author, not believed here
    beside: MemoryRecord | None = None  # this store's own text, merged with another's, until the database has it


class SharedPlaceRecord(Record, frozen=True, kw_only=True):
    """Where the memories of one scope are shared, and how far both sides know each other's changes.

    `pulled` counts the database's changes, `examined` this store's. Example: `pulled=7, examined=3` means that this
    store has the database's changes up to number 7, and the database has this store's changes up to number 3.
    """

    v: int = 1
    key: str  # of the workspace in the database
    epoch: str = ""  # of the database
    pulled: int = 0  # this store has the database's changes up to this number
    examined: int = 0  # the database has this store's changes up to this number
    mark: tuple[str, int, int] | None = None  # (memory, version, microseconds) of a version seen in the database
    named: bool = False  # a person chose the key
    left: bool = False  # a person ended the sharing on this machine


SHARED: Final = Table(keys.SHARED, SharedRecord)
SHARED_PLACES: Final = Table(keys.SHARED_PLACE, SharedPlaceRecord)


class Sharing:
    """The records of one scope; change them only inside a transaction."""

    def __init__(self, rows: Rows, scope: str) -> None:
        self._rows = rows
        self._scope = scope

    def place(self) -> SharedPlaceRecord | None:
        return SHARED_PLACES.get(self._rows, self._scope)

    def put_place(self, place: SharedPlaceRecord) -> None:
        SHARED_PLACES.set(self._rows, place, self._scope)

    def get(self, id: str) -> SharedRecord | None:
        return SHARED.get(self._rows, self._scope, id)

    def many(self, ids: Iterable[str]) -> dict[str, SharedRecord]:
        return SHARED.many(self._rows, ids, self._scope)

    def all(self) -> dict[str, SharedRecord]:
        """Return the records of all memories of the scope, by id."""
        return SHARED.unordered(self._rows, self._scope)

    def put(self, id: str, record: SharedRecord) -> None:
        SHARED.set(self._rows, record, self._scope, id)

    def drop(self, ids: Iterable[str]) -> None:
        self._rows.delete_many(SHARED.key(self._scope, id) for id in ids)

    def forget_words(self, id: str) -> None:
        """Forget what a memory said, but remember that it must be purged elsewhere."""
        record = self.get(id)
        if record is not None:
            self.put(id, SharedRecord(version=record.version, digest="", gone=record.gone))

    def leave(self) -> None:
        """Record that this scope is no longer shared from this machine; the memories stay."""
        place = self.place()
        if place is not None:
            self.drop(self.all())
            self.put_place(SharedPlaceRecord(key=place.key, named=place.named, left=True))
