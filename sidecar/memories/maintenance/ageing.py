"""What is over after a time, however often it was used: resolved blockers and conversations."""

from __future__ import annotations

from sidecar.memories.maintenance.changes import VISIBLE, Ledger, Planned, archived, lasting
from sidecar.store.records import MemoryRecord

DAY = 86_400_000
BLOCKER_DAYS = 90
CONVERSATION_DAYS = 180


def plan_ageing(ledger: Ledger) -> None:
    """Put away blockers resolved more than 90 days ago, and conversations older than 180 days that need not last."""
    for record in list(ledger.records.values()):
        reason = _over(record, ledger.now)
        if reason is not None:
            ledger.plan(
                Planned(
                    step="age",
                    id=record.id,
                    name=record.name,
                    reason=reason,
                    writes=(archived(record, "old", ledger.now),),
                )
            )


def _over(record: MemoryRecord, now: int) -> str | None:
    days = (now - record.updated_at) // DAY
    if record.category == "blocker" and record.status == "resolved" and not record.pinned:
        return f"blocker resolved {days} days ago" if now - record.updated_at > BLOCKER_DAYS * DAY else None
    if record.category == "conversation" and record.status in VISIBLE and not lasting(record):
        old = now - record.updated_at > CONVERSATION_DAYS * DAY
        return f"conversation of {days} days ago" if old else None
    return None
