"""Update, archive, restore, resolve, reopen and delete, each in one transaction that keeps the previous version."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from sidecar.memories import forgetting, renaming
from sidecar.memories.record_writes import next_version
from sidecar.runtime.errors import InvalidField, MemoryNotFound, VersionConflict
from sidecar.store.keys import key_of
from sidecar.store.memory_store import MemoryStore, MemoryTransaction
from sidecar.store.records import MemoryRecord, ReferenceRecord, VersionRecord
from sidecar.store.vocabulary import MemoryChange

RecordChange = Callable[[MemoryRecord, MemoryTransaction], MemoryRecord]


def update(
    store: MemoryStore, id: str, changes: Mapping[str, object], expected_version: int | None, now: int
) -> tuple[MemoryRecord, bool]:
    """Apply checked `changes`; return the memory and whether a version was written, which needs a difference.

    A suspect memory with another text is active again, and a derived name follows the text. Raises MemoryNotFound,
    VersionConflict, InvalidField.
    """

    def changed(record: MemoryRecord, transaction: MemoryTransaction) -> MemoryRecord:
        name = changes.get("name", record.name)
        new = replace(record, **{**changes, "name": name or record.name})
        if name is None or (
            "name" not in changes and new.content != record.content and renaming.has_derived_name(record)
        ):
            new = renaming.with_derived_name(new, transaction)
        elif "name" in changes:
            new = replace(new, name_given=True)
        if new.content != record.content and record.status == "suspect":
            new = replace(new, status="active")
        return record if new == record else replace(new, relevance=1.0)

    return _apply(store, id, "updated", changed, now, expected_version)


def verify(store: MemoryStore, id: str, references: tuple[ReferenceRecord, ...], now: int) -> tuple[MemoryRecord, bool]:
    """Record that a memory holds with these references, without a new version, since its text stays."""
    with store.transaction() as transaction:
        record = require(transaction, id)
        verified = replace(record, references=references or record.references, verified_at=now)
        transaction.adjust(verified)
        return verified, verified != record


def rate(store: MemoryStore, id: str, useful: bool) -> tuple[MemoryRecord, bool]:
    """Count a verdict on a memory, without a new version, since its text stays."""
    with store.transaction() as transaction:
        record = require(transaction, id)
        rated = replace(record, useful=record.useful + useful, not_useful=record.not_useful + (not useful))
        transaction.adjust(rated)
        return rated, True


def archive(
    store: MemoryStore, id: str, now: int, why: str | None = None, reason: str | None = None
) -> tuple[MemoryRecord, bool]:
    """Hide a memory until it is restored or explicitly requested.

    `why` says why it was archived automatically; `reason` quotes the person or agent who archived it on purpose.
    """

    def archived(record: MemoryRecord, _: MemoryTransaction) -> MemoryRecord:
        return replace(record, status="archived", archived_for=why)

    return _apply(store, id, "archived", archived, now, reason=reason)


def restore(store: MemoryStore, id: str, now: int) -> tuple[MemoryRecord, bool]:
    """Restore an archived memory to its former status and full relevance, or a deleted memory as it was."""
    if store.get(id) is None:
        return _revive(store, id, now), True

    def restored(record: MemoryRecord, transaction: MemoryTransaction) -> MemoryRecord:
        if record.status != "archived":
            return record
        earlier = (version.memory for version in transaction.history(id))
        status = next((memory.status for memory in earlier if memory and memory.status != "archived"), "active")
        return replace(record, status=status, relevance=1.0, archived_for=None, merged_into=None)

    return _apply(store, id, "restored", restored, now)


def _revive(store: MemoryStore, id: str, now: int) -> MemoryRecord:
    with store.transaction() as transaction:
        versions = transaction.history(id)
        last = next((version.memory for version in versions if version.memory is not None), None)
        if last is None or versions[0].memory is not None:
            raise not_found(id, versions)
        revived = replace(with_own_key(transaction, last, "$.id"), version=versions[0].version + 1)
        transaction.lift(id)
        transaction.put(revived, "restored", now)
        return revived


def resolve(store: MemoryStore, id: str, now: int) -> tuple[MemoryRecord, bool]:
    """Mark a blocker as resolved. Raises InvalidField for any other memory."""

    def resolved(record: MemoryRecord, _: MemoryTransaction) -> MemoryRecord:
        _require_blocker(record, "resolved")
        if record.status == "archived":
            raise InvalidField("This blocker is archived.", path="$.id", hint="Restore it first.")
        return replace(record, status="resolved")

    return _apply(store, id, "resolved", resolved, now)


def reopen(store: MemoryStore, id: str, now: int) -> tuple[MemoryRecord, bool]:
    """Mark a resolved or archived blocker as blocking again. Raises InvalidField for any other memory."""

    def reopened(record: MemoryRecord, _: MemoryTransaction) -> MemoryRecord:
        _require_blocker(record, "reopened")
        if record.status not in ("resolved", "archived"):
            return record
        return replace(record, status="active", relevance=1.0, archived_for=None, merged_into=None)

    return _apply(store, id, "reopened", reopened, now)


def _require_blocker(record: MemoryRecord, what: str) -> None:
    if record.category != "blocker":
        raise InvalidField(
            f"Only blockers can be {what}; this memory is {record.category or 'of no category'}.",
            path="$.id",
            hint="Archive or delete it, or give it the category blocker with memory/update.",
        )


def delete(store: MemoryStore, id: str, purge: bool, now: int) -> bool:
    """Delete a memory and, with `purge`, its history; return whether `undo` can restore it. Raises MemoryNotFound."""
    with store.transaction() as transaction:
        record = transaction.get(id)
        if record is not None:
            versions = [version.memory for version in transaction.history(id) if version.memory is not None]
            transaction.bury(forgetting.tombstone(record, now, purged=purge, earlier=versions))
        elif not (purge and transaction.history(id)):
            raise not_found(id, transaction.history(id))
        else:
            for buried in transaction.tombstones():
                if buried.id == id:
                    transaction.bury(forgetting.without_sketch(buried))
        transaction.delete(id, now, purge)
    return not purge


def require(transaction: MemoryTransaction, id: str) -> MemoryRecord:
    """Return a memory. Raises MemoryNotFound."""
    record = transaction.get(id)
    if record is None:
        raise not_found(id, transaction.history(id))
    return record


def not_found(id: str, versions: Sequence[VersionRecord]) -> MemoryNotFound:
    """Return the error for an id without a memory; if the memory was deleted, the error says how to restore it."""
    if versions and versions[0].memory is None:
        return MemoryNotFound("This memory was deleted.", path="$.id", hint="memory/restore brings it back.")
    hint = "memory/list shows what there is; a purged memory is gone for good."
    return MemoryNotFound(f"No memory has the id {id}.", path="$.id", hint=hint)


def _apply(
    store: MemoryStore,
    id: str,
    name: MemoryChange,
    change: RecordChange,
    now: int,
    expected_version: int | None = None,
    reason: str | None = None,
) -> tuple[MemoryRecord, bool]:
    with store.transaction() as transaction:
        record = require(transaction, id)
        if expected_version is not None and expected_version != record.version:
            raise VersionConflict(
                f"The memory is at version {record.version}, not {expected_version}.",
                path="$.expectedVersion",
                hint="Read it again with memory/get, then repeat the change on what it says now.",
            )
        changed = change(record, transaction)
        if changed == record:
            return record, False
        if replace(record, name_given=changed.name_given, relevance=changed.relevance) == changed:
            noted = replace(record, name_given=changed.name_given)
            transaction.adjust(noted)
            return noted, False
        if key_of(changed) != key_of(record):
            changed = with_own_key(transaction, changed, "$.name")
        changed = next_version(changed, now)
        transaction.put(changed, name, now, reason=reason)
        return changed, True


def with_own_key(transaction: MemoryTransaction, record: MemoryRecord, path: str) -> MemoryRecord:
    """Return the memory with another derived name if its key is taken. Raises InvalidField for a given name."""
    other = transaction.find(key_of(record))
    if other is None or other.id == record.id:
        return record
    if renaming.has_derived_name(record):
        return renaming.with_derived_name(record, transaction)
    raise InvalidField(
        f"Another memory of this scope, type and agent is called “{record.name}”: {other.id}.",
        path=path,
        hint="Choose another name, or rename, archive or delete that one first; an archived one keeps its name.",
    )
