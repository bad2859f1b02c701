"""The memories of a workspace or of the user on disk, with their versions, links, candidates and access counts.

`MemoryTransaction` holds everything that changes memories; candidates, reminders and sessions have writes of their own.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store import changelog, keys, memory_rows, tables, vector_store
from sidecar.store.activity import ActivityStore, Use
from sidecar.store.candidates import Candidates, CandidateStore
from sidecar.store.changelog import Changes
from sidecar.store.database import Database
from sidecar.store.derived import DerivedValues
from sidecar.store.group_commit import GroupCommit
from sidecar.store.keys import MemoryKey, key_of
from sidecar.store.lock import FolderLock
from sidecar.store.memory_transaction import MemoryTransaction, TombstoneCache
from sidecar.store.opening import open_database
from sidecar.store.records import Bundle, LinkRecord, MemoryRecord, TombstoneRecord, VersionRecord
from sidecar.store.reminders import ReminderRecord, Reminders
from sidecar.store.schema import ACTIVITY, MEMORIES
from sidecar.store.sharing import Sharing

__all__ = ["Changes", "GroupCommit", "MemoryKey", "MemoryStore", "MemoryTransaction", "Use"]

log = logging.getLogger(__name__)


class MemoryStore(ActivityStore):
    """One folder with two databases: commits to `memories` wait for the disk, commits to `activity` do not.

    Thread-safe, beside any number of processes. Every method can raise `StoreUnavailable`. A record that is damaged on
    disk is skipped and logged; the next opening salvages it.
    """

    schema_version = MEMORIES.version

    def __init__(self, directory: Path, memories: Database, activity: Database) -> None:
        super().__init__(activity)
        self.directory = directory
        self._memories = memories
        self.candidates = CandidateStore(memories, Candidates)
        self.reminders = tables.TableStore[ReminderRecord, Reminders](memories, Reminders)
        self.derived = DerivedValues(memories)
        self._tombstones = TombstoneCache()
        self._maintaining = FolderLock(directory / "maintenance.lock")
        self.repair_message = (
            " ".join(filter(None, dict.fromkeys((memories.repair_message, activity.repair_message)))) or None
        )

    @classmethod
    def open(cls, directory: Path) -> MemoryStore:
        """Open the store in `directory`, and make it if it is missing. Raises `StoreUnavailable`.

        An older store is migrated, and a damaged one salvaged. A store that cannot be written, or that a newer program
        wrote, is opened only to be read. The result's `repair_message` says which of these was done.
        """
        memories = open_database(directory, MEMORIES)
        try:
            return cls(directory, memories, open_database(directory, ACTIVITY))
        except BaseException:
            memories.close()
            raise

    @property
    def memories_folder(self) -> Path:
        """Return the folder in which every committed write to memories and candidates changes a file."""
        return self._memories.folder

    @property
    def is_gone(self) -> bool:
        return self._memories.file() is None

    def check_writable(self) -> None:
        """Raise `StoreUnavailable` if memories can only be read."""
        self._memories.check_writable()

    def close(self) -> None:
        self._maintaining.close()
        self._memories.close()
        self._activity.close()

    def seq(self) -> int:
        """Return a number that grows with every committed write of any process. Read it before you read records."""
        return self._memories.read(changelog.seq)

    def changes(self, since: int) -> Changes:
        """Return the memories changed since `since`; no ids if everything must be read again."""
        return self._memories.read(lambda rows: changelog.since(rows, since))

    def get(self, id: str) -> MemoryRecord | None:
        return self._memories.read(lambda rows: tables.MEMORIES.get(rows, id))

    def get_many(self, ids: Iterable[str]) -> dict[str, MemoryRecord]:
        if not (wanted := list(ids)):
            return {}
        with self._memories.reading() as rows:
            return {record.id: record for record in tables.MEMORIES.many(rows, wanted).values()}

    def existing_ids(self, ids: Iterable[str]) -> set[str]:
        """Return those of `ids` that are memories here."""
        wanted = {tables.MEMORIES.key(id): id for id in ids}
        return self._memories.read(lambda rows: {wanted[key] for key in rows.existing(wanted)})

    def find(self, key: MemoryKey) -> MemoryRecord | None:
        return self._memories.read(lambda rows: memory_rows.find(rows, key))

    def all(self) -> list[MemoryRecord]:
        return list(self.each())

    def each(self) -> Iterator[MemoryRecord]:
        """Yield every memory, by id, all from the same moment. Each is decoded when it is its turn, to save memory."""
        with self._memories.reading() as rows:
            entries = rows.prefixed(keys.MEMORY)
        entries.sort(reverse=True)
        while entries:
            yield from (record for _, record in tables.MEMORIES.readable([entries.pop()], rows.report_damage))

    def count(self) -> dict[str, int]:
        """Count the memories that are not archived, by scope."""
        with self._memories.reading() as rows:
            tags = rows.tags(keys.MEMORY)
        counts: dict[str, int] = {}
        for tag, number in tags.items():
            scope, _, status = str(tag).rpartition(" ")
            if status != "archived":
                counts[scope] = counts.get(scope, 0) + number
        return counts

    def history(self, id: str) -> list[VersionRecord]:
        """Return the versions of a memory, newest first. They survive a deletion, but not a purge."""
        return self._memories.read(lambda rows: memory_rows.history(rows, id))

    def ids_after(self, id: str, limit: int, *, deleted: bool = False) -> list[str]:
        """Return up to `limit` ids after `id`, in order, first with ""; with `deleted`, also of deleted memories."""
        return self._memories.read(lambda rows: memory_rows.ids_after(rows, id, limit, deleted=deleted))

    def deleted_ids(self) -> list[str]:
        """Return the ids of deleted memories, oldest first; only their versions are left."""
        with self._memories.reading() as rows:
            past = {key.removeprefix(keys.HISTORY).partition(keys.SEPARATOR)[0] for key in rows.keys(keys.HISTORY)}
            return sorted(past.difference(key.removeprefix(keys.MEMORY) for key in rows.keys(keys.MEMORY)))

    def bundle(self, id: str) -> Bundle | None:
        """Return everything that the store holds of one memory; None if it holds nothing.

        All of it is from the same moment, except the accesses.
        """
        while True:
            with self._memories.reading() as rows:
                versions = memory_rows.history(rows, id)[::-1]
                memory = tables.MEMORIES.get(rows, id)
                again = memory_rows.history(rows, id)
                if len(again) != len(versions):
                    continue
                owner = None if memory is None else memory_rows.find(rows, key_of(memory))
                linked = memory_rows.links_of_memory(rows, id)
            break
        if memory is None and not versions:
            return None
        access = self.access(id)
        named = memory is None or (owner is not None and owner.id == id)
        return Bundle(id, memory, tuple(versions), named, access, tuple(linked))

    def links(self, id: str) -> list[LinkRecord]:
        """Return the links that this store keeps for a memory, whichever store has it, oldest first."""
        return self._memories.read(lambda rows: memory_rows.links_of_memory(rows, id))

    def links_by_memory(self, ids: Iterable[str]) -> dict[str, list[LinkRecord]]:
        return self._memories.read(lambda rows: {id: memory_rows.links_of_memory(rows, id) for id in ids})

    def links_of_kinds(self, kinds: Iterable[str]) -> list[LinkRecord]:
        return self._memories.read(lambda rows: memory_rows.links_of_kinds(rows, kinds))

    @contextlib.contextmanager
    def transaction(self, group: GroupCommit | None = None) -> Iterator[MemoryTransaction]:
        """Change the store as a whole or not at all; durable when the block has ended or the `group` is committed.

        No other process can write meanwhile, so do nothing slow in the block, and do not nest it. A transaction in a
        group commit cannot purge.
        """
        if group is not None:
            with group.savepoint(self._memories) as rows:
                transaction = MemoryTransaction(rows, self._tombstones)
                yield transaction
                transaction.finish(group.seq)
                if transaction.purged:
                    raise RuntimeError("a purge needs a commit of its own")
            group.join(transaction)
            return
        with self._memories.writing() as rows:
            transaction = MemoryTransaction(rows, self._tombstones)
            yield transaction
            if transaction.purged:
                self.derived.drop()
                vector_store.purge(self.directory, transaction.purged)
            transaction.finish()
        if transaction.purged:  # again, since a vector may have been stored before the commit
            vector_store.purge(self.directory, transaction.purged)
            self._memories.truncate_log()

    def tombstones(self) -> tuple[TombstoneRecord, ...]:
        return self._memories.read(self._tombstones.remember)

    @contextlib.contextmanager
    def maintaining(self) -> Iterator[bool]:
        """Yield whether this thread may maintain the store; if True, nobody else may until the block ends."""
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(self._maintaining.held(timeout=0.0))
            except StoreUnavailable as error:
                if error.data.reason != "busy":
                    raise
                yield False
            else:
                yield True

    @contextlib.contextmanager
    def sharing(self, scope: str) -> Iterator[Sharing]:
        """Yield how memories of a scope are shared; to be read only, until the block ends."""
        with self._memories.reading() as rows:
            yield Sharing(rows, scope)

    def size(self) -> int:
        return self._memories.size() + self._activity.size() + self.derived.size()
