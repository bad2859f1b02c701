"""Propose to merge memories that say nearly the same, or to let one supersede the other; a person decides.

Two memories of the same type, scope and agent form a proposal if their similarity is at least 0.92, by the Jaccard
coefficient of their terms or the caller's measure. If each has words of its own, the newer one would supersede the
older; otherwise they can be merged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from sidecar.memories.maintenance.changes import LIVE_STATES, Write, archive_write, by_age
from sidecar.memories.maintenance.duplicates import unite
from sidecar.memories.recording import checks
from sidecar.memories.recording.memory_links import carry_links
from sidecar.memories.recording.record_writes import next_version
from sidecar.runtime.digests import blake2b
from sidecar.runtime.errors import InvalidField
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MaintenanceRecord, MemoryRecord, ProposalRecord
from sidecar.store.vocabulary import REPOSITORY_SOURCE
from sidecar.text.words import terms

MIN_PROPOSED_SIMILARITY = 0.92  # high, since each proposal takes a person's time
MIN_HOURS_BETWEEN = 24  # hours between two searches for similar memories
MIN_SESSIONS_BETWEEN = 5  # sessions between two such searches
MAX_PROPOSALS = 100  # the most similar pairs, which are kept: nobody decides on more
FindSimilar = Callable[[MemoryRecord], Iterable[tuple[str, float]]]
"""Yields ids of memories that may say nearly the same as a memory, with a similarity (0..1) that may be too low."""


def is_due(state: MaintenanceRecord, records: Sequence[MemoryRecord], now: int, sessions: Callable[[int], int]) -> bool:
    """Return whether 24 hours and 5 sessions have passed since the last search.

    Before the first search, they count from the first memory.
    """
    since = state.consolidated_at
    if since is None:
        since = min((record.created_at for record in records), default=now)
    day = MIN_HOURS_BETWEEN * 3_600_000
    # A time that is a day or more ahead was recorded by a wrong clock.
    return abs(now - since) >= day and sessions(min(since, now - day)) >= MIN_SESSIONS_BETWEEN


def propose(
    records: Sequence[MemoryRecord], since: int | None, similar: FindSimilar, step: Callable[[], None]
) -> list[ProposalRecord]:
    """Return similar pairs of which one memory has changed after `since` (None: all pairs), most similar first.

    `step` is called for each memory.
    """
    visible = {record.id: record for record in records if record.status in LIVE_STATES}
    proposals: dict[str, ProposalRecord] = {}
    for record in visible.values():
        if since is not None and record.updated_at <= since:
            continue
        step()
        for id, score in similar(record):
            other = visible.get(id)
            if other is None or other.id == record.id or not _comparable(record, other):
                continue
            proposal = _proposal(record, other, score)
            if proposal.score >= MIN_PROPOSED_SIMILARITY:
                proposals[proposal.id] = proposal
    return sorted(proposals.values(), key=_best_first)


def still_valid(proposals: Iterable[ProposalRecord], records: Mapping[str, MemoryRecord]) -> list[ProposalRecord]:
    return [pair for pair in proposals if _stands(pair, records.get(pair.keep), records.get(pair.other))]


def updated_state(
    state: MaintenanceRecord, fresh: Iterable[ProposalRecord], records: Mapping[str, MemoryRecord], now: int
) -> MaintenanceRecord:
    """Return the state after a search: earlier proposals that are still valid, and new ones not dismissed before."""
    by_id = {pair.id: pair for pair in (*still_valid(state.proposals, records), *fresh)}
    wanted = [pair for pair in by_id.values() if pair.id not in state.dismissed]
    best = tuple(sorted(wanted, key=_best_first)[:MAX_PROPOSALS])
    return replace(state, proposals=best, consolidated_at=now)


def accept(store: MemoryStore, proposal: ProposalRecord, now: int) -> list[MemoryRecord]:
    """Carry out a proposal; return the memories that changed. Raises InvalidField if that is impossible."""
    with store.transaction() as transaction:
        keep, other = transaction.get(proposal.keep), transaction.get(proposal.other)
        if not _stands(proposal, keep, other) or keep is None or other is None:
            raise stale_error(proposal.id)
        writes = _merged(keep, other, now) if proposal.kind == "merge" else _superseded(keep, other, now)
        for write in writes:
            transaction.put(write.after, write.change or "updated", now, also_changed=[item.after for item in writes])
        if proposal.kind == "merge":
            carry_links(transaction, other.id, keep.id)
    if proposal.kind == "merge":
        store.move_accesses(other.id, keep.id)
    return [write.after for write in writes]


def stale_error(id: str) -> InvalidField:
    """Return the error for an unknown proposal, or one whose memories have changed."""
    return InvalidField(
        f"There is no proposal {id}, or its memories have changed since it was made.",
        path="$.apply",
        reason="unknown",
        hint="memory/maintain lists the proposals that stand.",
    )


def _merged(keep: MemoryRecord, other: MemoryRecord, now: int) -> list[Write]:
    merged = unite(keep, other)
    if len(merged.content) > checks.CONTENT_CHARS:
        raise InvalidField(
            f"“{keep.name}” and “{other.name}” together would exceed {checks.CONTENT_CHARS:,} characters.",
            path="$.apply",
            reason="tooLong",
            hint="Shorten one of them first.",
        )
    checks.check_count(merged.tags, checks.MAX_TAGS, "$.apply", "tags")
    checks.check_count(merged.files, checks.MAX_FILES, "$.apply", "files")
    after = next_version(merged, now, relevance=1.0)
    return [Write(keep, after, "merged"), archive_write(other, "merged", now, keep.id)]


def _superseded(keep: MemoryRecord, other: MemoryRecord, now: int) -> list[Write]:
    if keep.supersedes is not None:
        raise InvalidField(
            f"“{keep.name}” supersedes another memory already: {keep.supersedes}.",
            path="$.apply",
            hint="Archive the older one with memory/archive instead.",
        )
    return [Write(keep, next_version(keep, now, supersedes=other.id), "updated")]


def _comparable(record: MemoryRecord, other_record: MemoryRecord) -> bool:
    if (record.type, record.scope, record.agent) != (other_record.type, other_record.scope, other_record.agent):
        return False
    if REPOSITORY_SOURCE in (record.source, other_record.source):
        return False
    return other_record.id != record.supersedes and record.id != other_record.supersedes


def _proposal(record: MemoryRecord, other_record: MemoryRecord, score: float) -> ProposalRecord:
    elder, younger = sorted((record, other_record), key=by_age)
    first, second = set(terms(record.content)), set(terms(other_record.content))
    if first | second:
        score = max(score, len(first & second) / len(first | second))
    if first - second and second - first:
        kind = "supersede"
        keep, give_up = (younger, elder) if younger.updated_at >= elder.updated_at else (elder, younger)
    else:
        kind = "merge"
        keep, give_up = elder, younger
    versions = (keep.version, give_up.version)
    digest = blake2b(repr((kind, keep.id, give_up.id, versions)).encode(), digest_size=6).hexdigest()
    return ProposalRecord(
        id=f"p{digest}", kind=kind, keep=keep.id, other=give_up.id, score=round(min(score, 1.0), 4), versions=versions
    )


def _stands(proposal: ProposalRecord, keep: MemoryRecord | None, other: MemoryRecord | None) -> bool:
    if keep is None or other is None or keep.status not in LIVE_STATES or other.status not in LIVE_STATES:
        return False
    return (keep.version, other.version) == proposal.versions


def _best_first(proposal: ProposalRecord) -> tuple[float, str]:
    return -proposal.score, proposal.id
