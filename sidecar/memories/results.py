"""The results of this room: frozen structs around stored records, which `engine` maps to the wire's."""

from __future__ import annotations

from typing import Generic, Literal, NamedTuple, TypeVar

import msgspec

from sidecar.store.records import MemoryRecord

T = TypeVar("T")


RecordStatus = Literal["created", "merged", "duplicate"]  # merged: into the memory of its key; duplicate: not written


class Similar(NamedTuple):
    """A memory of another name that says nearly the same."""

    id: str
    name: str
    score: float  # 0 to 1


class Redaction(msgspec.Struct, frozen=True):
    """Secrets that were removed before anything was written."""

    kind: str
    field: str  # `content`, `tags[2]`, ...
    count: int


class RecordedMemory(msgspec.Struct, frozen=True):
    """The result of recording a memory."""

    status: RecordStatus
    record: MemoryRecord
    similar: tuple[Similar, ...] = ()
    redactions: tuple[Redaction, ...] = ()
    accesses: int = 0
    accessed_at: int | None = None


class UpdatedMemory(msgspec.Struct, frozen=True):
    """A memory after a change."""

    record: MemoryRecord  # its status is `deleted` if the change removed it
    redactions: tuple[Redaction, ...] = ()
    changed: bool = True  # False if no version was written
    accesses: int = 0
    accessed_at: int | None = None
    hint: str | None = None  # says that the name no longer fits the text
    also: tuple[MemoryRecord, ...] = ()  # other memories that changed


class FoundMemory(msgspec.Struct, frozen=True):
    """A memory that was looked up or found."""

    record: MemoryRecord
    accesses: int = 0  # how many sessions were shown it
    score: float = 0.0  # in a search
    reasons: tuple[str, ...] = ()  # in a search
    accessed_at: int | None = None  # when it was last shown


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page of a list."""

    items: tuple[T, ...]
    cursor: str | None = None  # requests the next page; None on the last


class Explanation(msgspec.Struct, frozen=True):
    """How likely a memory bears on a prompt, and why; see `protocol.memories.ExplainResult`."""

    probability: float
    label: str
    threshold: float
    best: float
    opens: float
    gains: dict[str, float]
    words: tuple[str, ...]
    cosine: float | None
    rank: int | None
    change: tuple[str, ...]


class InjectedItem(msgspec.Struct, frozen=True):
    """One item of the block: a memory or a file's briefing."""

    kind: Literal["memory", "file"]
    section: str
    score: float
    tokens: int  # size of its own lines
    reasons: tuple[str, ...]
    id: str | None = None  # of the memory
    path: str | None = None  # of the file


OmittedReason = Literal[
    "budget", "alreadyShown", "belowFloor", "repeats", "superseded", "contradicted", "fileUnavailable"
]


class OmittedItem(msgspec.Struct, frozen=True):
    """An item that was considered but is not in the block, and why."""

    id: str  # of a memory; or a file's path
    reason: OmittedReason


class Injection(msgspec.Struct, frozen=True):
    """A block."""

    text: str  # empty if nothing is worth showing
    tokens: int  # size of the whole block
    etag: str
    items: tuple[InjectedItem, ...] = ()
    omitted: tuple[OmittedItem, ...] = ()
