"""What somebody put away on purpose, so that nothing that says the same is learned again."""

from __future__ import annotations

from sidecar.memories import forgetting
from sidecar.memories.catalogue import Catalogue
from sidecar.memories.drafts import ANY_AGENT, Filters
from sidecar.memories.searching import fetch
from sidecar.store.records import MemoryRecord

_LOOKED_AT = 5


def put_away_before(catalogue: Catalogue, record: MemoryRecord, now: int) -> bool:
    """Whether a memory of another name that was archived on purpose says the same."""
    with catalogue.current():
        hidden = catalogue.select(Filters(agent=ANY_AGENT, status=("archived",)), now)
        near = catalogue.index.holders(record.content, _LOOKED_AT, hidden.ids.__contains__)
        records = fetch(catalogue, [id for id, _ in near])
    return any(
        forgetting.put_away(kept) and forgetting.near_equal(kept.content, record.content)
        for kept in records.values()
        if kept.scope == record.scope and kept.agent == record.agent
    )
