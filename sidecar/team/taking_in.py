"""Take what the database has into the store of this machine: decide for each memory, in one transaction per page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from sidecar.memories import forgetting
from sidecar.memories.announcing import ChangedMemory
from sidecar.store.memory_store import MemoryStore, MemoryTransaction
from sidecar.store.records import MemoryRecord
from sidecar.store.sharing import SharedPlaceRecord, SharedRecord
from sidecar.team.merge import merged
from sidecar.team.shared_form import SharedForm, SharedRow, digest_of, form_of, is_shared, taken_in

Earlier = Mapping[str, Mapping[int, SharedForm | None]]
"""By id, the versions that the database keeps, from the one that this store knows."""


class ChangedMeanwhile(Exception):
    """A memory was changed here since it was read, so it has to be read again."""


class TakenIn(NamedTuple):
    """What changed here, and how many memories two machines had changed."""

    changes: list[ChangedMemory]
    merged: int


class TakingIn:
    """Takes in pages of one scope; `me` is our role in the database, `believed` those whose directives count here.

    With `afresh`, the database may have lost versions that were there, and others may have taken their numbers.
    """

    def __init__(
        self, store: MemoryStore, scope: str, me: str, believed: Collection[str], now: int, *, afresh: bool = False
    ) -> None:
        self._store = store
        self._scope = scope
        self._me = me
        self._believed = believed
        self._now = now
        self._afresh = afresh

    def changed_here(self, rows: Sequence[SharedRow]) -> dict[str, int]:
        """Return memories that were changed here, too, each with the version that both began with (0: none)."""
        ids = [row.id for row in rows]
        with self._store.sharing(self._scope) as sharing:
            known = sharing.many(ids)
        local = self._store.get_many(ids)
        versions: dict[str, int] = {}
        for row in rows:
            seen, record = known.get(row.id), local.get(row.id)
            if record is None or row.form is None:
                continue
            differs = self._afresh and seen is not None and seen.digest != digest_of(row.form)
            if differs or not self._is_as_shared(record, seen):
                versions[row.id] = seen.version if seen is not None and seen.gone is None else 0
        return versions

    def take(self, rows: Sequence[SharedRow], earlier: Earlier, place: SharedPlaceRecord) -> TakenIn:
        """Take in a page and record `place`. Raises `ChangedMeanwhile`, `StoreUnavailable`."""
        purged = [row for row in rows if row.gone == "purged"]
        changes: list[ChangedMemory] = []
        count = 0
        if purged:  # a purge needs a transaction of its own
            with self._store.transaction() as transaction:
                for row in purged:
                    changes += self._remove(transaction, row, purge=True)
        with self._store.transaction() as transaction:
            sharing = transaction.sharing(self._scope)
            known = sharing.many([row.id for row in rows])
            for row in rows:
                if row.gone != "purged":
                    done, was_merged = self._take(transaction, row, known.get(row.id), earlier.get(row.id))
                    changes += done
                    count += was_merged
            sharing.put_place(place)
        return TakenIn(changes, count)

    def _take(
        self,
        transaction: MemoryTransaction,
        row: SharedRow,
        known: SharedRecord | None,
        earlier: Mapping[int, SharedForm | None] | None,
    ) -> tuple[list[ChangedMemory], bool]:
        sharing = transaction.sharing(self._scope)
        local = transaction.get(row.id)
        lost = self._is_lost(known, earlier)
        clean = self._is_as_shared(local, known) and not lost
        if row.form is None and row.gone is None:
            return [], False  # a form of another program: left alone
        went_back = known is not None and (  # as after a failover: it gets ours again
            row.version < known.version
            or (self._afresh and row.version == known.version and (row.gone is None) != (known.gone is None))
        )
        if row.form is None:
            if clean and not went_back:
                return self._remove(transaction, row), False
            sharing.put(row.id, SharedRecord(version=row.version, digest="", gone=row.gone))  # ours is sent again
            return [], False
        noted = taken_in(row, row.form, self._scope, local, 1, self._me, self._believed)[1]
        if known is not None and replace(known, beside=None) == noted:
            return [], False  # as we pushed it
        if known is not None and went_back and (local is None) == (known.gone is not None):
            sharing.put(row.id, replace(known, version=row.version, digest=noted.digest, gone=None))
            return [], False
        if local is None or not is_shared(local, self._scope):
            removed_here = known is not None and known.gone is None
            if removed_here and (
                (known is not None and row.version <= known.version) or self._is_purged(transaction, row)
            ):
                sharing.put(row.id, SharedRecord(version=row.version, digest=digest_of(row.form)))
                return [], False
            if local is not None:
                return [], False  # it has another scope here
            return self._put(transaction, row, row.form, None), False
        ours = form_of(local, known)
        digest = digest_of(ours)
        if not clean and known is not None and (known.version, known.digest) == (noted.version, noted.digest):
            sharing.put(row.id, replace(noted, beside=known.beside))  # only the set of trusted roles has changed
            return [], False
        if clean or digest == digest_of(row.form):
            return self._put(transaction, row, row.form, local), False
        if earlier is None:
            raise ChangedMeanwhile
        base = earlier.get(known.version) if known is not None and not lost else None
        if any(form is not None and digest_of(form) == digest for form in earlier.values()):
            return self._put(transaction, row, row.form, local), False  # ours arrived there, and was changed since
        both = merged(ours, row.form, base)
        if digest_of(both) == digest:  # ours contains theirs, too, as when an answer was lost
            sharing.put(row.id, replace(noted, claims=known.claims if known is not None else noted.claims))
            return [], False
        changes = self._put(transaction, row, row.form, local)
        if both != row.form:
            record = transaction.get(row.id)
            assert record is not None
            author = record.author if both.content == row.form.content else None
            new = taken_in(row, both, self._scope, local, record.version + 1, self._me, self._believed)[0]
            transaction.put(replace(new, author=author, updated_at=self._now), "merged", self._now)
            sharing.put(row.id, replace(noted, beside=local))
        return changes, True

    def _put(
        self, transaction: MemoryTransaction, row: SharedRow, form: SharedForm, local: MemoryRecord | None
    ) -> list[ChangedMemory]:
        """Keep a memory as the database has it."""
        last = transaction.history(row.id)[:1] if local is None else ()
        version = local.version + 1 if local is not None else last[0].version + 1 if last else 1
        record, noted = taken_in(row, form, self._scope, local, version, self._me, self._believed)
        transaction.sharing(self._scope).put(row.id, noted)
        if local is not None and replace(record, version=local.version, updated_at=local.updated_at) == local:
            return []
        same = None if local is None else replace(local, author=record.author)
        if local is not None and same == replace(record, version=local.version, updated_at=local.updated_at):
            transaction.adjust(same)
            return []
        if local is None:
            transaction.lift(row.id)
        transaction.put(record, "created" if version == 1 else "updated", self._now)
        return [ChangedMemory(row.id, self._scope, "created" if local is None else "updated")]

    def _remove(self, transaction: MemoryTransaction, row: SharedRow, *, purge: bool = False) -> list[ChangedMemory]:
        gone = transaction.get(row.id)
        if gone is not None and gone.scope == self._scope:
            transaction.bury(forgetting.tombstone(gone, self._now, purged=purge))
        if purge or (gone is not None and gone.scope == self._scope):
            transaction.delete(row.id, self._now, purge)
        transaction.sharing(self._scope).put(row.id, SharedRecord(version=row.version, digest="", gone=row.gone))
        return [ChangedMemory(row.id, self._scope, "deleted")] if gone is not None else []

    def _is_as_shared(self, local: MemoryRecord | None, known: SharedRecord | None) -> bool:
        """Return whether nothing was changed here since the memory was last shared."""
        if local is None or not is_shared(local, self._scope):
            return known is None or known.gone is not None
        return known is not None and known.gone is None and digest_of(form_of(local, known)) == known.digest

    def _is_lost(self, known: SharedRecord | None, earlier: Mapping[int, SharedForm | None] | None) -> bool:
        """Return whether the database does not have the version that this store knows, or another one in its place."""
        if not self._afresh or known is None or known.gone is not None or earlier is None:
            return False
        form = earlier.get(known.version)
        return form is None or digest_of(form) != known.digest

    def _is_purged(self, transaction: MemoryTransaction, row: SharedRow) -> bool:
        return transaction.get(row.id) is None and not transaction.history(row.id)


def unseen(known: Mapping[str, SharedRecord], seen: Iterable[str]) -> list[str]:
    """Return memories that this store believes to be in the database, which does not have them."""
    return sorted(known.keys() - set(seen))
