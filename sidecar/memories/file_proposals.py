"""Propose to the user what only a repository's file says; only a person's word makes it the user's."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Final

from sidecar.memories import recording
from sidecar.memories.drafts import Draft
from sidecar.memories.results import Recorded
from sidecar.store.candidates import CandidateRecord, EvidenceRecord, candidate_of
from sidecar.store.vocabulary import REPOSITORY

if TYPE_CHECKING:
    from sidecar.memories.book import MemoryBook
    from sidecar.store.memory_store import MemoryStore

RULE: Final = "memory-file"
MOST: Final = 100  # waiting candidates: a repository must not push out what the user has said
WORDS_KEPT: Final = 600  # characters kept of evidence


def propose(store: MemoryStore, draft: Draft, memory_id: str | None, now: int, new_id: Callable[[int], str]) -> None:
    """Keep a file's words as a candidate for `memory_id`, unless decided before. Raises InvalidField."""
    record, _ = recording.prepare(draft, now, new_id)
    said = (record.type, record.category, record.agent, record.content)
    with store.changing_candidates() as rows:
        kept = [one for one in rows.all() if one.rule == RULE]
        older = [
            one.id for one in kept if one.status == "waiting" and memory_id is not None and one.memory_id == memory_id
        ]
        for one in kept:
            if (one.type, one.category, one.agent, one.content) == said and (
                one.status == "rejected" or one.memory_id == memory_id
            ):
                return
        if sum(one.status == "waiting" for one in kept) - len(older) >= MOST:
            return
        rows.drop(older)  # the file now says something else
        evidence = EvidenceRecord(at=now, speaker="repository", words=record.content[:WORDS_KEPT])
        rows.put(candidate_of(record, RULE, evidence, now, memory_id))


def withdraw(store: MemoryStore, memory_ids: Collection[str]) -> None:
    """Drop waiting proposals about these memories: a person has decided, or the file no longer says it."""
    if not memory_ids:
        return
    with store.changing_candidates() as rows:
        rows.drop(
            one.id for one in rows.all() if one.rule == RULE and one.status == "waiting" and one.memory_id in memory_ids
        )


def confirmed(book: MemoryBook, kept: CandidateRecord, draft: Draft) -> Recorded | None:
    """Make the memory that a file was about say what the candidate says; None if the memory no longer exists."""
    id = kept.memory_id or ""
    held = book.seen([id]).get(id)
    if kept.rule != RULE or held is None or held.status == "archived" or held.scope != draft.scope:
        return None
    fields = ("content", "type", "category", "agent", "tags", "source", *(("name",) if draft.name else ()))
    updated = book.update(held.id, {name: getattr(draft, name) for name in fields})
    return Recorded("merged" if updated.changed else "duplicate", updated.record)


def rejected(book: MemoryBook, kept: CandidateRecord) -> None:
    """Archive the memory of a rejected proposal if only the file said it."""
    id = kept.memory_id or ""
    held = book.seen([id]).get(id)
    if kept.rule == RULE and held is not None and held.source == REPOSITORY:
        book.archive(held.id)
