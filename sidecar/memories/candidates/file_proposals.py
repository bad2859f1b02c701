"""Proposals from a repository's file: what the file says becomes the user's word only when a person confirms it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from sidecar.memories.drafts import Draft
from sidecar.memories.editing.editing import MemoryEditing
from sidecar.memories.recording import record_writes
from sidecar.memories.results import RecordedMemory
from sidecar.store.candidates import CandidateRecord, EvidenceRecord, candidate_of
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import REPOSITORY_SOURCE

RULE: Final = "memory-file"
MAX_WAITING_PROPOSALS: Final = 100  # proposals: a repository must not push out candidates from the user's words
MAX_EVIDENCE_CHARS: Final = 600  # characters kept of evidence


def propose(store: MemoryStore, draft: Draft, memory_id: str | None, now: int, new_id: Callable[[int], str]) -> None:
    """Store a file's words as a candidate for `memory_id`, unless a person has decided on them. Raises InvalidField."""
    record, _ = record_writes.prepare(draft, now, new_id)
    key = (record.type, record.category, record.agent, record.content)
    with store.candidates.changing() as rows:
        proposals = [row for row in rows.all() if row.rule == RULE]
        waiting = [row for row in proposals if row.status == "waiting"]
        older = [row.id for row in waiting if memory_id is not None and row.memory_id == memory_id]
        same = [row for row in proposals if (row.type, row.category, row.agent, row.content) == key]
        if any(row.status == "rejected" or row.memory_id == memory_id for row in same):
            return
        if len(waiting) - len(older) >= MAX_WAITING_PROPOSALS:
            return
        rows.drop(older)  # the file now says something else
        evidence = EvidenceRecord(at=now, speaker="repository", words=record.content[:MAX_EVIDENCE_CHARS])
        rows.put(candidate_of(record, RULE, evidence, now, memory_id))


def withdraw(store: MemoryStore, memory_ids: Collection[str]) -> None:
    """Drop the waiting proposals about `memory_ids`, because a person has decided or the file has changed."""
    if not memory_ids:
        return
    with store.candidates.changing() as rows:
        rows.drop(
            row.id for row in rows.all() if row.rule == RULE and row.status == "waiting" and row.memory_id in memory_ids
        )


def apply_confirmation(
    editing: MemoryEditing, memory: MemoryRecord | None, candidate: CandidateRecord, draft: Draft
) -> RecordedMemory | None:
    """Make the memory of a confirmed proposal say what the candidate says.

    Return None if the candidate is no proposal, or its memory is gone.
    """
    if candidate.rule != RULE or memory is None or memory.status == "archived" or memory.scope != draft.scope:
        return None
    fields = ("content", "type", "category", "agent", "tags", "source", *(("name",) if draft.name else ()))
    updated = editing.update(memory.id, {name: getattr(draft, name) for name in fields})
    return RecordedMemory("merged" if updated.changed else "duplicate", updated.record)


def apply_rejection(editing: MemoryEditing, memory: MemoryRecord | None, candidate: CandidateRecord) -> None:
    """Archive the memory of a rejected proposal, unless somebody besides the file says the same."""
    if candidate.rule == RULE and memory is not None and memory.source == REPOSITORY_SOURCE:
        editing.archive(memory.id)
