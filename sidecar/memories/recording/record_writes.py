"""Write what is recorded, learned or imported: create a memory, merge it into the memory of its key, or do nothing.

`recorder.py` and `importer.py` call it inside a transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from sidecar.memories.drafts import Draft
from sidecar.memories.recording import checks, forgetting, merging
from sidecar.memories.recording.fields import CHECK_BY_FIELD, check_fields
from sidecar.memories.results import RecordStatus, Redaction
from sidecar.memories.wording import renaming
from sidecar.memories.wording.naming import derive_name
from sidecar.runtime.errors import InvalidField
from sidecar.store.keys import key_of
from sidecar.store.memory_store import MemoryTransaction
from sidecar.store.records import MemoryRecord, ReferenceRecord
from sidecar.store.vocabulary import REPOSITORY_SOURCE

_CHECKED_FIELDS: Final = tuple(field for field in CHECK_BY_FIELD if field not in ("pinned", "source"))


def prepare(draft: Draft, now: int, new_id: Callable[[int], str]) -> tuple[MemoryRecord, tuple[Redaction, ...]]:
    """Return the checked and redacted record of a draft, and what was redacted. Raises InvalidField."""
    values, redactions = check_fields({field: getattr(draft, field) for field in _CHECKED_FIELDS}, now)
    name = values.pop("name")
    record = MemoryRecord(
        **values,
        id=new_id(now),
        scope=checks.check_scope(draft.scope, values["type"]),
        name=derive_name(values["content"]) if name is None else name,
        source=draft.source,
        created_at=now,
        updated_at=now,
        entities=draft.entities,
        pinned=draft.pinned,
        name_given=name is not None,
    )
    return record, redactions


def next_version(record: MemoryRecord, now: int, **changes: object) -> MemoryRecord:
    return replace(record, **{"version": record.version + 1, "updated_at": now, **changes})


def archived(record: MemoryRecord, why: str, now: int, into: str | None = None) -> MemoryRecord:
    return next_version(record, now, status="archived", archived_for=why, merged_into=into)


def put_recorded(record: MemoryRecord, transaction: MemoryTransaction, now: int) -> tuple[RecordStatus, MemoryRecord]:
    """Write a prepared record; if its key exists, merge it into that memory and make the memory visible.

    Lift tombstones of the text.
    """
    lift_tombstones(transaction, record)
    return _create_or_merge(record, transaction, now, is_new=True)


def put_learned(
    record: MemoryRecord, transaction: MemoryTransaction, now: int
) -> tuple[RecordStatus, MemoryRecord] | None:
    """Write or merge a learned record; if `forgetting` refuses it, write nothing and return None."""
    memory = memory_of_key(record, transaction)
    if memory is None and record.name == derive_name(record.content):
        memory = transaction.find_former(key_of(record))  # the memory got this name from an earlier text
    if forgetting.is_refused(transaction, record, memory):
        return None
    return _create_or_merge(record, transaction, now)


def lift_tombstones(transaction: MemoryTransaction, record: MemoryRecord) -> None:
    buried = transaction.tombstones()
    if buried:
        for id in forgetting.matching_ids(buried, forgetting.fingerprint_of(record)):
            transaction.lift(id)


def _create_or_merge(
    record: MemoryRecord, transaction: MemoryTransaction, now: int, *, is_new: bool = False
) -> tuple[RecordStatus, MemoryRecord]:
    memory = memory_of_key(record, transaction)
    if memory is None:
        transaction.put(record, "created", now, is_new=is_new)
        return "created", record
    merged = merge(memory, record, now)
    if merged is memory:
        return "duplicate", memory
    transaction.put(merged, "merged", now)
    return "merged", merged


def memory_of_key(record: MemoryRecord, transaction: MemoryTransaction) -> MemoryRecord | None:
    """Return the memory that has the record's key, or once got that key from an earlier text.

    If that memory was merged into another one, return the other.
    """
    memory = transaction.find_former(key_of(record))
    if memory is None:
        return None
    if key_of(memory) != key_of(record) and not (
        record.name == derive_name(record.content) and merging.contains(memory.content, record.content)
    ):
        return None
    current: MemoryRecord | None = memory
    seen = set[str]()
    while current is not None and current.status == "archived" and current.merged_into not in (None, *seen):
        seen.add(current.id)
        current = transaction.get(str(current.merged_into))
    return memory if current is None or current.status == "archived" else current


def merge(old: MemoryRecord, added: MemoryRecord, now: int) -> MemoryRecord:
    """Return `old` with everything that `added` says, or `old` itself if `added` says nothing new.

    Texts are joined; tags, files and references united; other given fields replaced; a pinned memory stays pinned. What
    a repository's file says is never mixed with what anybody else says: it changes nothing of that, and is replaced by
    it. Raises InvalidField if the result would be too large.
    """
    if REPOSITORY_SOURCE in (old.source, added.source) and old.source != added.source:
        if added.source == REPOSITORY_SOURCE:
            return old
        return replace(added, id=old.id, created_at=old.created_at, updated_at=now, version=old.version + 1)
    content = merging.merge(old.content, added.content)
    if len(content) > checks.CONTENT_CHARS:
        raise InvalidField(
            f"“{old.name}” would have {len(content):,} characters; at most {checks.CONTENT_CHARS:,} are kept.",
            path="$.content",
            reason="tooLong",
            hint=f"Record it under another name, or shorten the kept memory with memory/update (id {old.id}).",
        )
    tags = merging.union(old.tags, added.tags)
    files = merging.union(old.files, added.files)
    checks.check_count(tags, checks.MAX_TAGS, "$.tags", "tags")
    checks.check_count(files, checks.MAX_FILES, "$.files", "files")
    expires_at = old.expires_at if added.expires_at is None else added.expires_at
    if expires_at is not None and expires_at <= now:
        expires_at = None
    same_given_name = added.name == old.name and added.name_given
    merged = replace(
        replace(old, content=content) if same_given_name else renaming.with_merged_text(old, content),
        tags=tags,
        files=files,
        entities=merging.union(old.entities, added.entities),
        references=unite_references(old.references, added.references),
        description=added.description or old.description,
        category=added.category or old.category,
        pinned=old.pinned or added.pinned,
        expires_at=expires_at,
        status="active",
        archived_for=None,
        merged_into=None,
    )
    if merged == old:
        return old
    source = added.source if added.source == "user" else old.source
    return next_version(
        merged, now, name_given=True if same_given_name else merged.name_given, source=source, relevance=1.0
    )


def unite_references(
    old: tuple[ReferenceRecord, ...], added: tuple[ReferenceRecord, ...]
) -> tuple[ReferenceRecord, ...]:
    """Return each reference once. Of two references to the same thing, return the added one if it has a hash."""
    by_name = {(reference.kind, reference.text, reference.path): reference for reference in old}
    for reference in added:
        name = (reference.kind, reference.text, reference.path)
        if reference.hash is not None or name not in by_name:
            by_name[name] = reference
    return tuple(by_name.values())
