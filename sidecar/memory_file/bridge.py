"""Between stored memories and the entries of a file: what the file may show, and carrying out a plan."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from sidecar.errors import MemoryNotFound, SidecarError
from sidecar.exchange.memory_file.entry import Entry
from sidecar.exchange.memory_file.plan import Edit, Known, Plan
from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Draft
from sidecar.memories.naming import is_derived
from sidecar.patterns import lazy
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord

log = logging.getLogger(__name__)

Ref = TypeVar("Ref", bound=Hashable)
Changed = Callable[[str, str, str], None]
"""Told of each memory that a file changed: id, scope and the kind of change."""

BY_HAND = "user"
FROM_GIT = "import:memory-file"
_NOT_SHOWN = ("conversation", "reminder")
_FIELDS = ("type", "name", "category", "agent", "pinned", "description", "tags")

_LINE_END = lazy(r"\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROL = lazy(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Carried(Generic[Ref]):
    """What came of a plan: the memory of each unit (None: it could not be taken in), and what to tell a person."""

    placed: dict[Ref, str | None]
    problems: list[str]


def entry_of(record: MemoryRecord) -> Entry:
    """A memory as an entry; a name that only repeats the text is left out.

    What would move a terminal's cursor, end a line or turn the direction of what follows is not put into a file.
    """
    return Entry(
        type=record.type,
        text=_harmless(record.content),
        name=None if is_derived(record.name, record.content) else " ".join(_harmless(record.name).split()),
        category=record.category,
        agent=record.agent,
        pinned=record.pinned,
        description=record.description,
        tags=record.tags,
    )


def _harmless(text: str) -> str:
    return text if text.isprintable() else _CONTROL.sub("\ufffd", _LINE_END.sub("\n", text))


def shown(store: MemoryStore, now: int) -> list[MemoryRecord]:
    """The memories that belong into the file and have not expired."""
    return [
        record
        for record in store.all()
        if belongs(record) and (record.expires_at is None or record.expires_at > now)
    ]


def belongs(record: MemoryRecord) -> bool:
    """Whether a memory may stand in the file: one of the project, in force, and no session's summary."""
    return (
        record.scope == "project"
        and record.status in ("active", "suspect")
        and record.category not in _NOT_SHOWN
    )


def weight(record: MemoryRecord) -> tuple[float, ...]:
    """How important it is to show a memory; the clock has no say, for the file's bytes would change by themselves."""
    ahead = record.pinned or record.category in ("directive", "blocker")
    return float(ahead), float(record.category in ("decision", "procedure", "plan")), float(record.updated_at)


def carry_out(
    plan: Plan[Ref], known: dict[str, Known], book: MemoryBook, source: str, changed: Changed
) -> Carried[Ref]:
    """Change the store as the plan says. What is refused stays in the file as it is and is told."""
    placed: dict[Ref, str | None] = dict(plan.placed)
    problems: list[str] = []
    for ref, entry in plan.added.items():
        try:
            id = _add(entry, book, source, changed)
        except SidecarError as error:
            placed[ref] = None
            problems.append(f"“{entry.text[:60]}” was not taken in: {error.message}")
        else:
            if id is not None:
                placed[ref] = id
    for edit in plan.edited:
        try:
            _edit(edit, known[edit.id], book, changed)
        except SidecarError as error:
            problems.append(f"A change of “{edit.entry.text[:60]}” was not taken in: {error.message}")
            placed.update({ref: None for ref, id in plan.placed.items() if id == edit.id})
    for id in plan.removed:
        try:
            updated = book.archive(id)
        except MemoryNotFound:  # another process deleted it meanwhile
            continue
        changed(id, updated.record.scope, "archived")
    return Carried(placed, problems)


def _add(entry: Entry, book: MemoryBook, source: str, changed: Changed) -> str | None:
    """The id of the memory that now says it; None when it was forgotten on purpose and comes from elsewhere.

    What came with a commit is somebody else's word: it cannot make itself a directive, nor pin itself.
    """
    trusted = source == BY_HAND
    draft = Draft(
        content=entry.text,
        name=entry.name,
        description=entry.description,
        type=entry.type,
        scope="project",
        category=entry.category if trusted or entry.category != "directive" else None,
        agent=entry.agent,
        tags=entry.tags,
        pinned=entry.pinned and trusted,
        source=source,
    )
    recorded = book.record(draft) if trusted else book.learn(draft)
    if recorded is None:
        return None
    if recorded.status != "duplicate":
        changed(
            recorded.record.id, recorded.record.scope, "created" if recorded.status == "created" else "merged"
        )
    return recorded.record.id


def _edit(edit: Edit, memory: Known, book: MemoryBook, changed: Changed) -> None:
    """Only what a hand changed is changed: a field that the file does not show stays. A name that a hand takes away is
    made from the text.
    """
    before, after = memory.shown, edit.entry
    fields: dict[str, object] = {
        name: getattr(after, name) for name in _FIELDS if getattr(after, name) != getattr(before, name)
    }
    if edit.merged or after.lines != memory.full.lines:
        fields["content"] = after.text
    updated = book.update(edit.id, fields)
    if updated.changed:
        changed(edit.id, updated.record.scope, "updated")
