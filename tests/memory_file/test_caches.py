"""The memories that a pass is given lay out the same file as all of them would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sidecar.memory_file import shown_entries
from sidecar.memory_file.caches import ShowableIndex
from sidecar.memory_file.text import document as documents
from sidecar.memory_file.text.layout import FileLimits, lay_out
from sidecar.memory_file.text.plan import plan_changes
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord

NOW = 1_000_000


def put(store: MemoryStore, number: int, **fields: Any) -> None:
    plain = {
        "scope": "project",
        "type": ("project", "feedback", "reference")[number % 3],
        "name": f"name {number}",
        "content": f"Fact {number}\nwith a second line",
        "source": "agent",
        "created_at": number,
        "updated_at": number,
    }
    with store.transaction() as change:
        change.put(MemoryRecord(id=f"id{number:03d}", **{**plain, **fields}), "created", number)


@pytest.mark.parametrize("lines", [8, 30, 400])
def test_the_index_lays_out_the_same_file_as_all_memories(tmp_path: Path, lines: int) -> None:
    limits = FileLimits(file_lines=lines)
    shelf = ShowableIndex(limits)
    store = MemoryStore.open(tmp_path / "memory")
    document: documents.MemoryDocument | None = None
    placed: dict[int, str | None] = {}
    for number in range(40):
        put(store, number, pinned=number % 7 == 0, expires_at=NOW - 1 if number == 39 else None)
    changes: tuple[dict[str, Any], ...] = ({}, {"number": 3, "updated_at": 99}, {"number": 5, "status": "archived"})
    for change in changes:
        if change:
            put(store, **change)
        now = NOW
        every = {record.id: shelf.shown_memory(record) for record in shown_entries.showable_records(store, now)}
        entries = (block.entry for block in (document.blocks if document else ()))
        units = {at: entry for at, entry in enumerate(entries) if entry is not None}
        shelf.follow(store)
        some = shelf.memories(store, units.values(), (), now)
        assert shelf.count(now) == len(every)
        assert some.items() <= every.items()
        assert plan_changes(units, some, {}).placed == plan_changes(units, every, {}).placed
        placed = dict(plan_changes(units, some, {}).placed)
        laid, base = lay_out(document, placed, some, limits, shelf.count(now))
        assert laid.text() == lay_out(document, placed, every, limits)[0].text()
        assert base == lay_out(document, placed, every, limits)[1]
        assert laid.line_count() <= lines
        document = documents.read_document(laid.text())
    store.close()
