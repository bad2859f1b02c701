"""How relevant a memory still is, as a pure function of the clock, and which ones are put away for it.

0.95 for each full week since the memory was last used, updated or verified (SPEC.md section 5), times a penalty for
references that lead nowhere: 1 - 0.5 × missing / total. Neither rests on the relevance that is stored, so it is the
same however often and whenever maintenance ran. A change of relevance alone is no version and no update of the memory.
"""

from __future__ import annotations

import msgspec

from sidecar.memories.maintenance.changes import (
    NEVER,
    VISIBLE,
    Ledger,
    Missing,
    Planned,
    Step,
    Write,
    archived,
    lasting,
)
from sidecar.store.memory_store import Use
from sidecar.store.records import MemoryRecord

WEEK = 7 * 86_400_000
PER_WEEK = 0.95
FADED = 0.1
PENALTY = 0.5
_DIGITS = 6


def faded(record: MemoryRecord, use: Use, now: int) -> float:
    """0.95 per full week of rest, in 0..1; 1 for what never fades. A time in the future counts as now."""
    if lasting(record):
        return 1.0
    return round(PER_WEEK ** (_rest(record, use, now) // WEEK), _DIGITS)


def plan_relevance(ledger: Ledger, missing: Missing | None, *, fading: bool) -> None:
    """Relevance of every visible memory. `fading` off: only references count; `missing` None: only the clock does."""
    for record in list(ledger.records.values()):
        if record.status not in VISIBLE:
            continue
        use = ledger.uses.get(record.id, NEVER)
        relevance = faded(record, use, ledger.now) if fading else 1.0
        gone, total = (0, 0) if missing is None or not record.references else missing(record)
        if gone and not lasting(record):
            relevance = round(relevance * (1 - PENALTY * min(gone, total) / total), _DIGITS)
        if relevance != record.relevance:
            _adjust(ledger, record, relevance, gone if not lasting(record) else 0, total, use)


def plan_archive(ledger: Ledger) -> None:
    """Put away what has faded below 0.1. Missing references alone put nothing away: a branch may bring them back."""
    for record in list(ledger.records.values()):
        if record.status not in VISIBLE:
            continue
        use = ledger.uses.get(record.id, NEVER)
        relevance = faded(record, use, ledger.now)
        if relevance >= FADED:
            continue
        weeks = _rest(record, use, ledger.now) // WEEK
        ledger.plan(
            Planned(
                step="archive",
                id=record.id,
                name=record.name,
                reason=f"not used, updated or verified for {weeks} weeks: relevance {relevance:.2f} is below {FADED}",
                writes=(archived(record, "faded", ledger.now),),
                unused_since=use,
            )
        )


def _adjust(ledger: Ledger, record: MemoryRecord, relevance: float, gone: int, total: int, use: Use) -> None:
    said = f"relevance {record.relevance:.2f} → {relevance:.2f}"
    step: Step = "relevance"
    if gone:
        step = "references"
        said += f": {gone} of {total} references {'leads' if gone == 1 else 'lead'} nowhere"
    after = msgspec.structs.replace(record, relevance=relevance)
    ledger.plan(
        Planned(
            step=step,
            id=record.id,
            name=record.name,
            reason=said,
            writes=(Write(record, after, None),),
            unused_since=use,
        )
    )


def _rest(record: MemoryRecord, use: Use, now: int) -> int:
    """Milliseconds since the memory was last used, updated or verified."""
    return max(0, now - max(record.updated_at, use.last or 0, record.verified_at or 0))
