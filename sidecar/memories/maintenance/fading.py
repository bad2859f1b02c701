"""Compute how relevant memories still are, and archive memories that are too old.

Relevance = 0.95 ^ (full weeks since the last use, update or verification) × (1 - 0.5 × share of references that lead
nowhere). It depends on the clock alone, not on the relevance stored before. A change of relevance writes no version.
"""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from sidecar.memories.index.ranking import DAY_MS
from sidecar.memories.maintenance.changes import LIVE_STATES, NO_USE, Ledger, Missing, Write, archive_write, never_fades
from sidecar.store.keys import key_of
from sidecar.store.memory_store import Use
from sidecar.store.records import MemoryRecord

WEEK_MS = 7 * DAY_MS
BLOCKER_DAYS = 90  # after it was resolved, a blocker is archived
CONVERSATION_DAYS = 180  # after its last update, a conversation is archived
RELEVANCE_KEPT_PER_WEEK = 0.95  # at this rate an unused memory is archived after 45 weeks
MIN_RELEVANCE = 0.1
UNWANTED_FACTOR = 0.5  # for each "not useful" that exceeds the number of "useful"
MISSING_PENALTY = 0.5  # share of its relevance that a memory loses if all of its references lead nowhere
_RELEVANCE_DIGITS = 6  # relevance is rounded to these, so that only a new week or changed references change it
_MAX_CLOCK_DIFFERENCE = DAY_MS  # the clocks of two machines differ by less


def relevance_by_clock(record: MemoryRecord, use: Use, now: int) -> float:
    """Return a memory's relevance (0 to 1) at `now`; 1 if it never fades. A time in the future counts as now."""
    if never_fades(record):
        return 1.0
    return round(RELEVANCE_KEPT_PER_WEEK ** (_idle_ms(record, use, now) // WEEK_MS), _RELEVANCE_DIGITS)


def plan_relevance(ledger: Ledger, missing: Missing | None, *, fading: bool) -> None:
    """Plan changes of relevance.

    Without `fading`, only references lower it; if `missing` is None, only time does.
    """
    for record in ledger.visible():
        use = ledger.uses.get(record.id, NO_USE)
        relevance = relevance_by_clock(record, use, ledger.now) if fading else 1.0
        gone, total = (0, 0) if missing is None or not record.references else missing(record)
        if never_fades(record):
            gone = 0
        elif gone:
            relevance = round(relevance * (1 - MISSING_PENALTY * min(gone, total) / total), _RELEVANCE_DIGITS)
        if relevance != record.relevance:
            reason = f"relevance {record.relevance:.2f} → {relevance:.2f}"
            if gone:
                reason += f": {gone} of {total} references {'leads' if gone == 1 else 'lead'} nowhere"
            write = Write(record, replace(record, relevance=relevance), None)
            ledger.plan("references" if gone else "relevance", record, reason, write, unused_since=use)


def plan_archive(ledger: Ledger) -> None:
    """Plan to archive memories that faded below 0.1.

    Missing references do not count, since switching branches may bring the files back.
    """
    for record in ledger.visible():
        use = ledger.uses.get(record.id, NO_USE)
        relevance = relevance_by_clock(record, use, ledger.now)
        votes = "" if never_fades(record) else f", and {record.not_useful} times not useful" * (record.not_useful > 0)
        if votes:
            relevance *= min(1.0, UNWANTED_FACTOR ** (record.not_useful - record.useful))
        if relevance < MIN_RELEVANCE:
            weeks = _idle_ms(record, use, ledger.now) // WEEK_MS
            idle = f"not used, updated or verified for {weeks} weeks{votes}"
            reason = f"{idle}: relevance {relevance:.2f} is below {MIN_RELEVANCE}"
            ledger.plan("archive", record, reason, archive_write(record, "faded", ledger.now), unused_since=use)


def plan_ageing(ledger: Ledger) -> None:
    """Plan to archive blockers resolved more than 90 days ago and conversations older than 180 days."""
    for record in list(ledger.records.values()):
        age = ledger.now - record.updated_at
        reason = None
        if record.category == "blocker" and record.status == "resolved" and not record.pinned:
            reason = f"blocker resolved {age // DAY_MS} days ago" if age > BLOCKER_DAYS * DAY_MS else None
        elif record.category == "conversation" and record.status in LIVE_STATES and not never_fades(record):
            reason = f"conversation of {age // DAY_MS} days ago" if age > CONVERSATION_DAYS * DAY_MS else None
        if reason is not None:
            ledger.plan("age", record, reason, archive_write(record, "old", ledger.now))


def plan_return(ledger: Ledger, step: Literal["archive", "age"], why: Literal["faded", "old"]) -> None:
    """Plan to restore memories archived for `why` at a time in the future: the machine's clock was ahead then."""
    latest = ledger.now + _MAX_CLOCK_DIFFERENCE
    for record in list(ledger.records.values()):
        if record.status != "archived" or record.archived_for != why or record.updated_at <= latest:
            continue
        versions = (version.memory for version in ledger.history(record.id))
        before = next((memory for memory in versions if memory is not None and memory.status != "archived"), None)
        if before is not None and not _is_replaced(record, ledger):
            after = replace(before, version=record.version + 1, name=record.name, name_given=record.name_given)
            reason = "it was put away while the clock was ahead"
            ledger.plan(step, record, reason, Write(record, after, "restored"))


def _is_replaced(record: MemoryRecord, ledger: Ledger) -> bool:
    return any(
        other.id != record.id and other.status != "archived" and key_of(other) == key_of(record)
        for other in ledger.records.values()
    )


def _idle_ms(record: MemoryRecord, use: Use, now: int) -> int:
    """Return the time since the memory was last used, updated or verified."""
    return max(0, now - max(record.updated_at, use.last or 0, record.verified_at or 0))
