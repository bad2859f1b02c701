"""Data about files: what is known of each content, by hash; which content is at each path; and named derived values.

All of it can be made again. So a damaged value reads as absent, and if the database is damaged, even while it is in
use, a new one is started.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

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
from sidecar.store.tables import CONTENTS, FOLDED_POINTERS, POINTERS

log = logging.getLogger(__name__)

T = TypeVar("T", bound=msgspec.Struct)


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

    def pointers(self, checkout: str) -> tuple[PointersRecord, int]:
        """Return all pointers of a checkout from the same moment, and how many of them are rows of their own."""
        return self._read(lambda rows: _pointers(rows, checkout)) or (PointersRecord(), 0)

    def put_pointers(self, checkout: str, records: Iterable[PointerRecord]) -> None:
        """Store pointers in one transaction; skip a path that cannot be stored."""
        self._put(records, lambda record: POINTERS.key(checkout, record.path))

    def fold_pointers(self, checkout: str, departed: int) -> None:
        """Put all pointers of a checkout into one row, with at most `departed` of files that are gone."""

        def work(rows: Rows) -> None:
            pointers, _ = _pointers(rows, checkout)
            dead = [path for path, (_, _, size, _) in pointers.files.items() if size < 0]
            for path in dead[: max(0, len(dead) - departed)]:
                del pointers.files[path]
                pointers.histories.pop(path, None)
            FOLDED_POINTERS.set(rows, pointers, checkout)
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


def _pointers(rows: Rows, checkout: str) -> tuple[PointersRecord, int]:
    folded = FOLDED_POINTERS.get(rows, checkout) or PointersRecord()
    since = POINTERS.unordered(rows, checkout).values()  # each is newer than its folded form
    files = folded.files | {each.path: (each.hash, each.language, each.size, each.mtime_ns) for each in since}
    histories = folded.histories | {each.path: each.history for each in since if each.history}
    return PointersRecord(files=files, histories=histories), len(since)


def _named_hashes(rows: Rows) -> set[str]:
    hashes = {hash for pointer in POINTERS.unordered(rows).values() for hash in (pointer.hash, *pointer.history)}
    for folded in FOLDED_POINTERS.all(rows):
        hashes.update((hash for hash, _, _, _ in folded.files.values()), *folded.histories.values())
    return hashes


def _content_key(hash: str, language: str, recipe: int) -> str:
    return CONTENTS.key(hash, language, str(recipe))
