"""Update, archive, restore, resolve, reopen and delete single memories, as `memory/update` and the like request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sidecar.memories.announcing import ChangedMemory, MemoriesChanged, WaitingCountChanged
from sidecar.memories.index.catalogue import Catalogue, not_found
from sidecar.memories.recording import fields, forgetting
from sidecar.memories.recording.record_writes import next_version
from sidecar.memories.recording.references import ReferenceFinder, changed_references, with_references
from sidecar.memories.results import UpdatedMemory
from sidecar.memories.wording import renaming
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField, VersionConflict
from sidecar.store.keys import key_of
from sidecar.store.memory_store import MemoryStore, MemoryTransaction
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import MemoryChange
from sidecar.text.secrets import redact

if TYPE_CHECKING:
    from sidecar.memories.recording.memory_links import MemoryLinks

RecordChange = Callable[[MemoryRecord, MemoryTransaction], MemoryRecord]


@dataclass(eq=False)
class MemoryEditing:
    """Changes single memories. Each change is one transaction that keeps the previous version, and is then announced.

    Every method raises MemoryNotFound, and may raise StoreUnavailable.
    """

    _catalogue: Catalogue
    _links: MemoryLinks
    _reference_finder: ReferenceFinder | None
    _changed: MemoriesChanged
    _waiting: WaitingCountChanged
    _clock: Clock

    def update(self, id: str, changes: Mapping[str, object], expected_version: int | None = None) -> UpdatedMemory:
        """Change the fields in `changes`, by the names of `MemoryRecord`; write a version only if something differs.

        A suspect memory that gets another text becomes active, and a derived name follows the text. Raises
        VersionConflict, InvalidField.
        """
        checked, redactions = fields.check_fields(changes, self._clock())
        old = self._catalogue.holder_of(id).get(id)
        checked |= changed_references(old, renaming.with_foreseen_name(old, checked), self._reference_finder)
        updated = self._apply(id, "updated", partial(_with_changes, checked), expected_version)
        hint = None
        if updated.changed and "content" in checked:
            self._links.connect(updated.record, self._clock())
            with self._catalogue.current() as index:
                hint = renaming.hint(old, updated.record, index.words)
        return replace(updated, redactions=redactions, hint=hint)

    def verify(self, id: str) -> UpdatedMemory:
        """Record that a memory still holds although its files changed. The text stays, so no version is written."""
        self._catalogue.correct([id])
        store, now = self._catalogue.holder_of(id), self._clock()
        if (memory := store.get(id)) is None:
            raise not_found(id, store.history(id))
        judged = self._catalogue.view.judged(memory, store)
        references = with_references(replace(judged, references=(), entities=()), self._reference_finder).references
        with store.transaction() as transaction:
            record = require(transaction, id)
            verified = replace(record, references=references or record.references, verified_at=now)
            transaction.adjust(verified)
        return self._announce(store, verified, "updated", verified != record)

    def rate(self, id: str, useful: bool) -> UpdatedMemory:
        """Count a rating on a memory, which changes its weight and probability; no version is written."""
        store = self._catalogue.holder_of(id)
        with store.transaction() as transaction:
            record = require(transaction, id)
            rated = replace(record, useful=record.useful + useful, not_useful=record.not_useful + (not useful))
            transaction.adjust(rated)
        return self._announce(store, rated, "updated")

    def archive(self, id: str, why: str | None = None, reason: str | None = None) -> UpdatedMemory:
        """Hide a memory until it is restored or requested explicitly.

        `why` is the cause of automatic archiving; `reason` quotes the person or agent who archived it on purpose.
        """

        def archived(record: MemoryRecord, _: MemoryTransaction) -> MemoryRecord:
            return replace(record, status="archived", archived_for=why)

        return self._apply(id, "archived", archived, reason=redact(reason)[0] if reason else None)

    def restore(self, id: str) -> UpdatedMemory:
        """Restore an archived memory to its former status and full relevance, or a deleted memory as it was."""
        store = self._catalogue.holder_of(id)
        if store.get(id) is None:
            return self._announce(store, _revive(store, id, self._clock()), "restored")
        return self._apply(id, "restored", _restored)

    def resolve(self, id: str) -> UpdatedMemory:
        """Mark a blocker as resolved. Raises InvalidField for any other memory."""

        def resolved(record: MemoryRecord, _: MemoryTransaction) -> MemoryRecord:
            _require_blocker(record, "resolved")
            if record.status == "archived":
                raise InvalidField("This blocker is archived.", path="$.id", hint="Restore it first.")
            return replace(record, status="resolved")

        return self._apply(id, "resolved", resolved)

    def reopen(self, id: str) -> UpdatedMemory:
        """Mark a resolved or archived blocker as blocking again. Raises InvalidField for any other memory."""

        def reopened(record: MemoryRecord, _: MemoryTransaction) -> MemoryRecord:
            _require_blocker(record, "reopened")
            if record.status not in ("resolved", "archived"):
                return record
            return replace(record, status="active", relevance=1.0, archived_for=None, merged_into=None)

        return self._apply(id, "reopened", reopened)

    def delete(self, id: str, purge: bool = False) -> bool:
        """Delete a memory; return whether `undo` can restore it.

        With `purge`, also delete its history, its links, the candidates that led to it, and the memories that were
        merged into it: all hold its words.
        """
        store, now = self._catalogue.holder_of(id), self._clock()
        with store.transaction() as transaction:
            record, versions = transaction.get(id), transaction.history(id)
            texts = [version.memory for version in versions if version.memory is not None]
            if record is not None:
                transaction.bury(forgetting.tombstone(record, now, purged=purge, earlier=texts))
            elif not (purge and texts):
                raise not_found(id, versions)
            else:
                for buried in transaction.tombstones():
                    if buried.id == id:
                        transaction.bury(forgetting.without_sketch(buried))
            transaction.delete(id, now, purge)
        self._changed.announce([ChangedMemory(id, (record or texts[0]).scope, "deleted")])
        if purge:
            self._links.forget(id)
            with self._waiting.changing(), self._catalogue.workspace_store.candidates.changing() as rows:
                rows.drop(candidate.id for candidate in rows.all() if candidate.memory_id == id)
            for other in self._merged_into(id):
                self.delete(other, purge=True)
        return not purge

    def _merged_into(self, id: str) -> list[str]:
        """Return the memories that were merged into this one and archived, even if they were deleted since."""
        last: list[MemoryRecord] = []
        for store in self._catalogue.stores:
            last += (record for record in store.each() if record.status == "archived")
            for versions in map(store.history, store.deleted_ids()):
                last += [version.memory for version in versions if version.memory is not None][:1]
        return [record.id for record in last if record.merged_into == id]

    def _apply(
        self,
        id: str,
        kind: MemoryChange,
        change: RecordChange,
        expected_version: int | None = None,
        reason: str | None = None,
    ) -> UpdatedMemory:
        store, now = self._catalogue.holder_of(id), self._clock()
        with store.transaction() as transaction:
            record = require(transaction, id)
            if expected_version is not None and expected_version != record.version:
                raise VersionConflict(
                    f"The memory is at version {record.version}, not {expected_version}.",
                    path="$.expectedVersion",
                    hint="Read it again with memory/get, then repeat the change on what it says now.",
                )
            changed = change(record, transaction)
            needs_version = replace(record, name_given=changed.name_given, relevance=changed.relevance) != changed
            if needs_version:
                if key_of(changed) != key_of(record):
                    changed = with_own_key(transaction, changed, "$.name")
                changed = next_version(changed, now)
                transaction.put(changed, kind, now, reason=reason)
            elif changed != record:
                changed = replace(record, name_given=changed.name_given)
                transaction.adjust(changed)
        return self._announce(store, changed, kind, needs_version)

    def _announce(self, store: MemoryStore, record: MemoryRecord, change: str, changed: bool = True) -> UpdatedMemory:
        return self._changed.announce_updated(self._catalogue.view.update_result(store, record, changed), change)


def _with_changes(changes: Mapping[str, object], record: MemoryRecord, transaction: MemoryTransaction) -> MemoryRecord:
    name = changes.get("name", record.name)
    new = replace(record, **{**changes, "name": name or record.name})
    if name is None or ("name" not in changes and new.content != record.content and renaming.has_derived_name(record)):
        new = renaming.with_derived_name(new, transaction)
    elif "name" in changes:
        new = replace(new, name_given=True)
    if new.content != record.content and record.status == "suspect":
        new = replace(new, status="active")
    return record if new == record else replace(new, relevance=1.0)


def _restored(record: MemoryRecord, transaction: MemoryTransaction) -> MemoryRecord:
    if record.status != "archived":
        return record
    earlier = (version.memory for version in transaction.history(record.id))
    status = next((memory.status for memory in earlier if memory and memory.status != "archived"), "active")
    return replace(record, status=status, relevance=1.0, archived_for=None, merged_into=None)


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


def _require_blocker(record: MemoryRecord, what: str) -> None:
    if record.category != "blocker":
        raise InvalidField(
            f"Only blockers can be {what}; this memory is {record.category or 'of no category'}.",
            path="$.id",
            hint="Archive or delete it, or give it the category blocker with memory/update.",
        )


def require(transaction: MemoryTransaction, id: str) -> MemoryRecord:
    """Return a memory. Raises MemoryNotFound."""
    record = transaction.get(id)
    if record is None:
        raise not_found(id, transaction.history(id))
    return record


def with_own_key(transaction: MemoryTransaction, record: MemoryRecord, path: str) -> MemoryRecord:
    """Return the memory, with another derived name if its key is taken. Raises InvalidField if its name was given."""
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
