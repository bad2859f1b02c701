"""Apply the database's memories to this machine's store, one transaction for the rows of each query.

`scope_sync.py` pulls the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from msgspec.structs import replace

from sidecar.memories.announcing import ChangedMemory
from sidecar.memories.recording import checks, forgetting
from sidecar.memories.wording.naming import derive_name
from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.plan import append_new_lines, digest_entry
from sidecar.store.memory_store import MemoryStore, MemoryTransaction
from sidecar.store.records import MemoryRecord
from sidecar.store.sharing import SharedPlaceRecord, SharedRecord
from sidecar.team.shared_form import SharedForm, SharedRow, SharedScope, digest_of, form_of, is_shared

# The versions of one memory in the database, from the version that this store knows on.
Earlier = Mapping[int, SharedForm | None]
_MERGED_SEPARATELY = ("content", "updated_at")


class ChangedMeanwhile(Exception):
    """A memory was changed here while the rows were applied. Its earlier versions must be read again."""


class AppliedRows(NamedTuple):
    """What the rows of one query changed here, and how many memories were merged."""

    changes: list[ChangedMemory]
    merged: int


class IncomingRows:
    def __init__(self, store: MemoryStore, scope: SharedScope, now: int) -> None:
        self._store = store
        self._scope = scope
        self._now = now

    def changed_here(self, rows: Sequence[SharedRow]) -> dict[str, int]:
        """Return the memories that were changed here as well, each with the last common version (0: none)."""
        ids = [row.id for row in rows]
        with self._store.sharing(self._scope.name) as sharing:
            shared_records = sharing.many(ids)
        local = self._store.get_many(ids)
        versions: dict[str, int] = {}
        for row in rows:
            last_shared, record = shared_records.get(row.id), local.get(row.id)
            if record is None or row.form is None:
                continue
            differs = self._scope.resync and last_shared is not None and last_shared.digest != digest_of(row.form)
            if differs or not self._scope.is_unchanged(record, last_shared):
                versions[row.id] = last_shared.version if last_shared is not None and last_shared.gone is None else 0
        return versions

    def apply(self, rows: Sequence[SharedRow], earlier: Mapping[str, Earlier], place: SharedPlaceRecord) -> AppliedRows:
        """Apply rows and store `place`. Raises `ChangedMeanwhile`, `StoreUnavailable`."""
        purged = [row for row in rows if row.gone == "purged"]
        changes: list[ChangedMemory] = []
        count = 0
        if purged:  # a purge needs a transaction of its own
            with self._store.transaction() as transaction:
                for row in purged:
                    changes += self._remove(transaction, row, purge=True)
        with self._store.transaction() as transaction:
            sharing = transaction.sharing(self._scope.name)
            shared_records = sharing.many([row.id for row in rows])
            for row in rows:
                if row.gone != "purged":
                    done, was_merged = self._apply_row(
                        transaction, row, shared_records.get(row.id), earlier.get(row.id)
                    )
                    changes += done
                    count += was_merged
            sharing.put_place(place)
        return AppliedRows(changes, count)

    def _apply_row(
        self, transaction: MemoryTransaction, row: SharedRow, last_shared: SharedRecord | None, earlier: Earlier | None
    ) -> tuple[list[ChangedMemory], bool]:
        local = transaction.get(row.id)
        purged = local is None and last_shared is not None and not transaction.history(row.id)
        match decide(row, last_shared, local, earlier, self._scope, purged=purged):
            case Decision(RowAction.READ_AGAIN):
                raise ChangedMeanwhile
            case Decision(RowAction.NOTE, SharedRecord() as note):
                transaction.sharing(self._scope.name).put(row.id, note)
            case Decision(RowAction.REMOVE):
                return self._remove(transaction, row), False
            case Decision(RowAction.ACCEPT):
                return self._put(transaction, row, local), False
            case Decision(RowAction.MERGE, SharedRecord() as note, SharedForm() as merged):
                changes = self._put(transaction, row, local)
                if merged != row.form:
                    self._put_merged(transaction, row, merged, local)
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
        self, transaction: MemoryTransaction, row: SharedRow, merged: SharedForm, local: MemoryRecord | None
    ) -> None:
        """Store the merged form as the version after the database's."""
        record = transaction.get(row.id)
        assert record is not None
        assert row.form is not None
        author = record.author if merged.content == row.form.content else None
        new = self._scope.record_from(row, merged, local, record.version + 1)[0]
        transaction.put(replace(new, author=author, updated_at=self._now), "merged", self._now)

    def _remove(self, transaction: MemoryTransaction, row: SharedRow, *, purge: bool = False) -> list[ChangedMemory]:
        deleted_memory = transaction.get(row.id)
        in_scope = deleted_memory is not None and deleted_memory.scope == self._scope.name
        if deleted_memory is not None and in_scope:
            transaction.bury(forgetting.tombstone(deleted_memory, self._now, purged=purge))
        if purge or in_scope:
            transaction.delete(row.id, self._now, purge)
        transaction.sharing(self._scope.name).put(row.id, SharedRecord(version=row.version, digest="", gone=row.gone))
        return [ChangedMemory(row.id, self._scope.name, "deleted")] if deleted_memory is not None else []


