"""Apply the database's memories to this machine's store: decide on each memory, in one transaction per page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from sidecar.memories import forgetting
from sidecar.memories.announcing import ChangedMemory
from sidecar.store.memory_store import MemoryStore, MemoryTransaction
from sidecar.store.records import MemoryRecord
from sidecar.store.sharing import SharedPlaceRecord, SharedRecord
from sidecar.team.decision import Decision, Earlier, RowAction, decide
from sidecar.team.shared_form import SharedForm, SharedRow, SharedScope, digest_of


class ChangedMeanwhile(Exception):
    """A memory was changed here since it was read, so it has to be read again."""


class PageOutcome(NamedTuple):
    """What changed here, and the number of memories that were merged."""

    changes: list[ChangedMemory]
    merged: int


class IncomingPages:
    def __init__(self, store: MemoryStore, scope: SharedScope, now: int) -> None:
        self._store = store
        self._scope = scope
        self._now = now

    def changed_here(self, rows: Sequence[SharedRow]) -> dict[str, int]:
        """Return memories that were changed here, too, each with the last common version (0: none)."""
        ids = [row.id for row in rows]
        with self._store.sharing(self._scope.name) as sharing:
            known = sharing.many(ids)
        local = self._store.get_many(ids)
        versions: dict[str, int] = {}
        for row in rows:
            seen, record = known.get(row.id), local.get(row.id)
            if record is None or row.form is None:
                continue
            differs = self._scope.resync and seen is not None and seen.digest != digest_of(row.form)
            if differs or not self._scope.is_as_shared(record, seen):
                versions[row.id] = seen.version if seen is not None and seen.gone is None else 0
        return versions

    def apply(self, rows: Sequence[SharedRow], earlier: Mapping[str, Earlier], place: SharedPlaceRecord) -> PageOutcome:
        """Apply a page and record `place`. Raises `ChangedMeanwhile`, `StoreUnavailable`."""
        purged = [row for row in rows if row.gone == "purged"]
        changes: list[ChangedMemory] = []
        count = 0
        if purged:  # a purge needs a transaction of its own
            with self._store.transaction() as transaction:
                for row in purged:
                    changes += self._remove(transaction, row, purge=True)
        with self._store.transaction() as transaction:
            sharing = transaction.sharing(self._scope.name)
            known = sharing.many([row.id for row in rows])
            for row in rows:
                if row.gone != "purged":
                    done, was_merged = self._apply_row(transaction, row, known.get(row.id), earlier.get(row.id))
                    changes += done
                    count += was_merged
            sharing.put_place(place)
        return PageOutcome(changes, count)

    def _apply_row(
        self, transaction: MemoryTransaction, row: SharedRow, known: SharedRecord | None, earlier: Earlier | None
    ) -> tuple[list[ChangedMemory], bool]:
        local = transaction.get(row.id)
        purged = local is None and known is not None and not transaction.history(row.id)
        match decide(row, known, local, earlier, self._scope, purged=purged):
            case Decision(RowAction.READ_AGAIN):
                raise ChangedMeanwhile
            case Decision(RowAction.NOTE, SharedRecord() as note):
                transaction.sharing(self._scope.name).put(row.id, note)
            case Decision(RowAction.REMOVE):
                return self._remove(transaction, row), False
            case Decision(RowAction.ACCEPT):
                return self._put(transaction, row, local), False
            case Decision(RowAction.MERGE, SharedRecord() as note, SharedForm() as both):
                changes = self._put(transaction, row, local)
                if both != row.form:
                    self._put_merged(transaction, row, both, local)
                    transaction.sharing(self._scope.name).put(row.id, note)
                return changes, True
        return [], False

    def _put(self, transaction: MemoryTransaction, row: SharedRow, local: MemoryRecord | None) -> list[ChangedMemory]:
        assert row.form is not None
        last = transaction.history(row.id)[:1] if local is None else ()
        version = local.version + 1 if local is not None else last[0].version + 1 if last else 1
        record, note = self._scope.record_from(row, row.form, local, version)
        transaction.sharing(self._scope.name).put(row.id, note)
        if local is not None and replace(record, version=local.version, updated_at=local.updated_at) == local:
            return []
        same = None if local is None else replace(local, author=record.author)
        if local is not None and same == replace(record, version=local.version, updated_at=local.updated_at):
            transaction.adjust(same)
            return []
        if local is None:
            transaction.lift(row.id)
        transaction.put(record, "created" if version == 1 else "updated", self._now)
        return [ChangedMemory(row.id, self._scope.name, "created" if local is None else "updated")]

    def _put_merged(
        self, transaction: MemoryTransaction, row: SharedRow, both: SharedForm, local: MemoryRecord | None
    ) -> None:
        """Store the merged form as a version after that of the database."""
        record = transaction.get(row.id)
        assert record is not None
        assert row.form is not None
        author = record.author if both.content == row.form.content else None
        new = self._scope.record_from(row, both, local, record.version + 1)[0]
        transaction.put(replace(new, author=author, updated_at=self._now), "merged", self._now)

    def _remove(self, transaction: MemoryTransaction, row: SharedRow, *, purge: bool = False) -> list[ChangedMemory]:
        gone = transaction.get(row.id)
        ours = gone is not None and gone.scope == self._scope.name
        if gone is not None and ours:
            transaction.bury(forgetting.tombstone(gone, self._now, purged=purge))
        if purge or ours:
            transaction.delete(row.id, self._now, purge)
        transaction.sharing(self._scope.name).put(row.id, SharedRecord(version=row.version, digest="", gone=row.gone))
        return [ChangedMemory(row.id, self._scope.name, "deleted")] if gone is not None else []


def unseen(known: Mapping[str, SharedRecord], seen: Iterable[str]) -> list[str]:
    return sorted(known.keys() - set(seen))
