"""Promotion by hand: a memory for more readers, personal → project → global.

Inside a store it is one transaction. Global memories live in the user's store: there a copy is made first and the
original put away after that, with a trace of the copy, so that a crash in between leaves both. Promoting again then
finds the copy by its key and does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from sidecar.errors import InvalidField
from sidecar.memories import limits, recording
from sidecar.memories.lifecycle import not_found
from sidecar.memories.maintenance.applying import carry_links
from sidecar.memories.maintenance.changes import archived
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import SCOPES

_PLACES = ("path", "symbol")


@dataclass(frozen=True)
class Promotion:
    """The memory in its new scope; `put_away` is the original when that is another one."""

    record: MemoryRecord
    put_away: MemoryRecord | None = None
    changed: bool = True


def promote(
    workspace: MemoryStore,
    user: MemoryStore,
    id: str,
    scope: str | None,
    now: int,
    new_id: Callable[[int], str],
) -> Promotion:
    """Give a memory a wider scope, the next one when `scope` is None; merged into a memory that has its name there.

    Promoting to the scope it has does nothing. Raises MemoryNotFound, and InvalidField for a narrower scope, an
    archived memory, or a text that would be too long.
    """
    kept = workspace.get(id)
    if kept is None:
        there = user.get(id)
        if there is None:
            raise not_found(id, workspace.history(id) or user.history(id))
        _target(there, scope)
        return Promotion(there, changed=False)
    if kept.archived_for == "promoted" and kept.merged_into is not None:
        copy = user.get(kept.merged_into)
        if copy is not None and scope in (None, copy.scope):
            return Promotion(copy, kept, changed=False)
    target = _target(kept, scope)
    if target == kept.scope:
        return Promotion(kept, changed=False)
    if kept.status == "archived":
        raise InvalidField("An archived memory is not promoted.", path="$.id", hint="Restore it first.")
    if target == "project":
        return _inside(workspace, id, now)
    return _across(workspace, user, id, now, new_id)


def _target(record: MemoryRecord, scope: str | None) -> str:
    place = SCOPES.index(record.scope)
    if scope is None:
        if place + 1 == len(SCOPES):
            raise InvalidField("No scope is wider than global.", path="$.id")
        return SCOPES[place + 1]
    if SCOPES.index(limits.scope(scope, record.type)) < place:
        raise InvalidField(
            f"{scope} is narrower than {record.scope}.", path="$.scope", hint="Record it there instead."
        )
    return scope


def _inside(home: MemoryStore, id: str, now: int) -> Promotion:
    with home.transaction() as transaction:
        kept = transaction.get(id)
        if kept is None:
            raise not_found(id, transaction.history(id))
        promoted = msgspec.structs.replace(
            kept,
            scope="project",
            promoted_from=kept.scope,
            version=kept.version + 1,
            updated_at=now,
            restored_from=None,
        )
        holder = transaction.find(recording.key_of(promoted))
        if holder is None or holder.id == id:
            transaction.put(promoted, "promoted", now)
            return Promotion(promoted)
        merged = recording.merge(holder, kept, now)
        if merged is not holder:
            transaction.put(merged, "merged", now)
        gone = archived(kept, "merged", now, holder.id)
        transaction.put(gone.after, "archived", now)
        carry_links(transaction, id, holder.id)
    home.move_accesses(id, holder.id)
    return Promotion(merged, gone.after)


def _across(
    workspace: MemoryStore, user: MemoryStore, id: str, now: int, new_id: Callable[[int], str]
) -> Promotion:
    while True:
        kept = workspace.get(id)
        if kept is None:
            raise not_found(id, workspace.history(id))
        copy = _copied(user, _global(kept, now, new_id), now)
        with workspace.transaction() as transaction:
            if transaction.get(id) != kept:
                continue  # changed meanwhile: what it says now is merged into the copy
            gone = archived(kept, "promoted", now, copy.id)
            transaction.put(gone.after, "archived", now)
        workspace.hand_accesses(id, user, copy.id)
        return Promotion(copy, gone.after)


def _copied(user: MemoryStore, copy: MemoryRecord, now: int) -> MemoryRecord:
    with user.transaction() as transaction:
        recording.lift(transaction, copy)
        holder = transaction.find(recording.key_of(copy))
        if holder is None:
            transaction.put(copy, "promoted", now)
            return copy
        merged = recording.merge(holder, copy, now)
        if merged is not holder:
            transaction.put(merged, "merged", now)
        return merged


def _global(record: MemoryRecord, now: int, new_id: Callable[[int], str]) -> MemoryRecord:
    """The memory as it holds in every workspace: without the files of this one, which mean nothing elsewhere."""
    return msgspec.structs.replace(
        record,
        id=new_id(now),
        scope="global",
        promoted_from=record.scope,
        files=(),
        references=tuple(each for each in record.references if each.kind not in _PLACES),
        supersedes=None,
        status="active" if record.status == "suspect" else record.status,
        version=1,
        updated_at=now,
        restored_from=None,
    )
