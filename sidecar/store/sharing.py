"""Records of what the database that shares memories between machines has of each memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sidecar.store import keys
from sidecar.store.records import MemoryRecord, Record
from sidecar.store.rows import Rows
from sidecar.store.tables import Table


class SharedRecord(Record, frozen=True, kw_only=True):
    """A memory as the sharing database last had it: its version there, and a digest of its content.

    `gone` is `deleted` or `purged`. `claims` are the type, category and pinned that its author gave it, where this
    store does not believe them. `beside` is this store's own text, merged with another's, until the database has it.
    """

    v: int = 1
    version: int
    digest: str
    gone: str | None = None
    author: str | None = None
    claims: tuple[str, str | None, bool] | None = None
    beside: MemoryRecord | None = None


class SharedPlaceRecord(Record, frozen=True, kw_only=True):
    """Where the memories of one scope are shared: the workspace's `key` in the database, and the database's `epoch`."""

    v: int = 1
    key: str
    epoch: str = ""
    pulled: int = 0  # the number of the database's last change that this store has
    examined: int = 0  # the number of this store's last change that the database has
    mark: tuple[str, int, int] | None = None  # a version seen there: memory, number, microseconds
    named: bool = False  # a person named the key
    left: bool = False  # a person ended the sharing on this machine


SHARED: Final = Table(keys.SHARED, SharedRecord)
SHARED_PLACES: Final = Table(keys.SHARED_PLACE, SharedPlaceRecord)


class Sharing:
    """The rows of one scope; change them only inside a transaction."""

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
        """Record that this scope is no longer shared from here; the memories stay."""
        place = self.place()
        if place is not None:
            self.drop(self.all())
            self.put_place(SharedPlaceRecord(key=place.key, named=place.named, left=True))
