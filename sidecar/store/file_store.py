"""Data about files: what is known of each content, by hash; which content is at each path; and named derived values.

All of it can be made again. So a damaged value reads as absent, and if the database is damaged, even while it is in
use, a new one is started.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from sidecar.runtime.errors import InvalidField
from sidecar.store import keys
from sidecar.store.codec import encode, seal, unseal
from sidecar.store.database import Database
from sidecar.store.database_store import DerivedStore
from sidecar.store.derived import DerivedValues
from sidecar.store.faults import Undecodable
from sidecar.store.records import ContentRecord, PointerRecord, PointersRecord
from sidecar.store.rows import Rows, prefix_end
from sidecar.store.schema import FILES
from sidecar.store.tables import CONTENTS, POINTER_COLUMNS, POINTERS

log = logging.getLogger(__name__)

T = TypeVar("T", bound=msgspec.Struct)


class StoredPointers(NamedTuple):
    """The pointers of a checkout: most in columns, and those stored since, by path."""

    columns: PointersRecord
    since: dict[str, PointerRecord]


class FileStore(DerivedStore):
    kind = FILES

    def __init__(self, directory: Path, database: Database) -> None:
        super().__init__(directory, database)
        self._mapped = DerivedValues(database)

    def content(self, hash: str, language: str, recipe: int) -> ContentRecord | None:
        """Return the record that version `recipe` made of a content; None if it is unknown or damaged."""
        wanted = (hash, language, recipe)
        return self.contents([wanted]).get(wanted)

    def contents(self, key_parts: Iterable[tuple[str, str, int]]) -> dict[tuple[str, str, int], ContentRecord]:
        parts_by_key = {_content_key(*parts): parts for parts in key_parts}
        values = self._read(lambda rows: rows.many(parts_by_key)) or {}
        # A damaged key may look like another record's key, so compare it with what the record itself says.
        return {
            parts_by_key[key]: record
            for key, record in CONTENTS.readable(values.items())
            if _content_key(record.hash, record.language, record.recipe) == key
        }

    def existing_contents(self, key_parts: Iterable[tuple[str, str, int]]) -> set[tuple[str, str, int]]:
        """Return those of the triples (hash, language, recipe) that have a record, even a damaged one."""
        parts_by_key = {_content_key(*parts): parts for parts in key_parts}
        return {parts_by_key[key] for key in self._read(lambda rows: rows.existing(parts_by_key)) or ()}

    def put_contents(self, records: Iterable[ContentRecord]) -> None:
        """Store contents in one transaction; skip a record whose text cannot be stored."""
        self._put(records, lambda record: _content_key(record.hash, record.language, record.recipe))

    def pointers(self, checkout: str) -> StoredPointers:
        """Return all pointers of a checkout, all from the same moment."""
        return self._read(lambda rows: _stored_pointers(rows, checkout)) or StoredPointers(PointersRecord(), {})

    def put_pointers(self, checkout: str, records: Iterable[PointerRecord]) -> None:
        """Store pointers in one transaction; skip a path that cannot be stored."""
        self._put(records, lambda record: POINTERS.key(checkout, record.path))

    def fold_pointers(self, checkout: str, departed: int) -> None:
        """Put all pointers of a checkout into columns, with at most `departed` of files that are gone."""

        def work(rows: Rows) -> None:
            POINTER_COLUMNS.set(rows, _folded(_stored_pointers(rows, checkout), departed), checkout)
            prefix = POINTERS.key(checkout, "")
            rows.delete_range(prefix, prefix_end(prefix))

        self._write(work)

    def referenced_hashes(self) -> set[str]:
        """Return the hashes of contents that some checkout's pointer names, as current or in its history."""
        return self._read(_named_hashes) or set()

    def compact(self) -> int:
        """Drop contents that no checkout's pointer names, as current or in its history; return how many.

        A blob named `<what> <recipes> <hash> <extension>` was made of a content, and is dropped together with it. A
        content that another process has just stored, and not pointed to yet, may be dropped too; it is then made again.
        """

        def drop(rows: Rows) -> int:
            referenced_hashes = _named_hashes(rows)
            made_of = [(key, key.split(" ")) for key in rows.keys(keys.BLOB)]
            rows.delete_many(key for key, parts in made_of if len(parts) >= 4 and parts[-2] not in referenced_hashes)
            start = len(keys.CONTENT)
            return rows.delete_many(
                key
                for key in rows.keys(keys.CONTENT)
                if key[start:].partition(keys.SEPARATOR)[0] not in referenced_hashes
            )

        return self._write(drop)

    def count(self) -> int:
        return self._read(lambda rows: len(rows.keys(keys.CONTENT))) or 0

    def get_blob(self, key: str) -> bytes | None:
        """Return the bytes stored under a name; None if there are none or they are damaged."""
        name = keys.join_key(keys.BLOB, key)
        value = self._read(lambda rows: rows.get(name))
        try:
            return None if value is None else unseal(value)
        except Undecodable as error:
            log.warning("Derived value %.80s is damaged and counts as absent: %s.", key, error)
            return None

    def put_blob(self, key: str, value: bytes) -> None:
        name = keys.join_key(keys.BLOB, key)
        self._write(lambda rows: rows.set(name, seal(value)))

    def get_mapped(self, name: str) -> memoryview | None:
        """Return bytes that `put_mapped` stored, mapped into memory; None if there are none or they are damaged."""
        return self._mapped.get(name)

    def put_mapped(self, name: str, value: bytes) -> None:
        """Store many megabytes in a file of their own; `name` must be usable as a file name."""
        with self._database.lock.held():
            self._mapped.write(name, value)

    def size(self) -> int:
        return super().size() + self._mapped.size()

    def put_blobs(self, values: Mapping[str, bytes], *, drop: Iterable[str] = ()) -> None:
        """Store bytes by name. In the same transaction, drop the names in `drop` and their longer forms (a: "a b")."""
        sealed = {keys.join_key(keys.BLOB, key): seal(value) for key, value in values.items()}
        gone = [keys.join_key(keys.BLOB, key) for key in drop]

        def work(rows: Rows) -> None:
            rows.delete_many([name for key in gone for name in (key, *rows.keys(f"{key} "))])
            rows.set_many(sealed)

        self._write(work)

    def _put(self, records: Iterable[T], key: Callable[[T], str]) -> None:
        values: dict[str, bytes] = {}
        for record in records:
            try:
                values[key(record)] = encode(record)
            except InvalidField as error:
                log.info("A derived record was not stored: %s", error.message)
        if values:
            self._write(lambda rows: rows.set_many(values))


