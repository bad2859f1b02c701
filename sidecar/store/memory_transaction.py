"""Transactions of a memory store: everything that they can read and change.

`memories`, `team` and others open one with `MemoryStore.transaction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store import changelog, keys, memory_rows
from sidecar.store.candidates import Candidates
from sidecar.store.codec import encode
from sidecar.store.keys import MemoryKey, key_of
from sidecar.store.mending import memory_row
from sidecar.store.records import LinkRecord, MemoryRecord, TombstoneRecord, VersionRecord
from sidecar.store.reminders import Reminders
from sidecar.store.rows import Rows
from sidecar.store.sharing import Sharing
from sidecar.store.tables import MEMORIES, TOMBSTONES, VERSIONS
from sidecar.store.vocabulary import SCOPES, MemoryChange

_ADJUSTABLE = tuple("relevance verified_at references files name name_given author useful not_useful".split())
"""Fields derived from the clock, files, the text, sharing and ratings: changing them makes no version."""


class TombstoneCache:
    """The decoded tombstones of one store. Thread-safe.

    The number under `keys.FORGOTTEN` changes whenever any process makes or lifts a tombstone; they are then decoded
    again.
    """

    def __init__(self) -> None:
        self._cached: tuple[object, tuple[TombstoneRecord, ...]] = None, ()

    def all(self, rows: Rows) -> tuple[TombstoneRecord, ...]:
        """Return every tombstone, with the changes of the transaction to which `rows` may belong."""
        return self._read(rows)[1]

    def remember(self, rows: Rows) -> tuple[TombstoneRecord, ...]:
        """Return and cache every tombstone. Only outside a transaction, which might be rolled back."""
        self._cached = cached = self._read(rows)
        return cached[1]

    def _read(self, rows: Rows) -> tuple[object, tuple[TombstoneRecord, ...]]:
        number = rows.get(keys.FORGOTTEN)  # read before the tombstones: after a change in between, they are read again
        cached = self._cached
        if cached[0] == number:
            return cached
        return number, () if number is None else tuple(TOMBSTONES.all(rows))


class MemoryTransaction:
    """A transaction of a memory store, which reads its own changes; unusable after its block."""

    def __init__(self, rows: Rows, tombstones: TombstoneCache) -> None:
        self._rows = rows
        self._tombstones = tombstones
        self._changed: list[str] = []
        self._open = True
        self.seq = 0  # the number of the store's latest change, once the transaction is finished
        self.failure: StoreUnavailable | None = None  # why the group commit is not on disk
        self.purged: set[str] = set()

    def get(self, id: str) -> MemoryRecord | None:
        return MEMORIES.get(self._open_rows(), id)

    def find(self, key: MemoryKey) -> MemoryRecord | None:
        return memory_rows.find(self._open_rows(), key)

    def find_former(self, key: MemoryKey) -> MemoryRecord | None:
        """Return the memory that has this key, or that had it until its text was changed."""
        id = self._open_rows().get(keys.name_key(key))
        return self.get(id) if isinstance(id, str) else None

    def history(self, id: str) -> list[VersionRecord]:
        return memory_rows.history(self._open_rows(), id)

    def put(
        self,
        record: MemoryRecord,
        change: MemoryChange,
        changed_at: int,
        *,
        also_changed: Iterable[MemoryRecord] = (),
        shows_version: int | None = None,
        reason: str | None = None,
        is_new: bool = False,
    ) -> None:
        """Store a memory, and a version of it that says what `change` happened at `changed_at`; see `VersionRecord`.

        The memory gets the key of its name, even if another memory had it, and gives up its earlier key. If a text
        named "Use pnpm" is corrected to "Use bun", `find("Use pnpm")` finds nothing, but `find_former` finds the
        memory, so that the old text is not recorded again. A name that somebody gave and then changed is free.

        `is_new`: the id is new, so no earlier state need be looked up.
        """
        before = None if is_new else MEMORIES.get(self._open_rows(), record.id)
        self._set(record)
        self._assign_key(before, record)
        others = tuple((other.id, other.version) for other in also_changed if other.id != record.id)
        version = VersionRecord(
            version=record.version,
            change=change,
            at=changed_at,
            memory=record,
            shows=shows_version,
            also=others,
            reason=reason,
        )
        self._add_version(record.id, version, before, is_new)

    def restore(
        self, id: str, memory: MemoryRecord | None, versions: Sequence[VersionRecord], *, owns_key: bool
    ) -> None:
        """Store an exported memory (None: it was deleted), and add its `versions`, oldest first, to existing ones.

        With `owns_key`, the memory gets its key even if another memory has it.
        """
        rows = self._open_rows()
        before = MEMORIES.get(rows, id)
        if before is not None and (memory is None or key_of(before) != key_of(memory)):
            self._free_key(before)
        if memory is None:
            rows.delete(MEMORIES.key(id))
        else:
            self._set(memory)
            if owns_key:
                rows.set(keys.name_key(key_of(memory)), id)
        for version in versions:
            self._add_version(id, version)
        self._changed.append(id)

    def adjust(self, record: MemoryRecord) -> None:
        """Store a memory without a version; it may differ from the stored one only in the fields `_ADJUSTABLE`."""
        before = MEMORIES.get(self._open_rows(), record.id)
        fields = {name: getattr(record, name) for name in _ADJUSTABLE}
        if before is None or msgspec.structs.replace(before, **fields) != record:
            raise RuntimeError(f"an adjusted memory may differ from the stored one in {', '.join(_ADJUSTABLE)} only")
        self._set(record)
        if key_of(before) != key_of(record):
            self._assign_key(before, record)
        self._changed.append(record.id)

    def links(self, id: str) -> list[LinkRecord]:
        return memory_rows.links_of_memory(self._open_rows(), id)

    def link(self, link: LinkRecord) -> None:
        """Store a link in place of one with the same ends and kind; both ends count as changed."""
        memory_rows.put_link(self._open_rows(), link)
        self._log_changed(link.source, link.target)

    def unlink(self, source: str, target: str, kind: str) -> bool:
        gone = memory_rows.remove_link(self._open_rows(), source, target, kind)
        if gone:
            self._log_changed(source, target)
        return gone

    def drop_links(self, id: str) -> None:
        self._log_changed(*memory_rows.drop_links(self._open_rows(), id))

    def tombstones(self) -> tuple[TombstoneRecord, ...]:
        return self._tombstones.all(self._open_rows())

    def bury(self, tombstone: TombstoneRecord) -> None:
        TOMBSTONES.set(self._open_rows(), tombstone, tombstone.id)
        self._rows.renumber(keys.FORGOTTEN)

    def lift(self, id: str) -> None:
        if TOMBSTONES.drop(self._open_rows(), [id]):
            self._rows.renumber(keys.FORGOTTEN)

    def reminders(self) -> Reminders:
        return Reminders(self._open_rows())

    def candidates(self) -> Candidates:
        return Candidates(self._open_rows())

    def sharing(self, scope: str) -> Sharing:
        return Sharing(self._open_rows(), scope)

    def delete(
        self,
        id: str,
        deleted_at: int,
        purge: bool,
        *,
        change: MemoryChange = "deleted",
        shows_version: int | None = None,
    ) -> None:
        """Delete a memory, if it exists, and add a version that says so; with `purge`, remove all its versions."""
        rows = self._open_rows()
        before = MEMORIES.get(rows, id)
        if before is not None:
            self._free_key(before)
        deleted = rows.delete(MEMORIES.key(id))
        if purge:
            rows.renumber(keys.FORGOTTEN)
            self.drop_links(id)
            rows.delete_many([key for key, owner in rows.prefixed(keys.NAME) if owner == id])
            versions = rows.delete_many(rows.keys(keys.version_prefix(id)))
            for scope in SCOPES:
                self.sharing(scope).forget_words(id)
            if deleted or versions:
                self.purged.add(id)
                self._changed.append(id)
        elif deleted:
            latest = next((past.version for past in memory_rows.history(rows, id)), 0)
            self._add_version(
                id, VersionRecord(version=latest + 1, change=change, at=deleted_at, shows=shows_version), before
            )

    def finish(self, last: int | None = None) -> None:
        """Log the changes just before the commit, numbered after `last`, by default the last number stored."""
        self.seq = changelog.append(self._rows, self._changed, changelog.seq(self._rows) if last is None else last)
        self._open = False

    def _log_changed(self, *ids: str) -> None:
        """Log the memories `ids` as changed, except those in another store."""
        self._changed += [id for id in ids if self._rows.get(MEMORIES.key(id)) is not None]

    def _open_rows(self) -> Rows:
        if not self._open:
            raise RuntimeError("the transaction has ended")
        return self._rows

    def _set(self, record: MemoryRecord) -> None:
        row = memory_row(record)
        self._open_rows().set(MEMORIES.key(record.id), row.value, tag=row.tag)

    def _assign_key(self, before: MemoryRecord | None, record: MemoryRecord) -> None:
        """Give a memory its key, and free the key that it had `before`, unless only its text gave it that key."""
        if before is not None and key_of(before) != key_of(record):
            renamed = key_of(before)._replace(name=record.name) == key_of(record)
            if before.name_given or not renamed:
                self._free_key(before)
        self._rows.set(keys.name_key(key_of(record)), record.id)

    def _free_key(self, record: MemoryRecord) -> None:
        name = keys.name_key(key_of(record))
        if self._rows.get(name) == record.id:
            self._rows.delete(name)

    def _add_version(
        self, id: str, version: VersionRecord, before: MemoryRecord | None = None, is_new: bool = False
    ) -> None:
        last = None if is_new else self._rows.last_key(keys.version_prefix(id))
        stored = None if before is None or last is None else VERSIONS.decode_row(last, self._rows.get(last))
        if before is not None and (stored is None or stored.memory != before):
            version = msgspec.structs.replace(version, before=before)
        number = 0 if last is None else int(last.rpartition(keys.SEPARATOR)[2])
        self._rows.set(keys.version_key(id, number + 1), encode(version))
        self._changed.append(id)
