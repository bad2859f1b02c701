"""Memories that say nearly the same as a text."""

from __future__ import annotations

from typing import Final

from sidecar.memories.catalogue import Catalogue
from sidecar.memories.drafts import Filters
from sidecar.memories.results import Similar
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord

SIMILAR_FLOOR: Final = 0.6
SIMILAR_MOST: Final = 5
_LOOKED_AT: Final = 20


def similar(
    catalogue: Catalogue,
    home: MemoryStore,
    record: MemoryRecord,
    text: str,
    now: int,
    scopes: tuple[str, ...],
) -> tuple[Similar, ...]:
    """Memories of these scopes that the same readers see and that say nearly what `text` says, nearest first.

    Texts alone are compared: another name, description or month makes no other statement.
    """
    with catalogue.current():
        visible = catalogue.select(Filters(scopes=scopes, agent=record.agent), now)
        near = catalogue.index.holders(text, _LOOKED_AT, lambda id: id in visible.ids and id != record.id)
        records = home.get_many([id for id, _ in near])
        alike = [(catalogue.index.likeness(text, kept.content), kept) for kept in records.values()]
    found = sorted((-score, kept.id, kept.name) for score, kept in alike if score >= SIMILAR_FLOOR)
    return tuple(Similar(id, name, round(-score, 4)) for score, id, name in found[:SIMILAR_MOST])
