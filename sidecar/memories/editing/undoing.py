"""Undo and redo the changes of a memory, each with everything that the change did to other memories.

An undo or redo writes a version that `shows` the change to which it returns. Example: versions 1 created, 2 updated; an
undo writes version 3, which shows 1, and a redo then writes version 4, which shows 2. If a new change follows version 3
instead, change 2 can no longer be redone. A change of several memories is undone in all of them or in none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from typing import Literal, NamedTuple

from msgspec.structs import replace

from sidecar.memories.announcing import MemoriesChanged, WaitingCountChanged
from sidecar.memories.drafts import Filters
from sidecar.memories.editing import editing
from sidecar.memories.index.catalogue import Catalogue, not_found
from sidecar.memories.index.row import passes, row_of
from sidecar.memories.recording import forgetting
from sidecar.memories.recording.memory_links import FOUND_ORIGINS, MemoryLinks, carry_links
from sidecar.memories.results import Page, UpdatedMemory
from sidecar.memories.retrieval import paging
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField
from sidecar.store.memory_store import MemoryStore, MemoryTransaction
from sidecar.store.records import MemoryRecord, VersionRecord

BEFORE_FIRST = 0  # the change before the first one, when the memory did not exist
DELETED = "deleted"
_OLDER_HINT = "See memory/history."
Direction = Literal["undone", "redone"]


class UndoResult(NamedTuple):
    """A memory after an undo or redo."""

    store: MemoryStore
    record: MemoryRecord  # if `gone`, as it last was
    change: VersionRecord  # the change that was undone or redone
    gone: bool = False
    reworded: bool = False  # the text changed


class ChangeHistory:
    """The changes of one memory; `current` is the change that it shows now, None if that is no longer stored."""

    def __init__(self, versions: Sequence[VersionRecord]) -> None:
        self.versions = versions[::-1]
        self.changes: dict[int, VersionRecord] = {}
        self.before: dict[int, int | None] = {}  # maps each change to the one that it followed; None if not stored
        self.current: int | None = BEFORE_FIRST if self.versions and self.versions[0].version == 1 else None
        for version in self.versions:
            shown_change = _shown_change(version)
            if shown_change == version.version:
                self.changes[shown_change] = version
                self.before[shown_change] = self.current
            self.current = shown_change

    def next_redo(self) -> int | None:
        """Return the change that was undone last and can be redone."""
        change: int | None = max(self.changes, default=None)
        while change is not None and self.before.get(change) != self.current:
            change = self.before.get(change)
        return change

    def next_step(self, direction: Direction) -> int | None:
        """Return the change that `undo` or `redo` would take next."""
        return self.current if direction == "undone" else self.next_redo()

    def is_in_force(self, change: int) -> bool:
        """Return whether a change is still in force, however many changes came after it."""
        earlier = self.current
        while earlier is not None and earlier != change:
            earlier = self.before.get(earlier)
        return earlier is not None

    def outcome(self, change: int) -> MemoryRecord | None:
        """Return the memory as the change left it. Raises InvalidField if that is no longer stored."""
        if change == BEFORE_FIRST:
            return None
        for index in range(len(self.versions) - 1, -1, -1):
            version = self.versions[index]
            if _shown_change(version) == change:
                later = self.versions[index + 1] if index + 1 < len(self.versions) else None
                return version.memory if later is None or later.before is None else later.before
        raise InvalidField(f"Version {change} is not kept.", path="$.id", hint=_OLDER_HINT)

    def last_words(self) -> MemoryRecord | None:
        return next((version.memory for version in reversed(self.versions) if version.memory is not None), None)


class Undoing:
    def __init__(
        self,
        catalogue: Catalogue,
        changed: MemoriesChanged,
        links: MemoryLinks,
        waiting: WaitingCountChanged,
        clock: Clock,
    ) -> None:
        self._stores = catalogue.stores
        self._workspace_store = catalogue.workspace_store
        self._view = catalogue.view
        self._changed = changed
        self._links = links
        self._waiting = waiting
        self._clock = clock

    def undo(self, id: str) -> UpdatedMemory:
        """Undo the latest change, in all memories that it touched. Raises MemoryNotFound, InvalidField."""
        return self._undo_or_redo(id, "undone")

    def redo(self, id: str) -> UpdatedMemory:
        """Redo the change undone last, unless a new change has followed. Raises MemoryNotFound, InvalidField."""
        return self._undo_or_redo(id, "redone")

    def _undo_or_redo(self, id: str, direction: Direction) -> UpdatedMemory:
        steps = self._apply(id, direction)
        for step in steps:
            if step.reworded:
                self._links.connect(step.record, self._clock())
        records = [replace(step.record, status=DELETED) if step.gone else step.record for step in steps]
        updated = replace(self._view.update_result(steps[0].store, records[0], True), also=tuple(records[1:]))
        return self._changed.announce_updated(updated, direction)

    def list_deleted(self, filters: Filters, limit: int, cursor: str | None = None) -> Page[MemoryRecord]:
        """Return deleted memories that can be restored, latest deletion first. Raises InvalidField like `search`."""
        question = paging.digest("deleted", filters)
        deleted_records = self._deleted_records(filters)
        if cursor is not None:
            position = paging.decode(cursor, question)
            last = (-position.rank, position.id)
            deleted_records = [item for item in deleted_records if (-item.updated_at, item.id) > last]
        page = tuple(deleted_records[:limit])
        if len(deleted_records) == len(page):
            return Page(page)
        at, id = page[-1].updated_at, page[-1].id
        return Page(page, paging.encode(paging.Position(question, at, at, id)))

    def _deleted_records(self, filters: Filters) -> list[MemoryRecord]:
        every = replace(filters, include=("expired",))
        deleted = []
        for store in self._stores:
            for id in store.deleted_ids():
                history = ChangeHistory(store.history(id))
                last = history.last_words()
                if last is not None and _is_gone(history):
                    record = replace(last, status=DELETED, updated_at=history.versions[-1].at)
                    if passes(row_of(record, record, store), every, self._clock()):
                        deleted.append(record)
        return sorted(deleted, key=lambda record: (-record.updated_at, record.id))

    def _apply(self, id: str, direction: Direction) -> list[UndoResult]:
        while True:
            needed = {store for store, *_ in self._plan(id, direction)}
            with ExitStack() as stack:
                transactions = {
                    store: stack.enter_context(store.transaction()) for store in self._stores if store in needed
                }
                planned = self._plan(id, direction)
                if {store for store, *_ in planned} != needed:
                    continue
                now = self._clock()
                results = [
                    _restore_state(transactions[store], store, history, number, direction, now)
                    for store, history, number in planned
                ]
                _restore_links(results, transactions, direction)
            _move_accesses(results, direction)
            self._revert_candidates({(step.record.id, step.change.at) for step in results})
            return results

    def _revert_candidates(self, undone: Collection[tuple[str, int]]) -> None:
        """Let candidates wait again if their memory's change (id, time) was undone; confirm them on a redo."""
        reverted_status = {"confirmed": "waiting", "waiting": "confirmed", "rejected": "confirmed"}
        if any((each.memory_id, each.updated_at) in undone for each in self._workspace_store.candidates.all()):
            with self._waiting.changing(), self._workspace_store.candidates.changing() as rows:
                for candidate in rows.all():
                    if (candidate.memory_id, candidate.updated_at) in undone and candidate.status in reverted_status:
                        rows.put(replace(candidate, status=reverted_status[candidate.status]))

    def _plan(self, id: str, direction: Direction) -> list[tuple[MemoryStore, ChangeHistory, int]]:
        """Return the changes to undo or redo, each with its memory's store and history.

        Raises MemoryNotFound, InvalidField.
        """
        store, history = self._history_of(id)
        if store is None:
            raise not_found(id, ())
        number = history.next_step(direction)
        if not number or number not in history.changes:
            raise _nothing_error(direction, history)
        planned = [(store, history, number)]
        for other, version in history.changes[number].also:
            other_home, other_history = self._history_of(other)
            if other_home is None:
                fits = direction == "undone"  # the other memory was purged, or is in another workspace
            elif other_history.next_step(direction) == version:
                planned.append((other_home, other_history, version))
                continue
            elif direction == "undone":
                fits = not other_history.is_in_force(version) or _is_gone(other_history)
            else:
                fits = other_history.current == version
            if not fits:
                why = "is not here" if other_home is None else "was changed since"
                raise InvalidField(
                    f"The same change touched {other}, which {why}.",
                    path="$.id",
                    hint=f"Undo what came after it there first, or archive or delete {other}.",
                )
        return planned

    def _history_of(self, id: str) -> tuple[MemoryStore | None, ChangeHistory]:
        matches = [(store, versions) for store in self._stores if (versions := store.history(id))]
        if not matches:
            return None, ChangeHistory(())
        store, versions = next((pair for pair in matches if pair[0].get(id) is not None), matches[-1])
        return store, ChangeHistory(versions)


