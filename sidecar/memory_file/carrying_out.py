"""Plan what a file changes in the store, and carry that out; both forms of the file use it for each pass."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Draft
from sidecar.memory_file.shown_entries import entry_of, strip_controls
from sidecar.memory_file.text.entry import Entry
from sidecar.memory_file.text.plan import ChangePlan, Edit, EntryDigests, ShownMemory, digest_entry, plan_changes
from sidecar.runtime.errors import MemoryNotFound, SidecarError
from sidecar.store.vocabulary import REPOSITORY_SOURCE

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

    def repository_ids(self, units: Mapping[Ref, Entry], memories: Mapping[str, ShownMemory]) -> set[str]:
        """Return the memories whose lines in the file stay as they are, because they are the repository's."""
        placed = ((units[ref], id) for ref, id in self.placed.items() if id is not None and id in memories)
        return {id for unit, id in placed if _keeps_lines(unit, memories[id], self.disputed.get(id))}


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


@dataclass(eq=False)
class PlanExecution(Generic[Ref]):
    """Changes the store as planned.

    A refused entry stays in the file and is reported. An entry that is not the user's becomes the repository's memory
    and a proposal; it changes no memory of the user.
    """

    _plan: ChangePlan[Ref]
    _units: Mapping[Ref, Entry]
    _memories: Mapping[str, ShownMemory]
    _book: MemoryBook
    _authorship: Authorship[Ref]
    _decided: set[str] = field(init=False, default_factory=set)  # memories about which the file no longer proposes

    def __post_init__(self) -> None:
        self._outcome = PlanOutcome[Ref](dict(self._plan.placed), [], {}, [])

    def run(self) -> PlanOutcome[Ref]:
        for ref, entry in self._plan.added.items():
            self._add(ref, entry)
        refs = {id: ref for ref, id in self._plan.placed.items()}
        for edit in self._plan.edited:
            self._edit(edit, refs[edit.id])
        outcome, disputed = self._outcome, self._authorship.disputed
        for id in {*self._plan.placed.values()} - self._decided - outcome.disputed.keys():
            if disputed.get(id) == digest_entry(self._memories[id].shown):
                outcome.disputed[id] = disputed[id]
        for id in self._plan.removed:
            self._decided.add(id)
            with contextlib.suppress(MemoryNotFound):  # another process deleted the memory meanwhile
                self._book.editing.archive(id, LEFT_REASON if self._memories[id].foreign else None)
        self._decided.update(id for id in disputed if id not in outcome.disputed)
        if self._decided:
            self._book.candidacy.withdraw(self._decided)
        return outcome

    def _add(self, ref: Ref, entry: Entry) -> None:
        """Record an entry; one that is not the user's is only learned, and what the user deleted stays deleted."""
        is_users = self._authorship.is_users(ref, entry)
        try:
            if is_users:
                recorded = self._book.recorder.record(draft_of(entry, USER_SOURCE))
            else:
                learned = self._book.recorder.learn(draft_of(_without_claims(entry), REPOSITORY_SOURCE))
                if learned is None:
                    return
                recorded = learned
        except SidecarError as error:
            self._refuse(ref, entry, f"“{entry.text[:60]}” was not stored: {error.message}")
            return
        record = recorded.record
        self._outcome.placed[ref] = record.id
        if not is_users and (record.source == REPOSITORY_SOURCE or strip_controls(record.content) != entry.text):
            self._propose(entry, record.id)
            if record.source != REPOSITORY_SOURCE:
                self._outcome.disputed[record.id] = digest_entry(entry_of(record))

    def _edit(self, edit: Edit, ref: Ref) -> None:
        entry, memory = self._units[ref], self._memories[edit.id]
        is_users = self._authorship.is_users(ref, entry)
        try:
            if is_users or memory.foreign:
                disputed = edit.id in self._authorship.disputed
                self._book.editing.update(edit.id, _edited_fields(edit, memory, is_users=is_users, disputed=disputed))
            if is_users:
                self._decided.add(edit.id)
                return
            self._propose(entry, edit.id)
            if not memory.foreign:
                self._outcome.disputed[edit.id] = digest_entry(memory.shown)
        except SidecarError as error:
            self._refuse(ref, entry, f"A change of “{edit.entry.text[:60]}” was not stored: {error.message}")

    def _refuse(self, ref: Ref, entry: Entry, problem: str) -> None:
        self._outcome.placed[ref] = None
        self._outcome.problems.append(problem)
        if self._authorship.is_users(ref, entry):
            self._outcome.refused.append(digest_entry(entry))

    def _propose(self, entry: Entry, id: str) -> None:
        if not entry.cut:
            self._book.candidacy.propose_from_file(draft_of(entry, REPOSITORY_SOURCE), id)


def _keeps_lines(entry: Entry, memory: ShownMemory, disputed: EntryDigests | None) -> bool:
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


def _edited_fields(edit: Edit, memory: ShownMemory, *, is_users: bool, disputed: bool) -> dict[str, object]:
    """Return the fields that the file changed; if the edit `is_users`, the memory becomes the user's."""
    before, after = memory.shown, edit.entry if is_users else _without_claims(edit.entry)
    fields: dict[str, object] = {
        name: getattr(after, name) for name in _EDITABLE_FIELDS if getattr(after, name) != getattr(before, name)
    }
    if edit.merged or after.lines != memory.full.lines:
        fields["content"] = after.text
    if is_users and (memory.foreign or disputed):
        fields["source"] = USER_SOURCE
    return fields
