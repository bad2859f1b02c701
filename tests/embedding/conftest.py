"""A store of memories, and a way to put some into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[MemoryStore]:
    store = MemoryStore.open(tmp_path / "memory")
    yield store
    store.close()


@pytest.fixture
def remember(memories: MemoryStore) -> Callable[..., None]:
    def put(*ids: str) -> None:
        for id in ids:
            with memories.transaction() as transaction:
                transaction.put(
                    MemoryRecord(
                        id=id,
                        scope="project",
                        type="project",
                        name=id,
                        content=f"content of {id}",
                        source="agent",
                        created_at=1,
                        updated_at=1,
                    ),
                    "created",
                    1,
                )

    return put