def _shown_change(version: VersionRecord) -> int:
    """Return the change whose outcome a version shows: its own, unless an undo or redo wrote the version."""
    return version.version if version.shows is None else version.shows


def _is_gone(history: ChangeHistory) -> bool:
    return bool(history.versions) and history.versions[-1].memory is None


def _nothing_error(direction: Direction, history: ChangeHistory) -> InvalidField:
    if direction == "redone":
        return InvalidField("There is nothing to redo.", path="$.id", hint=_OLDER_HINT)
    if history.current == BEFORE_FIRST:
        return InvalidField("There is nothing left to undo.", path="$.id", hint="memory/redo brings it back.")
    return InvalidField(f"Nothing older than version {history.current} is kept.", path="$.id", hint=_OLDER_HINT)


def _restore_state(
    transaction: MemoryTransaction,
    store: MemoryStore,
    history: ChangeHistory,
    number: int,
    direction: Direction,
    now: int,
) -> UndoResult:
    """Return a memory to its state before (undo) or after (redo) one of its changes."""
    change = history.changes[number]
    to = history.before.get(number) if direction == "undone" else number
    if to is None:
        raise _nothing_error(direction, history)
    state, last = history.outcome(to), history.last_words()
    if (memory := state or last) is None:
        raise InvalidField(f"Nothing of version {change.version} is kept.", path="$.id", hint=_OLDER_HINT)
    id = memory.id
    current = transaction.get(id)
    if state is None:
        if current is None:
            raise _nothing_error(direction, history)
        versions = [version.memory for version in history.versions if version.memory is not None]
        transaction.bury(forgetting.tombstone(current, now, purged=False, earlier=versions))
        transaction.delete(id, now, purge=False, change=direction, shows_version=to)
        return UndoResult(store, replace(current, updated_at=now), change, gone=True)
    faded = change.memory is not None and change.memory.archived_for in ("faded", "old")
    named = editing.with_own_key(transaction, state, "$.id")
    latest = current or state
    restored = replace(
        named,
        useful=latest.useful,
        not_useful=latest.not_useful,
        version=history.versions[-1].version + 1,
        # With its old time, maintenance would archive the memory again for its age.
        updated_at=now if faded and direction == "undone" else state.updated_at,
    )
    if current is None:
        transaction.lift(id)
    transaction.put(restored, direction, now, shows_version=to)
    return UndoResult(store, restored, change, reworded=current is not None and current.content != state.content)


