"""Promote personal memories that have proved useful to scope `project`."""

from __future__ import annotations

from msgspec.structs import replace

from sidecar.memories.maintenance.changes import LIVE_STATES, NO_USE, Ledger, Write
from sidecar.memories.maintenance.duplicates import absorb
from sidecar.memories.recording import merging
from sidecar.store.keys import key_of
from sidecar.store.memory_store import MemoryKey
from sidecar.store.records import MemoryRecord

PROMOTED_ABOVE_SESSIONS = 5  # a memory shown in more sessions is promoted


def plan_promotion(ledger: Ledger) -> None:
    """Plan to promote personal memories that more than 5 sessions were shown.

    If the project has a memory of that name or text, merge them. Memories of type `user`, memories that expire, and
    those whose promotion was undone are not promoted.
    """
    proved = [
        (record, times)
        for record in ledger.records.values()
        if record.scope == "personal"
        and record.type != "user"
        and record.status in LIVE_STATES
        and record.expires_at is None
        if (times := ledger.uses.get(record.id, NO_USE).times) > PROMOTED_ABOVE_SESSIONS
    ]
    if not proved:
        return
    names: dict[MemoryKey, str] = {}  # ids of the project's memories, by key
    texts: dict[tuple[str, str | None, str], str] = {}  # ids of the project's visible memories, by wording

    def register(record: MemoryRecord) -> None:
        names[key_of(record)] = record.id
        if record.status in LIVE_STATES:
            texts.setdefault(_wording_of(record), record.id)

    for record in ledger.records.values():
        if record.scope == "project":
            register(record)
    for record, times in proved:
        if any(version.memory and version.memory.promoted_from == "personal" for version in ledger.history(record.id)):
            ledger.leave_undone("promotion", record, "was promoted before and taken back")
            continue
        after = replace(record, scope="project", promoted_from="personal", version=record.version + 1)
        holder = names.get(key_of(after)) or texts.get(_wording_of(after))
        if holder is None:
            reason = f"shown in {times} sessions: personal → project"
            ledger.plan("promotion", record, reason, Write(record, after, "promoted"))
            register(after)
        elif (other := ledger.records[holder]).status in LIVE_STATES:
            absorb(ledger, other, record, f"shown in {times} sessions; merged into the project's", "promotion")
        else:
            what = "an archived" if other.status == "archived" else "a resolved"
            ledger.leave_undone("promotion", record, f"the project has {what} one of this name")


def _wording_of(record: MemoryRecord) -> tuple[str, str | None, str]:
    return record.type, record.agent, merging.normalised(record.content)
