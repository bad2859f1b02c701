"""Resolve the blockers about exactly the item that was closed or merged, each as a new version that can be undone.

Blockers that name another item too, or that were reopened after the item was closed, stay open.
"""

from __future__ import annotations

import logging
from typing import Final

from sidecar.memories.book import MemoryBook
from sidecar.runtime.errors import SidecarError
from sidecar.store.records import MemoryRecord, TrackedRecord
from sidecar.trackers.forge import Forge
from sidecar.trackers.targets import NamedItem

log = logging.getLogger(__name__)

_BY_HAND: Final = frozenset(("reopened", "undone", "redone", "restored"))


def resolve(book: MemoryBook, forge: Forge, named: NamedItem, record: TrackedRecord, now: int) -> list[str]:
    closing = book.overview.closing(named.entity(), forge.project, now)
    resolved = []
    for id in closing.only:
        if id not in named.memories:
            continue
        try:
            if not _is_about(book.get(id).record, named, forge) or _reopened(book, id, record.closed_at):
                continue
            updated = book.resolve(id)
        except SidecarError as error:  # changed or deleted meanwhile
            log.info("A blocker of %s was not resolved: %s", record.key, error.message)
            continue
        if updated.changed:
            log.info("Resolved blocker %s: %s is %s at %s.", id, record.key, record.state, forge.host)
            resolved.append(id)
    return resolved


def _is_about(record: MemoryRecord, named: NamedItem, forge: Forge) -> bool:
    """Return whether the memory is about this kind of item; on GitLab, `MR #12` is not issue 12."""
    if forge.kind != "gitlab" or named.target.kind != "issue":
        return True
    spelt = {thing.text for thing in named.things}
    kinds = {reference.kind for reference in record.references if reference.text in spelt}
    return "mergeRequest" not in kinds


def _reopened(book: MemoryBook, id: str, closed_at: int | None) -> bool:
    by_hand = (version.at for version in book.history(id) if version.change in _BY_HAND)
    return any(closed_at is None or at >= closed_at for at in by_hand)