def _stored_pointers(rows: Rows, checkout: str) -> StoredPointers:
    columns = POINTER_COLUMNS.get(rows, checkout) or PointersRecord()
    return StoredPointers(columns, {record.path: record for record in POINTERS.unordered(rows, checkout).values()})


def _folded(stored: StoredPointers, departed: int) -> PointersRecord:
    columns, since = stored
    numbers = {language: number for number, language in enumerate(columns.languages)}
    rows = zip(columns.hashes, columns.language, columns.sizes, columns.mtimes_ns, strict=True)
    by_path = dict(zip(columns.paths, rows, strict=True))
    histories = dict(columns.histories)
    for path, record in since.items():
        by_path.pop(path, None)
        number = numbers.setdefault(record.language, len(numbers))
        by_path[path] = record.hash, number, record.size, record.mtime_ns
        histories[path] = record.history
    dead = [path for path, (_, _, size, _) in by_path.items() if size < 0]
    for path in dead[: max(0, len(dead) - departed)]:
        del by_path[path]
    hashes, language, sizes, mtimes_ns = map(list, zip(*by_path.values(), strict=True)) if by_path else ([], [], [], [])
    return PointersRecord(
        paths=list(by_path),
        hashes=hashes,
        languages=list(numbers),
        language=language,
        sizes=sizes,
        mtimes_ns=mtimes_ns,
        histories={path: history for path, history in histories.items() if history and path in by_path},
    )


def _named_hashes(rows: Rows) -> set[str]:
    records = POINTERS.unordered(rows).values()
    columns = POINTER_COLUMNS.all(rows)
    histories = [record.history for record in records] + [of for each in columns for of in each.histories.values()]
    hashes = chain((record.hash for record in records), *(each.hashes for each in columns))
    return {*hashes, *chain.from_iterable(histories)}


def _content_key(hash: str, language: str, recipe: int) -> str:
    return CONTENTS.key(hash, language, str(recipe))
