"""Memories of one place (a workspace, or the user) on disk, with their versions and what was shown of them."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from sidecar.errors import StoreUnavailable
from sidecar.store import changelog, derived, forgotten, keys
from sidecar.store.activity import Activity, Use
from sidecar.store.changelog import Changes
from sidecar.store.codec import Codec, encode
from sidecar.store.database import Database, Rows, after
from sidecar.store.faults import Undecodable
from sidecar.store.forgotten import Graveyard
from sidecar.store.keys import MemoryKey
from sidecar.store.lock import FolderLock
from sidecar.store.mending import key_of, memory_row
from sidecar.store.opening import open_database
from sidecar.store.records import (
    MaintenanceRecord,
    MemoryRecord,
    SessionRecord,
    TombstoneRecord,
    VersionRecord,
)
from sidecar.store.schema import MEMORIES

__all__ = ["Changes", "MemoryKey", "MemoryStore", "MemoryTransaction", "Use"]

_log = logging.getLogger(__name__)

_memories = Codec(MemoryRecord)
_versions = Codec(VersionRecord)

T = TypeVar("T", bound=msgspec.Struct)


class MemoryStore:
    """One folder: `memories`, where each commit waits for the disk, and `activity`, where it does not.

    May be used from any thread and shared by any number of processes. Every method can raise `StoreUnavailable`.
    A record that is damaged on disk is left out and logged; the next opening salvages it.
    """

    schema_version = MEMORIES.version

    def __init__(self, directory: Path, memories: Database, activity: Activity) -> None:
        self.directory = directory
        self._memories = memories
        self._activity = activity
        self._graveyard = Graveyard()
        self._maintaining = FolderLock(directory / "maintenance.lock")
        self.notice = " ".join(each for each in (memories.notice, activity.notice) if each) or None

    @classmethod
    def open(cls, directory: Path) -> MemoryStore:
        """Opens the store in `directory`, made if missing; `StoreTooNew` or `StoreUnavailable`.

        An older store is migrated and a damaged one salvaged; `notice` then says so.
        """
        memories = open_database(directory, MEMORIES)
        try:
            return cls(directory, memories, Activity.open(directory))
        except BaseException:
            memories.close()
            raise

    def close(self) -> None:
        """Closes all files; idempotent."""
        self._maintaining.close()
        self._memories.close()
        self._activity.close()

    def seq(self) -> int:
        """A number that grows with every committed write of any process. Read it before you load records."""
        with self._memories.reading() as rows:
            return changelog.seq(rows)

    def changes(self, since: int) -> Changes:
        """Ids changed after seq `since`, in the order of their first change; None when all must be reloaded."""
        with self._memories.reading() as rows:
            return changelog.since(rows, since)

    def get(self, id: str) -> MemoryRecord | None:
        """The memory of this id."""
        with self._memories.reading() as rows:
            return _get(rows, id)

    def get_many(self, ids: Iterable[str]) -> dict[str, MemoryRecord]:
        """The memories that exist among these ids, by id."""
        with self._memories.reading() as rows:
            found = rows.many(keys.of_parts(keys.MEMORY, id) for id in ids)
        return {record.id: record for record in _decoded(_memories, found.items())}

    def find(self, key: MemoryKey) -> MemoryRecord | None:
        """The memory that has this key."""
        with self._memories.reading() as rows:
            return _find(rows, key)

    def all(self) -> list[MemoryRecord]:
        """Every memory, as of one moment, by id."""
        with self._memories.reading() as rows:
            found = rows.prefixed(keys.MEMORY)
        return sorted(_decoded(_memories, found), key=lambda record: record.id)

    def count(self) -> dict[str, int]:
        """Memories that are not archived, by scope."""
        with self._memories.reading() as rows:
            tags = rows.tags(keys.MEMORY)
        counts: dict[str, int] = {}
        for tag, number in tags.items():
            scope, _, status = str(tag).rpartition(" ")
            if status != "archived":
                counts[scope] = counts.get(scope, 0) + number
        return counts

    def history(self, id: str) -> list[VersionRecord]:
        """Versions of a memory, newest first; kept after a deletion, not after a purge."""
        with self._memories.reading() as rows:
            return _history(rows, id)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[MemoryTransaction]:
        """One change of the store, whole or not at all; acknowledged and durable when the block has ended.

        Excludes every other writer of every process: keep it short, never await in it, don't nest it.
        """
        with self._memories.writing() as rows:
            transaction = MemoryTransaction(rows, self._graveyard)
            yield transaction
            if transaction.purged:
                derived.drop(self._memories.folder)
            transaction.finish()

    def accesses(self, ids: Iterable[str], at: int | None = None) -> dict[str, int]:
        """How many sessions had been shown each memory at time `at` (now, when None); 0 for the unknown."""
        return self._activity.accesses(ids, at)

    def uses(self, ids: Iterable[str]) -> dict[str, Use]:
        """How often and when last each memory was shown, in one read; those never shown are left out."""
        return self._activity.uses(ids)

    def every_use(self) -> dict[str, Use]:
        """`uses` of every memory ever shown."""
        return self._activity.every_use()

    def move_accesses(self, source: str, target: str) -> None:
        """Adds what was shown of memory `source` to memory `target`; nothing is left, so again adds nothing."""
        self._activity.move_accesses(source, target)

    def tombstones(self) -> tuple[TombstoneRecord, ...]:
        """What tells that a memory was deleted, for every one that was and is not lifted."""
        with self._memories.reading() as rows:
            self._graveyard.remember(rows)
            return self._graveyard.all(rows)

    @contextlib.contextmanager
    def maintaining(self) -> Iterator[bool]:
        """Whether this is now the one thread of one process that maintains the store; until the block ends, if so.

        Nothing but other maintenance is kept out. The kernel ends it when the process dies.
        """
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(self._maintaining.held(timeout=0.0))
            except StoreUnavailable as error:
                if error.data.reason != "busy":
                    raise
                yield False
            else:
                yield True

    def maintenance(self) -> MaintenanceRecord:
        """When the store was last maintained, by any process, and what was proposed then."""
        return self._activity.maintenance()

    def update_maintenance(
        self, change: Callable[[MaintenanceRecord], MaintenanceRecord]
    ) -> MaintenanceRecord:
        """Replaces what is known of maintenance by `change` of it; atomic over processes."""
        return self._activity.update_maintenance(change)

    def sessions_since(self, at: int) -> int:
        """How many sessions began at time `at` or later, of the 1,000 last ones."""
        return self._activity.sessions_since(at)

    def access_state(self) -> object:
        """Something that differs whenever an access was noted, by any process; cheap. Read it before the counts."""
        return self._activity.state()

    def used(self, at: int | None = None) -> dict[str, int]:
        """`accesses` of all memories that had been shown at time `at`, deleted ones too."""
        return self._activity.used(at)

    def record_access(self, ids: Iterable[str], at: int) -> None:
        """Notes that a session was shown these memories at time `at`."""
        self._activity.record_access(ids, at)

    def session(self, id: str) -> SessionRecord | None:
        """What is known of a session."""
        return self._activity.session(id)

    def update_session(
        self, id: str, change: Callable[[SessionRecord | None], SessionRecord]
    ) -> SessionRecord:
        """Replaces a session by `change` of it; atomic over processes, so `change` must be quick."""
        return self._activity.update_session(id, change)

    def get_derived(self, name: str) -> bytes | None:
        """A value that was made of this store and can be made again; None when there is none or it is damaged."""
        return derived.read(self._memories.folder, name)

    def put_derived(self, name: str, value: bytes, seq: int) -> bool:
        """Keeps a value made of the store as it stood at `seq`; whether it was kept.

        It is not when the store has changed since: the value may hold words of a memory that was purged meanwhile.
        Every purge drops all such values before it is acknowledged.
        """
        with self._memories.lock.held():
            if self.seq() != seq:
                return False
            derived.write(self._memories.folder, name, value)
        return True

    def has_derived(self, name: str) -> bool:
        """Whether a value of this name is kept, usable or not."""
        return derived.path(self._memories.folder, name).exists()

    def size(self) -> int:
        """Bytes on disk."""
        return self._memories.size() + self._activity.size() + derived.size(self._memories.folder)


class MemoryTransaction:
    """What a transaction can read and change; of no use after its block."""

    def __init__(self, rows: Rows, graveyard: Graveyard) -> None:
        self._rows = rows
        self._graveyard = graveyard
        self._changed: list[str] = []
        self._open = True
        self.purged = False

    def get(self, id: str) -> MemoryRecord | None:
        """The memory of this id, with the changes made so far."""
        return _get(self._usable(), id)

    def find(self, key: MemoryKey) -> MemoryRecord | None:
        """The memory that has this key, with the changes made so far."""
        return _find(self._usable(), key)

    def history(self, id: str) -> list[VersionRecord]:
        """Versions of a memory, newest first, with the changes made so far."""
        return _history(self._usable(), id)

    def put(self, record: MemoryRecord, change: str, at: int) -> None:
        """Stores a memory and its new version; `change` and `at` say what happened and when.

        The record's key is its own from now on, also if another memory had it, and its earlier key is free.
        """
        rows = self._usable()
        before = _get(rows, record.id)
        if before is not None and key_of(before) != key_of(record):
            self._free(before)
        self._set(record)
        rows.set(keys.of_name(key_of(record)), record.id)
        self._note(record.id, VersionRecord(version=record.version, change=change, at=at, memory=record))

    def adjust(self, record: MemoryRecord) -> None:
        """Stores a memory that differs in its relevance only: no version is kept, since nobody said anything."""
        before = _get(self._usable(), record.id)
        if before is None or msgspec.structs.replace(before, relevance=record.relevance) != record:
            raise RuntimeError("an adjusted memory may differ from the stored one in its relevance only")
        self._set(record)
        self._changed.append(record.id)

    def tombstones(self) -> tuple[TombstoneRecord, ...]:
        """Tombstones of deleted memories, with the changes made so far."""
        return self._graveyard.all(self._usable())

    def bury(self, tombstone: TombstoneRecord) -> None:
        """Notes that a memory was deleted."""
        forgotten.bury(self._usable(), tombstone)

    def lift(self, id: str) -> None:
        """Drops the tombstone of a memory, if there is one."""
        forgotten.lift(self._usable(), id)

    def delete(self, id: str, at: int, purge: bool) -> None:
        """Removes a memory; its versions stay and get one that says so, or all go when `purge`.

        Nothing happens to an id that has no memory, save that `purge` drops the versions it may still have.
        """
        rows = self._usable()
        before = _get(rows, id)
        if before is not None:
            self._free(before)
        gone = rows.delete(keys.of_parts(keys.MEMORY, id))
        if purge:
            versions = rows.delete_many(rows.keys(keys.versions_of(id)))
            if gone or versions:
                self.purged = True
                self._changed.append(id)
        elif gone:
            latest = next((each.version for each in _history(rows, id)), 0)
            self._note(id, VersionRecord(version=latest + 1, change="deleted", at=at))

    def finish(self) -> None:
        """Writes the log of changes; called by the store before it commits."""
        if self._changed:
            changelog.append(self._rows, self._changed)
        self._open = False

    def _usable(self) -> Rows:
        if not self._open:
            raise RuntimeError("the transaction has ended")
        return self._rows

    def _set(self, record: MemoryRecord) -> None:
        row = memory_row(record)
        self._rows.set(keys.of_parts(keys.MEMORY, record.id), row.value, tag=row.tag)

    def _free(self, record: MemoryRecord) -> None:
        name = keys.of_name(key_of(record))
        if self._rows.get(name) == record.id:
            self._rows.delete(name)

    def _note(self, id: str, version: VersionRecord) -> None:
        last = self._rows.last_key(keys.versions_of(id))
        number = 0 if last is None else int(last.rpartition(keys.SEPARATOR)[2])
        self._rows.set(keys.of_version(id, number + 1), encode(version))
        self._changed.append(id)


def _get(rows: Rows, id: str) -> MemoryRecord | None:
    key = keys.of_parts(keys.MEMORY, id)
    value = rows.get(key)
    return None if value is None else next(_decoded(_memories, [(key, value)]), None)


def _find(rows: Rows, key: MemoryKey) -> MemoryRecord | None:
    id = rows.get(keys.of_name(key))
    record = _get(rows, id) if isinstance(id, str) else None
    # Outside a transaction the memory may have been renamed between the two reads.
    return record if record is not None and key_of(record) == key else None


def _history(rows: Rows, id: str) -> list[VersionRecord]:
    prefix = keys.versions_of(id)
    return list(_decoded(_versions, rows.range(prefix, after(prefix), newest=True)))


def _decoded(codec: Codec[T], found: Iterable[tuple[str, object]]) -> Iterator[T]:
    for key, value in found:
        try:
            yield codec.decode(value)
        except Undecodable as error:
            _log.error("Row %.80s is damaged and was left out: %s.", key, error)
