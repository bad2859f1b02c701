"""The columns by which a memory is selected and weighed, and the check of filters against them."""

from __future__ import annotations

from typing import NamedTuple

from sidecar.memories.drafts import ANY_AGENT, Filters
from sidecar.memories.index.judging import suspicion
from sidecar.memories.index.ranking import decay, rating, timeless_weight
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from sidecar.store.vocabulary import REPOSITORY_SOURCE


class Row(NamedTuple):
    """The columns of one memory."""

    id: str
    store: MemoryStore
    scope: str
    type: str
    category: str | None
    agent: str | None
    status: str
    created_at: int
    updated_at: int
    version: int
    expires_at: int | None
    pinned: bool
    weight: float  # the part of the standing weight that depends on neither clock nor use
    files: tuple[str, ...]
    supersedes: str | None
    chars: int  # length of the text
    session: str | None
    stale: tuple[str, ...] = ()  # why it is suspect
    foreign: bool = False  # only a repository's file says it

    def unused_weight(self, now: int) -> float:
        """Return the standing weight that the memory would have if it had never been shown."""
        return self.weight * decay(self.updated_at, now)


def row_of(stored_record: MemoryRecord, record: MemoryRecord, store: MemoryStore) -> Row:
    """Return the row of a memory; `record` is `stored_record` as this checkout sees it."""
    votes = rating(record.useful, record.not_useful)
    referenced = (path for reference in record.references for path in (reference.path, reference.former))
    referenced_paths = (path for path in referenced if path is not None)
    return Row(
        id=record.id,
        store=store,
        scope=record.scope,
        type=record.type,
        category=record.category,
        agent=record.agent,
        status=record.status,
        created_at=record.created_at,
        updated_at=record.updated_at,
        version=record.version,
        expires_at=record.expires_at,
        pinned=record.pinned,
        weight=timeless_weight(record.relevance, record.category, record.status, votes),
        files=tuple(dict.fromkeys((*stored_record.files, *record.files, *referenced_paths))),
        supersedes=record.supersedes,
        chars=len(record.content),
        session=record.session_id,
        stale=(suspicion(record.references),) if record.status == "suspect" else (),
        foreign=record.source == REPOSITORY_SOURCE,
    )


def passes(row: Row, filters: Filters, now: int) -> bool:
    """Return whether a memory is visible and passes the filters."""
    if filters.status is not None:
        if row.status not in filters.status:
            return False
    elif row.status in ("archived", "resolved") and row.status not in filters.include:
        return False
    if row.expires_at is not None and row.expires_at <= now and "expired" not in filters.include:
        return False
    if row.agent is not None and filters.agent not in (row.agent, ANY_AGENT):
        return False
    if filters.scopes is not None and row.scope not in filters.scopes:
        return False
    if filters.types is not None and row.type not in filters.types:
        return False
    if filters.categories is not None and row.category not in filters.categories:
        return False
    if filters.since is not None and row.updated_at < filters.since:
        return False
    return filters.files is None or any(_below(path, filters.files) for path in row.files)


def _below(path: str, paths: tuple[str, ...]) -> bool:
    return any(folder in (path, ".", "") or path.startswith(folder.rstrip("/") + "/") for folder in paths)
