"""Plan what a file changes in the store, and carry that out; both forms of the file use it for each pass."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Draft
from sidecar.memory_file.shown_entries import entry_of, strip_controls
from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.plan import ChangePlan, Edit, EntryDigests, ShownMemory, digest_entry, plan_changes
from sidecar.runtime.errors import MemoryNotFound, SidecarError
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import REPOSITORY_SOURCE

log = logging.getLogger(__name__)

Ref = TypeVar("Ref", bound=Hashable)
USER_SOURCE = "user"
# The reason for archiving a memory that the repository's file no longer holds.
LEFT_REASON = "left"
_EDITABLE_FIELDS = ("type", "name", "category", "agent", "pinned", "description", "tags")


@dataclass(frozen=True)
class PlanOutcome(Generic[Ref]):
    """The outcome of a plan."""

    placed: dict[Ref, str | None]  # the memory of each unit; None if it was refused
    problems: list[str]  # for the user
    disputed: dict[str, EntryDigests]  # memories about which the file contradicts the user
    refused: list[EntryDigests]  # entries that the user typed and the store refused


@dataclass(frozen=True)
class Authorship(Generic[Ref]):
    """Which units are the user's words: typed by hand, refused earlier or, if `trusted`, all."""

    typed: Callable[[Ref], bool]
    trusted: bool = False
    disputed: Mapping[str, EntryDigests] = field(default_factory=dict)
    refused: Collection[EntryDigests] = ()

    def is_users(self, ref: Ref, entry: Entry) -> bool:
        return self.trusted or self.typed(ref) or digest_entry(entry) in self.refused


def plan_for(
    units: Mapping[Ref, Entry],
    memories: Mapping[str, ShownMemory],
    base: Mapping[str, EntryDigests],
    authorship: Authorship[Ref],
) -> ChangePlan[Ref]:
    """Plan the store's changes. If the user edits an entry of the repository, all of it becomes the user's."""

    def claimed(ref: Ref, id: str, changed: bool) -> bool:
        foreign = memories[id].foreign or id in authorship.disputed
        return foreign and (authorship.trusted or (changed and authorship.is_users(ref, units[ref])))

    return plan_changes(units, memories, base, claimed=claimed)


def carry_out(
    plan: ChangePlan[Ref],
    units: Mapping[Ref, Entry],
    memories: Mapping[str, ShownMemory],
    book: MemoryBook,
    authorship: Authorship[Ref],
) -> PlanOutcome[Ref]:
    """Change the store as planned.

    A refused entry stays in the file and is reported. An entry that is not the user's becomes the repository's memory
    and a proposal; it changes no memory of the user.
    """
    placed: dict[Ref, str | None] = dict(plan.placed)
    outcome = PlanOutcome(placed, [], {}, [])
    decided = set[str]()
    for ref, entry in plan.added.items():
        is_users = authorship.is_users(ref, entry)
        try:
            record = _add(entry, book, is_users=is_users)
        except SidecarError as error:
            placed[ref] = None
            outcome.problems.append(f"“{entry.text[:60]}” was not stored: {error.message}")
            outcome.refused.extend([digest_entry(entry)] if is_users else [])
            continue
        if record is None:
            continue
        placed[ref] = record.id
        if not is_users and (record.source == REPOSITORY_SOURCE or strip_controls(record.content) != entry.text):
            _propose(entry, record.id, book)
            if record.source != REPOSITORY_SOURCE:
                outcome.disputed[record.id] = digest_entry(entry_of(record))
    refs = {id: ref for ref, id in plan.placed.items()}
    for edit in plan.edited:
        ref, memory = refs[edit.id], memories[edit.id]
        is_users = authorship.is_users(ref, units[ref])
        try:
            if is_users or memory.foreign:
                _edit(edit, memory, book, is_users=is_users, disputed=edit.id in authorship.disputed)
            if not is_users:
                _propose(units[ref], edit.id, book)
                outcome.disputed.update({} if memory.foreign else {edit.id: digest_entry(memory.shown)})
            else:
                decided.add(edit.id)
        except SidecarError as error:
            outcome.problems.append(f"A change of “{edit.entry.text[:60]}” was not stored: {error.message}")
            outcome.refused.extend([digest_entry(units[ref])] if is_users else [])
            placed[ref] = None
    for id in {*plan.placed.values()} - decided - outcome.disputed.keys():
        if authorship.disputed.get(id) == digest_entry(memories[id].shown):
            outcome.disputed[id] = authorship.disputed[id]
    for id in plan.removed:
        decided.add(id)
        try:
            book.editing.archive(id, LEFT_REASON if memories[id].foreign else None)
        except MemoryNotFound:  # another process deleted the memory meanwhile
            continue
    decided.update(id for id in authorship.disputed if id not in outcome.disputed)
    book.candidacy.withdraw(decided)
    return outcome


def keeps_lines(entry: Entry, memory: ShownMemory, disputed: EntryDigests | None) -> bool:
    """Return whether the file's lines of a memory stay as they are, because they are the repository's."""
    shown = digest_entry(memory.shown)
    return digest_entry(_without_claims(entry)) == shown if memory.foreign else disputed == shown


def _without_claims(entry: Entry) -> Entry:
    """Return an entry without the marks that only a user may set: directive, preference, pin."""
    return replace(entry, type="project" if entry.type == "user" else entry.type, category=None, pinned=False)


def draft_of(entry: Entry, source: str) -> Draft:
    return Draft(
        content=entry.text,
        name=entry.name,
        description=entry.description,
        type=entry.type,
        scope="project",
        category=entry.category,
        agent=entry.agent,
        tags=entry.tags,
        pinned=entry.pinned,
        source=source,
    )


def _propose(entry: Entry, id: str, book: MemoryBook) -> None:
    if not entry.cut:
        book.candidacy.propose_from_file(draft_of(entry, REPOSITORY_SOURCE), id)


def _add(entry: Entry, book: MemoryBook, *, is_users: bool) -> MemoryRecord | None:
    """Return the memory that now holds the entry.

    Return None if the user had deleted it and the entry is not the user's.
    """
    if is_users:
        return book.recorder.record(draft_of(entry, USER_SOURCE)).record
    learned = book.recorder.learn(draft_of(_without_claims(entry), REPOSITORY_SOURCE))
    return None if learned is None else learned.record


def _edit(edit: Edit, memory: ShownMemory, book: MemoryBook, *, is_users: bool, disputed: bool) -> None:
    """Change the fields that the file changed; if the edit `is_users`, the memory becomes the user's."""
    before, after = memory.shown, edit.entry if is_users else _without_claims(edit.entry)
    fields: dict[str, object] = {
        name: getattr(after, name) for name in _EDITABLE_FIELDS if getattr(after, name) != getattr(before, name)
    }
    if edit.merged or after.lines != memory.full.lines:
        fields["content"] = after.text
    if is_users and (memory.foreign or disputed):
        fields["source"] = USER_SOURCE
    book.editing.update(edit.id, fields)
