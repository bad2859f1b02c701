"""Structs of `memory/link`, `memory/links` and `memory/verify`: how memories belong together, and whether they hold."""

from typing import Annotated, Literal

import msgspec

from protocol.memories import Scope, Status
from protocol.wire import MemoryId, Millis, Result, WorkspaceParams

LinkKind = Literal["related", "extends", "supersedes", "contradicts", "sameEntity", "sequence"]
Strength = Annotated[float, msgspec.Meta(ge=0, le=1)]


class LinkParams(WorkspaceParams, frozen=True):
    """Link two memories or, with `remove`, remove their link.

    `related`, `contradicts` and `sameEntity` have no direction. A memory that supersedes another is shown in its place;
    so is the newer of two that contradict each other.
    """

    from_: MemoryId = msgspec.field(name="from")
    to: MemoryId
    kind: LinkKind = "related"
    strength: Strength = 1.0
    remove: bool = False


class Link(Result, frozen=True):
    """A link between two memories. `source` is who made it, or `similar` or `contradiction` if it was found."""

    from_: str = msgspec.field(name="from")
    to: str
    kind: LinkKind
    strength: float
    created_at: Millis
    source: str


class LinkResult(Result, frozen=True):
    """What became of the link. `missing` means that there was no link to remove."""

    status: Literal["created", "changed", "unchanged", "removed", "missing"]
    link: Link | None = None


class LinksParams(WorkspaceParams, frozen=True):
    """Ask for the links of one memory (`id`) or of several (`ids`).

    Unknown ids are left out. `kinds` limits the answer to links of these kinds.
    """

    id: MemoryId | None = None
    ids: Annotated[list[MemoryId], msgspec.Meta(max_length=1000)] | None = None
    kinds: list[LinkKind] | None = None


class LinkedMemory(Result, frozen=True):
    """A link of a requested memory, and the memory at the link's other end."""

    link: Link
    id: str
    name: str
    scope: Scope
    status: Status


class LinksResult(Result, frozen=True):
    """The links of each memory, oldest first. Links to deleted memories are left out."""

    items: list[LinkedMemory]
