"""The tables of the databases; each holds records of one type under keys of a prefix and the parts of a name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

from sidecar.store import keys, records
from sidecar.store.codec import Codec, T, encode
from sidecar.store.database import Database
from sidecar.store.rows import Rows, prefix_end


class Table(Codec[T]):
    """Reads and writes the records of one type. A damaged record counts as absent, and is logged.

    Call `set` and `drop` only inside a transaction.
    """

    def __init__(self, prefix: str, kind: type[T], *, derived: bool = False) -> None:
        super().__init__(kind, derived=derived)
        self.prefix = prefix

    def key(self, *parts: str) -> str:
        return keys.join_key(self.prefix, *parts)

    def get(self, rows: Rows, *parts: str) -> T | None:
        key = self.key(*parts)
        return self.decode_row(key, rows.get(key), rows.report_damage)

    def many(self, rows: Rows, ids: Iterable[str], *parts: str) -> dict[str, T]:
        """Return the records that exist for `ids`, by id; `parts` precede the id in the key."""
        wanted = {self.key(*parts, id): id for id in ids}
        return {wanted[key]: record for key, record in self.readable(rows.many(wanted).items(), rows.report_damage)}

    def all(self, rows: Rows, *parts: str, newest: bool = False) -> list[T]:
        """Return every record whose name begins with `parts`, by key; with `newest`, in reverse order."""
        prefix = self.key(*parts, "")
        entries = rows.range(prefix, prefix_end(prefix), newest=newest)
        return [record for _, record in self.readable(entries, rows.report_damage)]

    def unordered(self, rows: Rows, *parts: str) -> dict[str, T]:
        """Return the same as `all` by the rest of each key, in no particular order; several times as fast."""
        prefix = self.key(*parts, "")
        entries = self.readable(rows.prefixed(prefix), rows.report_damage)
        return {key.removeprefix(prefix): record for key, record in entries}

    def set(self, rows: Rows, record: msgspec.Struct, *parts: str, tag: str | int | None = None) -> None:
        rows.set(self.key(*parts), encode(record), tag=tag)

    def drop(self, rows: Rows, ids: Iterable[str]) -> int:
        """Remove the records of `ids`; return how many there were."""
        return rows.delete_many(self.key(id) for id in ids)


class TableRows(Generic[T]):
    """The records of one table in a store; change them only inside a transaction."""

    table: ClassVar[Table[Any]]

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def get(self, id: str) -> T | None:
        return self.table.get(self._rows, id)

    def all(self) -> list[T]:
        """Return every record by id, whatever its state."""
        return self.table.all(self._rows)

    def drop(self, ids: Iterable[str]) -> int:
        """Remove the records of `ids`; return how many there were."""
        return self.table.drop(self._rows, ids)


RowsT = TypeVar("RowsT", bound=TableRows[Any])


class TableStore(Generic[T, RowsT]):
    """One table of a database, each call in a transaction of its own. Every method can raise `StoreUnavailable`."""

    def __init__(self, database: Database, rows_type: Callable[[Rows], RowsT]) -> None:
        self._database = database
        self._rows_type = rows_type

    def get(self, id: str) -> T | None:
        return self._database.read(lambda rows: self._rows_type(rows).get(id))

    def all(self) -> list[T]:
        return self._database.read(lambda rows: self._rows_type(rows).all())

    @contextlib.contextmanager
    def changing(self) -> Iterator[RowsT]:
        """Change records as a whole or not at all; durable when the block has ended."""
        with self._database.writing() as rows:
            yield self._rows_type(rows)


MEMORIES: Final = Table(keys.MEMORY, records.MemoryRecord)
VERSIONS: Final = Table(keys.HISTORY, records.VersionRecord)
TOMBSTONES: Final = Table(keys.TOMBSTONE, records.TombstoneRecord)
LINKS: Final = Table(keys.LINK, records.LinkRecord)
ACCESSES: Final = Table(keys.ACCESS, records.AccessRecord)
SESSIONS: Final = Table(keys.SESSION, records.SessionRecord)
CLAIMS: Final = Table(keys.CLAIM, records.ClaimRecord)
TRANSCRIPTS: Final = Table(keys.TRANSCRIPT, records.TranscriptRecord)
MAINTENANCE: Final = Table(keys.MAINTENANCE, records.MaintenanceRecord)
CONTENTS: Final = Table(keys.CONTENT, records.ContentRecord, derived=True)
POINTERS: Final = Table(keys.POINTER, records.PointerRecord, derived=True)
FOLDED_POINTERS: Final = Table(keys.POINTERS, records.PointersRecord, derived=True)
VECTORS: Final = Table(keys.VECTOR, records.VectorRecord, derived=True)
FACETS: Final = Table(keys.FACETS, records.FacetsRecord)
ANSWERS: Final = Table(keys.ANSWER, records.AnswerRecord)
JOBS: Final = Table(keys.JOB, records.JobRecord, derived=True)
TRACKED: Final = Table(keys.TRACKED, records.TrackedRecord)
FORGES: Final = Table(keys.FORGE, records.ForgeRecord)
