"""The results of this room: frozen structs around stored records."""

from __future__ import annotations

from typing import Generic, Literal, NamedTuple, TypeVar

import msgspec

from sidecar.store.records import MemoryRecord

T = TypeVar("T")


class Similar(NamedTuple):
    """A memory of another name that says nearly the same, with its `score` in 0..1."""

    id: str
    name: str
    score: float


class Redaction(msgspec.Struct, frozen=True):
    """A secret removed before anything was written: kind, field (`content`, `tags[2]`, ...), how often."""

    kind: str
    field: str
    count: int


class Recorded(msgspec.Struct, frozen=True):
    """A memory that was `created`, `merged` into the memory of its key, or is a `duplicate` and was not written."""

    status: Literal["created", "merged", "duplicate"]
    record: MemoryRecord
    similar: tuple[Similar, ...] = ()
    redactions: tuple[Redaction, ...] = ()
    accesses: int = 0
    accessed_at: int | None = None


class Updated(msgspec.Struct, frozen=True):
    """A memory after a change; its status is `deleted` if the change removed it.

    `changed` is False if no version was written. `hint` says that the name no longer fits the text; `also` are other
    memories that changed.
    """

    record: MemoryRecord
    redactions: tuple[Redaction, ...] = ()
    changed: bool = True
    accesses: int = 0
    accessed_at: int | None = None
    hint: str | None = None
    also: tuple[MemoryRecord, ...] = ()


class Found(msgspec.Struct, frozen=True):
    """A memory, how many sessions were shown it and when the last was, and in a search its score and reasons."""

    record: MemoryRecord
    accesses: int = 0
    score: float = 0.0
    reasons: tuple[str, ...] = ()
    accessed_at: int | None = None


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page; `cursor` requests the next page, and is None for the last."""

    items: tuple[T, ...]
    cursor: str | None = None


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
    """One item of the block: a memory (`id`) or a file's briefing (`path`). `tokens` is the size of its own lines."""

    kind: Literal["memory", "file"]
    section: str
    score: float
    tokens: int
    reasons: tuple[str, ...]
    id: str | None = None
    path: str | None = None


OmittedReason = Literal[
    "budget", "alreadyShown", "belowFloor", "repeats", "superseded", "contradicted", "fileUnavailable"
]


class OmittedItem(msgspec.Struct, frozen=True):
    """A candidate that is not in the block, and why; `id` is a memory's id or a file's path."""

    id: str
    reason: OmittedReason


class Injection(msgspec.Struct, frozen=True):
    """A block; `text` is empty if nothing is worth showing, `tokens` is the size of the whole block."""

    text: str
    tokens: int
    etag: str
    items: tuple[InjectedItem, ...] = ()
    omitted: tuple[OmittedItem, ...] = ()
