"""Turn proposals into stored candidates: drafts, limits, redaction, and the check of imported candidates."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from sidecar.memories.candidates import file_proposals
from sidecar.memories.candidates.repetition import MAX_PIECES
from sidecar.memories.drafts import Draft
from sidecar.memories.recording import checks, record_writes
from sidecar.memories.recording.fields import Redactor
from sidecar.runtime.errors import InvalidField
from sidecar.store.candidates import CandidateRecord, EvidenceRecord
from sidecar.store.vocabulary import LEARNED_PREFIX

SPEAKERS: Final = ("user", "agent", "tool", "model", "repository")
MAX_CANDIDATES: Final = {"waiting": 500, "rejected": 500, "confirmed": 2_000}  # candidates that are kept, by status


def draft_of(candidate: CandidateRecord) -> Draft:
    return Draft(
        content=candidate.content,
        name=candidate.name,
        type=candidate.type,
        scope=candidate.scope,
        category=candidate.category,
        agent=candidate.agent,
        session_id=candidate.evidence[-1].session_id if candidate.evidence else None,
        files=candidate.files,
        tags=candidate.tags,
        source=f"{LEARNED_PREFIX}{candidate.rule}",
    )


def redact_evidence(evidence: EvidenceRecord) -> EvidenceRecord:
    """Redact evidence, then cut it to its limits."""
    redactor = Redactor()
    words = redactor.text("words", evidence.words)[: file_proposals.MAX_EVIDENCE_CHARS]
    before = redactor.text("before", evidence.before)[-file_proposals.MAX_EVIDENCE_CHARS :]
    return replace(evidence, words=words, before=before)


def check_import(record: CandidateRecord) -> CandidateRecord:
    """Return an exported candidate without secrets. Raises InvalidField if no candidate could have such values."""
    times = (record.created_at, record.updated_at, *(evidence.at for evidence in record.evidence))
    if (
        not all(1 <= len(id) <= 64 and id.isascii() and id.isprintable() for id in (record.id, record.memory_id or "-"))
        or record.status not in MAX_CANDIDATES
        or not 1 <= len(record.rule) <= checks.NAME_CHARS
        or not 1 <= record.sessions <= checks.LATEST_TIME_MS
        or len(record.evidence) > MAX_PIECES
        or not all(0 <= at <= checks.LATEST_TIME_MS for at in times)
        or any(path.startswith("/") or "\0" in path or ".." in path.split("/") for path in record.files)
        or not all(evidence.speaker in SPEAKERS for evidence in record.evidence)
    ):
        raise InvalidField("This candidate is malformed.", path="$.path", reason="malformed")
    draft = draft_of(record)
    prepared, _ = record_writes.prepare(draft, record.created_at, lambda _: record.id)
    return replace(
        record,
        content=prepared.content,
        name=prepared.name if record.name is not None else None,
        agent=prepared.agent,
        files=prepared.files,
        tags=prepared.tags,
        evidence=tuple(redact_evidence(evidence) for evidence in record.evidence),
    )
