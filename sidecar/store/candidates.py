"""Rows of candidates: statements that may become memories, and their evidence."""

from __future__ import annotations

from typing import Final

from sidecar.store import keys
from sidecar.store.records import MemoryRecord, Record
from sidecar.store.tables import Table, TableRows, TableStore


class EvidenceRecord(Record, frozen=True, kw_only=True):
    """A piece of evidence for a candidate. Digests and size identify templates and copies of a session."""

    at: int
    speaker: str  # one of `candidate_rows.SPEAKERS`
    words: str  # what was said
    before: str = ""  # what was said just before
    session_id: str | None = None
    message: str = ""  # digest of the whole message
    opening: str = ""  # digest of the session's first message
    size: int = 0  # characters of the message


class CandidateRecord(Record, frozen=True, kw_only=True):
    """A statement that may become a memory."""

    v: int = 1
    id: str
    rule: str
    content: str
    type: str
    scope: str
    created_at: int
    updated_at: int
    status: str = "waiting"  # `waiting`, `confirmed` or `rejected`
    name: str | None = None
    category: str | None = None
    agent: str | None = None
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    evidence: tuple[EvidenceRecord, ...] = ()  # the first and the last pieces
    sessions: int = 1  # independent sessions that said it
    memory_id: str | None = None  # the memory that it became, or that it would change


def candidate_of(
    record: MemoryRecord, rule: str, evidence: EvidenceRecord, now: int, memory_id: str | None = None
) -> CandidateRecord:
    """Return a waiting candidate for a new memory or, with `memory_id`, for a change of that memory."""
    return CandidateRecord(
        id=record.id,
        rule=rule,
        content=record.content,
        name=record.name if record.name_given else None,
        type=record.type,
        scope=record.scope,
        category=record.category,
        agent=record.agent,
        files=record.files,
        tags=record.tags,
        evidence=(evidence,),
        created_at=now,
        updated_at=now,
        memory_id=memory_id,
    )


CANDIDATES: Final = Table(keys.CANDIDATE, CandidateRecord)


class Candidates(TableRows[CandidateRecord]):
    table = CANDIDATES

    def put(self, record: CandidateRecord, *, counted: bool = True) -> None:
        """Store a candidate; `CandidateStore.count_waiting` counts it only if `counted`."""
        CANDIDATES.set(self._rows, record, record.id, tag=record.status if counted else "uncounted")


class CandidateStore(TableStore[CandidateRecord, Candidates]):
    def count_waiting(self) -> int:
        return self._database.read(lambda rows: rows.tags(keys.CANDIDATE).get("waiting", 0))
