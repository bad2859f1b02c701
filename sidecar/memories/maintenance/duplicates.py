"""Merge memories of the same scope, type and agent that have exactly the same words."""

from __future__ import annotations

import re

from msgspec.structs import replace

from sidecar.memories.maintenance.changes import Ledger, MaintenanceStep, Write, archive_write, by_age
from sidecar.memories.recording import checks, merging
from sidecar.memories.recording.record_writes import unite_references
from sidecar.memories.wording import renaming
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import REPOSITORY_SOURCE

_NO_LETTERS = re.compile(r"[\W\d_]+")


def plan_duplicates(ledger: Ledger) -> None:
    """Plan to merge the younger of two duplicates into the elder, and to archive the younger."""
    # Compare letters first, which is quicker: texts with the same words have the same letters.
    alike: dict[tuple[str, str, str | None, bool, str], list[MemoryRecord]] = {}
    for record in ledger.visible():
        letters = _NO_LETTERS.sub("", record.content.casefold())
        key = (record.scope, record.type, record.agent, record.source == REPOSITORY_SOURCE, letters)
        alike.setdefault(key, []).append(record)
    for group in alike.values():
        same: dict[str, list[MemoryRecord]] = {}
        for record in sorted(group, key=by_age) if len(group) > 1 else ():
            same.setdefault(merging.normalised(record.content), []).append(record)
        for elder, *younger in same.values():
            for other in younger:
                absorb(ledger, ledger.records[elder.id], other, "says exactly the same as")


def absorb(
    ledger: Ledger, elder: MemoryRecord, younger: MemoryRecord, why: str, step: MaintenanceStep = "duplicates"
) -> None:
    """Plan to merge `younger` into `elder`, unless somebody undid that before or the result would be too large."""
    earlier = (version.memory for version in ledger.history(younger.id))
    if any(memory is not None and memory.merged_into == elder.id for memory in earlier):
        ledger.leave_undone(step, younger, f"was merged into “{elder.name}” before and restored")
        return
    merged = unite(elder, younger)
    if (
        len(merged.content) > checks.CONTENT_CHARS
        or len(merged.tags) > checks.MAX_TAGS
        or len(merged.files) > checks.MAX_FILES
    ):
        ledger.leave_undone(step, younger, f"is too much to be merged into “{elder.name}”")
        return
    writes = [archive_write(younger, "merged", ledger.now, elder.id)]
    if merged != elder:
        after = replace(merged, version=elder.version + 1)
        writes.insert(0, Write(elder, after, "merged"))
    ledger.plan(step, younger, f"{why} “{elder.name}”", *writes, into=elder.id)


def unite(elder: MemoryRecord, younger: MemoryRecord) -> MemoryRecord:
    """Return the elder memory with all that the younger has, the later times, and what keeps it visible longer."""
    expiries = (elder.expires_at, younger.expires_at)
    expires_at = None if None in expiries else max(expiry for expiry in expiries if expiry is not None)
    directive = "directive" in (elder.category, younger.category)
    return replace(
        renaming.with_merged_text(elder, merging.merge(elder.content, younger.content)),
        tags=merging.union(elder.tags, younger.tags),
        files=merging.union(elder.files, younger.files),
        entities=merging.union(elder.entities, younger.entities),
        references=unite_references(elder.references, younger.references),
        description=elder.description or younger.description,
        category="directive" if directive else elder.category or younger.category,
        pinned=elder.pinned or younger.pinned,
        source="user" if "user" in (elder.source, younger.source) else elder.source,
        supersedes=elder.supersedes or (younger.supersedes if younger.supersedes != elder.id else None),
        status="active" if "active" in (elder.status, younger.status) else elder.status,
        expires_at=expires_at,
        updated_at=max(elder.updated_at, younger.updated_at),
        verified_at=max((at for at in (elder.verified_at, younger.verified_at) if at), default=None),
    )
