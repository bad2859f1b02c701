"""Promote a memory by hand: from personal to project to global, as `memory/promote` requests.

A global memory is a copy in the user's store. The copy is committed first; then the original is archived and names the
copy. If the process dies in between, promoting again finds the copy by its key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from sidecar.memories.announcing import MemoriesChanged
from sidecar.memories.editing.editing import require
from sidecar.memories.index.catalogue import Catalogue, not_found
from sidecar.memories.recording import checks, record_writes
from sidecar.memories.recording.memory_links import carry_links
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField
from sidecar.store.keys import key_of
from sidecar.store.memory_store import MemoryStore, MemoryTransaction
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import SCOPES

_PLACE_KINDS = ("path", "symbol")


class Promotion(msgspec.Struct, frozen=True):
    """The memory in its new scope."""

    record: MemoryRecord
    archived: MemoryRecord | None = None  # the archived original, if the copy is another memory
    changed: bool = True


@dataclass(eq=False)
class Promoter:
    _catalogue: Catalogue
    _changed: MemoriesChanged
    _clock: Clock
    _new_id: Callable[[int], str]

    def promote(self, id: str, scope: str | None = None) -> Promotion:
        """Give a memory a wider scope (None: the next one), or merge it into the memory of the same name there.

        Raises MemoryNotFound; InvalidField for a narrower scope, an archived memory or a text that would be too long.
        """
        promotion = self._promote(id, scope)
        if promotion.changed:
            original = [(promotion.archived, "archived")] if promotion.archived is not None else []
            self._changed.announce_changes([(promotion.record, "promoted"), *original])
        return promotion

    def _promote(self, id: str, scope: str | None) -> Promotion:
        workspace_store, user_store = self._catalogue.stores
        memory = workspace_store.get(id)
        if memory is None:
            user_memory = user_store.get(id)
            if user_memory is None:
                raise not_found(id, workspace_store.history(id) or user_store.history(id))
            _wider_scope(user_memory, scope)
            return Promotion(user_memory, changed=False)
        if memory.archived_for == "promoted" and memory.merged_into is not None:
            copy = user_store.get(memory.merged_into)
            if copy is not None and scope in (None, copy.scope):
                return Promotion(copy, memory, changed=False)
        target = _wider_scope(memory, scope)
        if target == memory.scope:
            return Promotion(memory, changed=False)
        if memory.status == "archived":
            raise InvalidField("An archived memory cannot be promoted.", path="$.id", hint="Restore it first.")
        if target == "project":
            return _to_project(workspace_store, id, self._clock())
        return _to_user_store(workspace_store, user_store, id, self._clock(), self._new_id)


def _wider_scope(record: MemoryRecord, scope: str | None) -> str:
    index = SCOPES.index(record.scope)
    if scope is None:
        if index + 1 == len(SCOPES):
            raise InvalidField("No scope is wider than global.", path="$.id")
        return SCOPES[index + 1]
    if SCOPES.index(checks.check_scope(scope, record.type)) < index:
        raise InvalidField(f"{scope} is narrower than {record.scope}.", path="$.scope", hint="Record it there instead.")
    return scope


def _to_project(store: MemoryStore, id: str, now: int) -> Promotion:
    with store.transaction() as transaction:
        memory = require(transaction, id)
        promoted = record_writes.next_version(memory, now, scope="project", promoted_from=memory.scope)
        holder = transaction.find(key_of(promoted))
        if holder is None or holder.id == id:
            transaction.put(promoted, "promoted", now)
            return Promotion(promoted)
        merged = record_writes.merge(holder, memory, now)
        gone = record_writes.archived(memory, "merged", now, holder.id)
        if merged is not holder:
            transaction.put(merged, "merged", now, also_changed=(gone,))
        transaction.put(gone, "archived", now, also_changed=() if merged is holder else (merged,))
        carry_links(transaction, id, holder.id)
    store.move_accesses(id, holder.id)
    return Promotion(merged, gone)


def _to_user_store(
    workspace_store: MemoryStore, user_store: MemoryStore, id: str, now: int, new_id: Callable[[int], str]
) -> Promotion:
    with workspace_store.transaction() as source, user_store.transaction() as target:  # commits the copy first
        memory = require(source, id)
        gone = record_writes.archived(memory, "promoted", now)
        copy = _store_copy(target, _global_copy(memory, now, new_id), now, gone)
        archived = replace(gone, merged_into=copy.id)
        # If an earlier attempt was killed between the two commits, it has already written the copy.
        ours = any((id, archived.version) in version.also for version in target.history(copy.id)[:1])
        source.put(archived, "archived", now, also_changed=(copy,) if ours else ())
    workspace_store.hand_accesses(id, user_store, copy.id)
    return Promotion(copy, archived)


def _store_copy(transaction: MemoryTransaction, copy: MemoryRecord, now: int, original: MemoryRecord) -> MemoryRecord:
    record_writes.lift_tombstones(transaction, copy)
    holder = transaction.find(key_of(copy))
    if holder is None:
        transaction.put(copy, "promoted", now, also_changed=(original,))
        return copy
    merged = record_writes.merge(holder, copy, now)
    if merged is not holder:
        transaction.put(merged, "merged", now, also_changed=(original,))
    return merged


def _global_copy(record: MemoryRecord, now: int, new_id: Callable[[int], str]) -> MemoryRecord:
    """Return the memory as it holds in every workspace: without this workspace's files."""
    return replace(
        record,
        id=new_id(now),
        scope="global",
        promoted_from=record.scope,
        files=(),
        references=tuple(reference for reference in record.references if reference.kind not in _PLACE_KINDS),
        supersedes=None,
        status="active" if record.status == "suspect" else record.status,
        version=1,
        updated_at=now,
    )