def missing_ids(shared_records: Mapping[str, SharedRecord], present_ids: Iterable[str]) -> list[str]:
    return sorted(shared_records.keys() - set(present_ids))


class RowAction(Enum):
    LEAVE = auto()  # pushed by this machine, written by another program, or of another scope here
    NOTE = auto()  # record the database's version; if ours differs, it is sent again
    REMOVE = auto()
    ACCEPT = auto()
    MERGE = auto()
    READ_AGAIN = auto()  # changed locally since its earlier versions were read


class Decision(NamedTuple):
    """What to do with a row."""

    action: RowAction
    note: SharedRecord | None = None
    merged: SharedForm | None = None  # for `MERGE`


def decide(
    row: SharedRow,
    last_shared: SharedRecord | None,
    local: MemoryRecord | None,
    earlier: Earlier | None,
    scope: SharedScope,
    *,
    purged: bool,
) -> Decision:
    """Decide about a row. `purged`: the memory was purged here since it was `last_shared`."""
    lost = scope.resync and _is_lost(last_shared, earlier)
    unchanged = scope.is_unchanged(local, last_shared) and not lost
    # After a failover the database may have an older version: then send the local version again.
    went_back = last_shared is not None and (
        row.version < last_shared.version
        or (scope.resync and row.version == last_shared.version and (row.gone is None) != (last_shared.gone is None))
    )
    if row.form is None:
        if row.gone is None:
            return Decision(RowAction.LEAVE)
        if unchanged and not went_back:
            return Decision(RowAction.REMOVE)
        return Decision(RowAction.NOTE, SharedRecord(version=row.version, digest="", gone=row.gone))
    note = scope.record_from(row, row.form, local, 1)[1]
    if last_shared is not None and replace(last_shared, beside=None) == note:
        return Decision(RowAction.LEAVE)
    if last_shared is not None and went_back and (local is None) == (last_shared.gone is not None):
        return Decision(RowAction.NOTE, replace(last_shared, version=row.version, digest=note.digest, gone=None))
    if local is None or not is_shared(local, scope.name):
        if (
            last_shared is not None and last_shared.gone is None and (row.version <= last_shared.version or purged)
        ):  # removed here
            return Decision(RowAction.NOTE, SharedRecord(version=row.version, digest=digest_of(row.form)))
        return Decision(RowAction.ACCEPT if local is None else RowAction.LEAVE)
    if unchanged:
        return Decision(RowAction.ACCEPT)
    return _decide_changed(row.form, note, last_shared, local, earlier, lost=lost)


def _decide_changed(
    theirs: SharedForm,
    note: SharedRecord,
    last_shared: SharedRecord | None,
    local: MemoryRecord,
    earlier: Earlier | None,
    *,
    lost: bool,
) -> Decision:
    """Decide about a memory that both sides changed, or whose author became trusted or is no longer."""
    if last_shared is not None and (last_shared.version, last_shared.digest) == (note.version, note.digest):
        return Decision(RowAction.NOTE, replace(note, beside=last_shared.beside))
    ours = form_of(local, last_shared)
    digest = digest_of(ours)
    if digest == digest_of(theirs):
        return Decision(RowAction.ACCEPT)
    if earlier is None:
        return Decision(RowAction.READ_AGAIN)
    if any(form is not None and digest_of(form) == digest for form in earlier.values()):
        return Decision(RowAction.ACCEPT)  # ours arrived there, and was changed since
    merged = merge(ours, theirs, earlier.get(last_shared.version) if last_shared is not None and not lost else None)
    if digest_of(merged) == digest:  # ours already contains theirs, as when an answer was lost
        return Decision(
            RowAction.NOTE, replace(note, claims=last_shared.claims if last_shared is not None else note.claims)
        )
    return Decision(RowAction.MERGE, replace(note, beside=local), merged)


def _is_lost(last_shared: SharedRecord | None, earlier: Earlier | None) -> bool:
    """Return whether the version that this store knows is missing in the database, or another one took its place."""
    if last_shared is None or last_shared.gone is not None or earlier is None:
        return False
    form = earlier.get(last_shared.version)
    return form is None or digest_of(form) != last_shared.digest


def merge(ours: SharedForm, theirs: SharedForm, base: SharedForm | None) -> SharedForm:
    """Merge both sides, like MEMORY.md, from their common version `base`; our new lines follow their text."""
    values: dict[str, Any] = {"updated_at": max(ours.updated_at, theirs.updated_at)}
    for field in SharedForm.__struct_fields__:
        mine, other = getattr(ours, field), getattr(theirs, field)
        if field not in _MERGED_SEPARATELY:
            both_changed = base is None or getattr(base, field) not in (mine, other)
            values[field] = other if both_changed or getattr(base, field) == mine else mine
    values["content"] = _merge_text(ours.content, theirs.content, None if base is None else base.content)
    if theirs.name == derive_name(theirs.content):
        values["name"] = derive_name(values["content"])
    return replace(theirs, **values)


def _merge_text(ours: str, theirs: str, base: str | None) -> str:
    if ours in (theirs, base):
        return theirs
    if theirs == base:
        return ours
    known = () if base is None else digest_entry(Entry("", base)).lines
    text = append_new_lines(Entry("", theirs).lines, ours.split("\n"), frozenset(known))
    return text if len(text) <= checks.CONTENT_CHARS else theirs  # ours stays among its versions
