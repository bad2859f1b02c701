"""Personal memories that have proved useful become the project's."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from sidecar.memories import merging
from sidecar.memories.maintenance.changes import NEVER, VISIBLE, Ledger, Left, Planned, Write
from sidecar.memories.maintenance.duplicates import absorb
from sidecar.memories.recording import key_of
from sidecar.store.memory_store import MemoryKey
from sidecar.store.records import MemoryRecord

SESSIONS = 5
"""A memory shown in more sessions than these is promoted."""


def plan_promotion(ledger: Ledger) -> None:
    """Promote personal memories shown in more than 5 sessions; never those of type `user`, which stay a person's own.

    One whose name or text the project has already is merged into that. One that was promoted before and taken back
    stays personal.
    """
    proved = [
        (record, times)
        for record in ledger.records.values()
        if record.scope == "personal" and record.type != "user" and record.status in VISIBLE
        if (times := ledger.uses.get(record.id, NEVER).times) > SESSIONS
    ]
    if not proved:
        return
    project = _Project(ledger.records.values())
    for record, times in proved:
        promoted = _promote(ledger, project, record, times)
        if promoted is not None:
            project.add(promoted)


class _Project:
    """The project's memories by key, and those that are visible by what they say."""

    def __init__(self, records: Iterable[MemoryRecord]) -> None:
        self._by_key: dict[MemoryKey, str] = {}
        self._by_text: dict[tuple[str, str | None, str], str] = {}
        for record in records:
            if record.scope == "project":
                self.add(record)

    def add(self, record: MemoryRecord) -> None:
        self._by_key[key_of(record)] = record.id
        if record.status in VISIBLE:
            self._by_text.setdefault(_said(record), record.id)

    def holder(self, promoted: MemoryRecord) -> str | None:
        """Id of the memory of the same name, or that says the same."""
        return self._by_key.get(key_of(promoted)) or self._by_text.get(_said(promoted))


def _promote(ledger: Ledger, project: _Project, record: MemoryRecord, times: int) -> MemoryRecord | None:
    earlier = (version.memory for version in ledger.history(record.id))
    if any(memory is not None and memory.promoted_from == "personal" for memory in earlier):
        ledger.leave(Left("promotion", record.id, record.name, "was promoted before and taken back"))
        return None
    after = msgspec.structs.replace(
        record, scope="project", promoted_from="personal", version=record.version + 1, restored_from=None
    )
    holder = project.holder(after)
    if holder is None:
        ledger.plan(
            Planned(
                step="promotion",
                id=record.id,
                name=record.name,
                reason=f"shown in {times} sessions: personal → project",
                writes=(Write(record, after, "promoted"),),
            )
        )
        return after
    kept = ledger.records[holder]
    if kept.status in VISIBLE:
        absorb(ledger, kept, record, f"shown in {times} sessions; merged into the project's", "promotion")
    else:
        why = (
            f"the project has {'an archived' if kept.status == 'archived' else 'a resolved'} one of this name"
        )
        ledger.leave(Left("promotion", record.id, record.name, why))
    return None


def _said(record: MemoryRecord) -> tuple[str, str | None, str]:
    return record.type, record.agent, merging.normalised(record.content)
