"""The fields of memories, as builders of tests take them by keyword."""

from __future__ import annotations

from typing import TypedDict

from sidecar.store.records import ReferenceRecord


class DraftFields(TypedDict, total=False):
    """What may be said of a memory that is recorded, besides its content."""

    name: str | None
    description: str | None
    type: str
    scope: str | None
    category: str | None
    agent: str | None
    session_id: str | None
    files: tuple[str, ...]
    tags: tuple[str, ...]
    expires_at: int | None
    pinned: bool
    source: str
    references: tuple[ReferenceRecord, ...]
    entities: tuple[str, ...]


class StoredFields(TypedDict, total=False):
    """What may be said of a memory in a store, besides its id."""

    scope: str
    type: str
    name: str
    content: str
    source: str
    created_at: int
    updated_at: int
    version: int
    status: str
    category: str | None
    description: str | None
    agent: str | None
    session_id: str | None
    tags: tuple[str, ...]
    files: tuple[str, ...]
    entities: tuple[str, ...]
    references: tuple[ReferenceRecord, ...]
    relevance: float
    pinned: bool
    verified_at: int | None
    expires_at: int | None
    promoted_from: str | None
    supersedes: str | None
    archived_for: str | None
    merged_into: str | None
    name_given: bool | None
    author: str | None
    useful: int
    not_useful: int