def _merged_steps(results: Sequence[UndoResult]) -> list[tuple[UndoResult, str]]:
    """Return the steps of the memories that the change had archived, each with the memory into which it was merged."""
    return [
        (step, memory.merged_into)
        for step in results
        if (memory := step.change.memory) is not None
        and step.change.change == "archived"
        and memory.merged_into is not None
    ]


def _restore_links(
    results: Sequence[UndoResult], transactions: Mapping[MemoryStore, MemoryTransaction], direction: Direction
) -> None:
    """Drop links that the undone change had found, and move the links of merged memories back or forth."""
    for step in results:
        transaction = transactions[step.store]
        for link in transaction.links(step.record.id) if step.reworded and direction == "undone" else ():
            if link.at == step.change.at and link.origin in FOUND_ORIGINS:
                transaction.unlink(link.source, link.target, link.kind)
    for step, into in _merged_steps(results):
        transaction = transactions[step.store]
        if step.record.archived_for == "promoted" or transaction.get(into) is None:
            continue
        carry_links(transaction, step.record.id, into, back=direction == "undone")


def _move_accesses(results: Sequence[UndoResult], direction: Direction) -> None:
    """Move the access counts of merged memories back or forth."""
    steps = {step.record.id: step for step in results}
    for step, into in _merged_steps(results):
        other = steps.get(into)
        if direction == "redone":
            step.store.hand_accesses(step.record.id, other.store if other is not None else step.store, into)
        elif other is not None and other.gone:
            other.store.hand_accesses(into, step.store, step.record.id)
