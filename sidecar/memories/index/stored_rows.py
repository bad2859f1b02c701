"""The rows of a catalogue. A row from a snapshot stays numbers in columns until somebody needs it as a `Row`."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, compress
from typing import Any, NamedTuple

import msgspec

from sidecar.memories.drafts import Filters
from sidecar.memories.index.row import Row, passes
from sidecar.store.columns import view_as
from sidecar.store.memory_store import MemoryStore

Parts = Mapping[str, memoryview]

_UINT = "I"
_NO_EXPIRY = -1  # `expires_at` of a memory that does not expire
_NUMBER_COLUMNS = {"created": "q", "updated": "q", "expires": "q", "versions": "Q", "letters": _UINT, "sessions": _UINT}
_decode_rest = msgspec.msgpack.Decoder(tuple[tuple[str, ...], str | None, tuple[str, ...]]).decode


class _SharedColumns(NamedTuple):
    """Values that many memories have in common, stored once."""

    scope: str
    type: str
    category: str | None
    agent: str | None
    status: str
    pinned: bool
    foreign: bool


# Made on import: see `engine/decoder_warmup.py`.
_tables = msgspec.msgpack.Decoder(tuple[list[_SharedColumns], list[str | None]])


class StoredRows:
    """The rows of one store in a snapshot, by number. Raises ValueError if the parts do not fit together."""

    def __init__(self, parts: Parts, numbers: dict[str, int], store: MemoryStore) -> None:
        try:
            self._columns = columns = {name: view_as(code, parts[name]) for name, code in _NUMBER_COLUMNS.items()}
            self.weights = parts["weights"].cast("d")
            self._kinds = view_as("H", parts["kinds"])
            self._tables = _tables.decode(parts["tables"])
            self._rest, self._ends = parts["rest"], view_as(_UINT, parts["rest's ends"])
            self.expiring = view_as(_UINT, parts["expiring"])
        except (KeyError, TypeError, msgspec.MsgspecError) as error:
            raise ValueError(f"the rows of the snapshot cannot be read: {error}") from error
        self.numbers, self.ids, self.store = numbers, list(numbers), store
        self.created, self.updated = columns["created"], columns["updated"]
        lengths = {len(self.weights), len(self._kinds), len(self._ends), *map(len, columns.values())}
        if lengths != {len(numbers)}:
            raise ValueError("the rows of the snapshot don't fit together")

    def row(self, number: int) -> Row:
        kind, columns = self._tables[0][self._kinds[number]], self._columns
        start, end = self._ends[number - 1] if number else 0, self._ends[number]
        files, supersedes, stale = _decode_rest(self._rest[start:end]) if start < end else ((), None, ())
        expires_at = columns["expires"][number]
        return Row(
            id=self.ids[number],
            store=self.store,
            **kind._asdict(),
            created_at=self.created[number],
            updated_at=self.updated[number],
            version=columns["versions"][number],
            expires_at=None if expires_at == _NO_EXPIRY else expires_at,
            weight=self.weights[number],
            files=files,
            supersedes=supersedes,
            chars=columns["letters"][number],
            session=self.session(number),
            stale=stale,
        )

    def session(self, number: int) -> str | None:
        return self._tables[1][self._columns["sessions"][number]]

    def recorded(self, number: int) -> tuple[int, str]:
        return self.created[number], self.ids[number]

    def passing(self, filters: Filters, now: int) -> Iterable[int]:
        """Return the numbers of the rows that pass the filters and never expire; if all do, `range` of all rows."""
        common = msgspec.structs.replace(filters, since=None, files=None)
        may = [passes(self.row(0)._replace(expires_at=None, **kind._asdict()), common, now) for kind in self._tables[0]]
        numbers: Iterable[int] = range(len(self.ids))
        if not all(may) or self.expiring:
            mask = bytearray(map(may.__getitem__, self._kinds))
            for number in self.expiring:
                mask[number] = 0
            numbers = compress(numbers, mask)
        if filters.since is not None:
            numbers = (number for number in numbers if self.updated[number] >= filters.since)
        if filters.files is not None:
            numbers = (number for number in numbers if passes(self.row(number), filters, now))
        return numbers


def pack_rows(rows: Sequence[Row]) -> dict[str, bytes]:
    kinds: dict[_SharedColumns, int] = {}
    sessions: dict[str | None, int] = {None: 0}
    rest: list[bytes] = []
    columns = {name: array(code) for name, code in _NUMBER_COLUMNS.items()}
    numbers = array("H")
    for row in rows:
        kind = _SharedColumns(row.scope, row.type, row.category, row.agent, row.status, row.pinned, row.foreign)
        numbers.append(kinds.setdefault(kind, len(kinds)))
        columns["created"].append(row.created_at)
        columns["updated"].append(row.updated_at)
        columns["expires"].append(_NO_EXPIRY if row.expires_at is None else row.expires_at)
        columns["versions"].append(row.version)
        columns["letters"].append(row.chars)
        columns["sessions"].append(sessions.setdefault(row.session, len(sessions)))
        plain = not row.files and row.supersedes is None and not row.stale
        rest.append(b"" if plain else msgspec.msgpack.encode((row.files, row.supersedes, row.stale)))
    expiring = [number for number, row in enumerate(rows) if row.expires_at is not None]
    return {
        **{name: column.tobytes() for name, column in columns.items()},
        "weights": array("d", [row.weight for row in rows]).tobytes(),
        "kinds": numbers.tobytes(),
        "tables": msgspec.msgpack.encode((list(kinds), list(sessions))),
        "rest": b"".join(rest),
        "rest's ends": array(_UINT, accumulate(map(len, rest))).tobytes(),
        "expiring": array(_UINT, expiring).tobytes(),
    }


class CatalogueRows(Mapping[str, Row]):
    def __init__(self) -> None:
        self._held: dict[str, Row | int] = {}  # a number is that of a stored row, counted through all stores
        self._stored: list[tuple[int, StoredRows]] = []  # (number of the first row, rows) of each store
        self._sizes: Counter[MemoryStore] = Counter()

    def open(self, stored: StoredRows) -> None:
        first = sum(len(rows.ids) for _, rows in self._stored)
        self._stored.append((first, stored))
        numbers = zip(stored.ids, range(first, first + len(stored.ids)), strict=True)
        # A copied dictionary shares the numbers of the original.
        self._held.update(numbers if first else stored.numbers)
        self._sizes[stored.store] += len(stored.ids)

    def __getitem__(self, id: str) -> Row:
        entry = self._held[id]
        if type(entry) is int:
            entry = self._held[id] = self._make_row(entry)
        return entry  # type: ignore[return-value]

    def get(self, id: str, otherwise: Any = None) -> Any:
        entry = self._held.get(id)
        if type(entry) is int:
            entry = self._held[id] = self._make_row(entry)
        return otherwise if entry is None else entry

    def session(self, id: str) -> str | None:
        """Return the session of a memory, without making its row."""
        entry = self._held[id]
        if type(entry) is int:
            stored, number = self._locate(entry)
            return stored.session(number)
        return entry.session  # type: ignore[union-attr]

    def __setitem__(self, id: str, row: Row) -> None:
        self.pop(id)
        self._held[id] = row
        self._sizes[row.store] += 1

    def pop(self, id: str) -> Row | None:
        row: Row | None = self.get(id)
        if row is not None:
            del self._held[id]
            self._sizes[row.store] -= 1
        return row

    def size(self, store: MemoryStore) -> int:
        return self._sizes[store]

    def __contains__(self, id: object) -> bool:
        return id in self._held

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def each(self) -> Iterator[Row]:
        """Yield all rows; a row of a snapshot is made for this and not kept."""
        for entry in self._held.values():
            yield self._make_row(entry) if type(entry) is int else entry  # type: ignore[misc]

    def weights(self, ids: Iterable[str]) -> Iterator[tuple[str, float, int]]:
        """Yield (id, weight, time of update) of the memories `ids`, without making their rows."""
        entries, weights, updated = self._held, array("d"), array("q")
        for _, snapshot in self._stored:
            weights.frombytes(snapshot.weights.cast("B"))
            updated.frombytes(snapshot.updated.cast("B"))
        for id in ids:
            entry = entries[id]
            if type(entry) is int:
                yield id, weights[entry], updated[entry]
            else:
                yield id, entry.weight, entry.updated_at  # type: ignore[union-attr]

    def select(self, filters: Filters, now: int) -> tuple[set[str], list[Row]]:
        """Return the ids of stored rows that pass the filters at any time, and all other rows that may pass."""
        entries = self._held
        other_rows = [row for row in entries.values() if type(row) is not int]
        passing = [(snapshot.ids, snapshot.passing(filters, now)) for _, snapshot in self._stored]
        if all(numbers == range(len(ids)) for ids, numbers in passing):
            chosen = set(entries)
        else:
            chosen = {ids[number] for ids, numbers in passing for number in numbers}.intersection(entries)
        chosen.difference_update([row.id for row in other_rows])  # type: ignore[union-attr]
        for first, snapshot in self._stored:
            expiring = (first + number for number in snapshot.expiring)
            other_rows += [self._make_row(at) for at in expiring if entries.get(snapshot.ids[at - first]) == at]
        return chosen, other_rows  # type: ignore[return-value]

    def _locate(self, number: int) -> tuple[StoredRows, int]:
        first, snapshot = self._stored[0]
        if number >= first + len(snapshot.ids):
            first, snapshot = next(pair for pair in reversed(self._stored) if pair[0] <= number)
        return snapshot, number - first

    def _make_row(self, entry: int) -> Row:
        snapshot, number = self._locate(entry)
        return snapshot.row(number)
