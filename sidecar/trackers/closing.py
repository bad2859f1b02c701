"""What was found closed or merged blocks no more: the blockers about exactly this thing are resolved, as a version.

Not those that name another thing too, nor one that somebody reopened since it was closed. Each can be undone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from sidecar.memories.book import MemoryBook
from sidecar.runtime.errors import SidecarError
from sidecar.store.records import MemoryRecord, TrackedRecord
from sidecar.trackers.forge import Forge
from sidecar.trackers.named import Named

log = logging.getLogger(__name__)

_BY_HAND: Final = frozenset(("reopened", "undone", "redone", "restored"))
Told = Callable[[str, str, str], None]


def resolve(book: MemoryBook, forge: Forge, named: Named, record: TrackedRecord, now: int, told: Told) -> list[str]:
    """Resolve the open blockers about a thing that is closed; their ids. `told` gets id, scope and change."""
    closing = book.overview.closing(named.entity(), forge.project, now)
    resolved = []
    for id in closing.only:
        if id not in named.memories:
            continue
        try:
            if not _means(book.get(id).record, named, forge) or _reopened(book, id, record.closed_at):
                continue
            updated = book.resolve(id)
        except SidecarError as error:  # it was changed or deleted meanwhile
            log.info("A blocker of %s was not resolved: %s", record.key, error.message)
            continue
        if updated.changed:
            log.info("Resolved blocker %s: %s is %s at %s.", id, record.key, record.state, forge.host)
            told(id, updated.record.scope, "resolved")
            resolved.append(id)
    return resolved


def _means(record: MemoryRecord, named: Named, forge: Forge) -> bool:
    """Whether the memory means this kind of thing: `MR #12` is no issue on GitLab, where issues have numbers apart."""
    if forge.kind != "gitlab" or named.target.kind != "issue":
        return True
    spelt = {thing.text for thing in named.things}
    kinds = {one.kind for one in record.references if one.text in spelt}
    return "mergeRequest" not in kinds


def _reopened(book: MemoryBook, id: str, closed_at: int | None) -> bool:
    """Whether somebody opened the blocker again after the thing was closed."""
    by_hand = (version.at for version in book.history(id) if version.change in _BY_HAND)
    return any(closed_at is None or at >= closed_at for at in by_hand)
