"""The kinds of databases: folder, durability, layout of rows, and version of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from sidecar.store import keys, tables
from sidecar.store.candidates import CANDIDATES
from sidecar.store.codec import unseal
from sidecar.store.faults import Undecodable
from sidecar.store.mending import SalvagedRow, mend_memories
from sidecar.store.reminders import REMINDERS
from sidecar.store.rows import Rows, StoredValue
from sidecar.store.sharing import SHARED, SHARED_PLACES
from sidecar.store.tables import Table

Migration = Callable[[Rows], None]


def _text(value: object) -> str:
    if type(value) is not str:
        raise Undecodable("not a text")
    return value


def _number(value: object) -> int:
    if type(value) is not int:
        raise Undecodable("not a number")
    return value


def _layouts(*of: Table[Any]) -> dict[str, Callable[[object], object]]:
    return {table.prefix: table.decode for table in of}


class DatabaseKind(msgspec.Struct, frozen=True):
    """One kind of database.

    `migrations[i]` leads from version i + 1 to i + 2; all run in one transaction. Never change or remove a released
    migration: some store may still have its version. A migration decodes old rows to plain values, not with the structs
    of `records.py`, which change.
    """

    name: str
    durable: bool  # each commit waits for the disk
    derived: bool  # it can be made again, so a damaged one is not salvaged
    layouts: Mapping[str, Callable[[object], object]]  # by key prefix: checks a value, raises `Undecodable`
    migrations: tuple[Migration, ...] = ()
    seed: Mapping[str, StoredValue] = {}  # the rows of an empty database
    mend: Callable[[dict[str, SalvagedRow]], dict[str, SalvagedRow]] | None = None

    @property
    def version(self) -> int:
        return len(self.migrations) + 1

    def problem(
        self, version: int, key: object, raw: object, mode: object, filename: object, value: object
    ) -> str | None:
        """Return what is wrong with a row, or None."""
        if type(key) is not str or raw != 1 or mode != 1 or filename is not None:
            return "in a form that memory-sidecar never writes"
        if key == keys.VERSION:
            return None if type(value) is int else "unreadable"
        layout = self.layouts.get(key[:2])
        try:
            if version == self.version and layout is not None:
                layout(value)
            elif type(value) is bytes:
                unseal(value)
        except Undecodable:
            return "unreadable"
        return None


MEMORIES = DatabaseKind(
    name="memories",
    durable=True,
    derived=False,
    layouts=_layouts(tables.MEMORIES, tables.VERSIONS, tables.TOMBSTONES, tables.LINKS, REMINDERS, CANDIDATES)
    | _layouts(SHARED, SHARED_PLACES)
    | {keys.NAME: _text, keys.LOG: _text},
    seed={keys.change_key(0): ""},
    mend=mend_memories,
)
ACTIVITY = DatabaseKind(
    name="activity",
    durable=False,
    derived=False,
    layouts=_layouts(tables.ACCESSES, tables.SESSIONS, tables.CLAIMS, tables.TRANSCRIPTS),
)
FILES = DatabaseKind(
    name="files",
    durable=False,
    derived=True,
    layouts=_layouts(tables.CONTENTS, tables.POINTERS, tables.FOLDED_POINTERS) | {keys.BLOB: unseal},
)
VECTORS = DatabaseKind(name="vectors", durable=False, derived=True, layouts=_layouts(tables.VECTORS))
KNOWLEDGE = DatabaseKind(
    name="knowledge",
    durable=True,
    derived=False,
    layouts=_layouts(tables.FACETS, tables.ANSWERS, tables.JOBS) | {keys.GROUND: _text},
)
SPENDING = DatabaseKind(name="spending", durable=True, derived=False, layouts={keys.SPENT: _number})
TRACKERS = DatabaseKind(name="trackers", durable=False, derived=True, layouts=_layouts(tables.TRACKED, tables.FORGES))
