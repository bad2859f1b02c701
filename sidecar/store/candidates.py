"""Rows of candidates: what may become a memory, and its evidence."""

from __future__ import annotations

from typing import Final

from sidecar.store import keys
from sidecar.store.records import MemoryRecord, Record
from sidecar.store.tables import Table, TableRows


class EvidenceRecord(Record, frozen=True, kw_only=True):
    """A piece of evidence for a candidate: the `words` said, who said them (`candidate_rows.SPEAKERS`), and the
    words `before` them.

    `message` and `opening` are digests of the whole message and of the session's first message, `size` is the message's
    length in characters; these identify templates and copies of a session.
    """

    at: int
    speaker: str
    words: str
    before: str = ""
    session_id: str | None = None
    message: str = ""
    opening: str = ""
    size: int = 0


class CandidateRecord(Record, frozen=True, kw_only=True):
    """What may become a memory; `status` is `waiting`, `confirmed` (as memory `memory_id`) or `rejected`.

    `sessions` counts the independent sessions that said it; `evidence` holds the first and the last pieces.
    """

    v: int = 1
    id: str
    rule: str
    content: str
    type: str
    scope: str
    created_at: int
    updated_at: int
    status: str = "waiting"
    name: str | None = None
    category: str | None = None
    agent: str | None = None
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    evidence: tuple[EvidenceRecord, ...] = ()
    sessions: int = 1
    memory_id: str | None = None


def candidate_of(
    record: MemoryRecord, rule: str, evidence: EvidenceRecord, now: int, memory_id: str | None = None
) -> CandidateRecord:
    """Return a waiting candidate for this memory or, with `memory_id`, for a change of that memory."""
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

    def waiting(self) -> int:
        return self._rows.tags(keys.CANDIDATE).get("waiting", 0)

    def put(self, record: CandidateRecord, *, counted: bool = True) -> None:
        """Store a candidate, which `waiting` counts only if `counted`."""
        CANDIDATES.set(self._rows, record, record.id, tag=record.status if counted else "uncounted")
