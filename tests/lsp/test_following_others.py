"""Which changes of a store were another process's, however late we hear of our own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from protocol.memories import DidChangeMemories, MemoryChange
from sidecar.lsp.features.store_changes import StoreFollower
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord

URI = "file:///work"


class Editor:
    """The part of `EditorQueries` that is asked, over two real stores."""

    def __init__(self, store: MemoryStore, user: MemoryStore) -> None:
        self.store, self.user = store, user

    def take_in(self) -> None:
        """Nobody writes by hand here."""

    def states(self) -> dict[str, tuple[MemoryStore, int]]:
        return {URI: (self.store, self.store.seq())}

    def user_state(self) -> tuple[MemoryStore, int]:
        return self.user, self.user.seq()


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[MemoryStore, MemoryStore]]:
    opened = MemoryStore.open(tmp_path / "one"), MemoryStore.open(tmp_path / "user")
    yield opened
    for store in opened:
        store.close()


def test_a_change_of_ours_that_is_heard_of_late_hides_no_change_of_another(
    stores: tuple[MemoryStore, MemoryStore],
) -> None:
    store, told = stores[0], []

    def put(version: int) -> None:
        record = MemoryRecord(
            id="m", scope="project", type="project", name="n", content=f"Version {version}.", source="agent",
            created_at=1, updated_at=version, version=version,
        )  # fmt: skip
        with store.transaction() as change:
            change.put(record, "create" if version == 1 else "update", version)

    server: Any = SimpleNamespace(
        session=SimpleNamespace(engine=lambda: SimpleNamespace(editor=Editor(*stores))),
        notify_client=lambda method, params: told.append(params.changes),
    )
    follower = StoreFollower(server)
    follower._loop = SimpleNamespace(call_soon_threadsafe=lambda work: None)  # type: ignore[assignment]
    put(1)
    follower._look()
    put(2)  # ours: the store has it, and the look comes before the notification
    follower._look()
    ours = MemoryChange(id="m", scope="project", change="updated")
    follower.noticed("memory/didChange", DidChangeMemories(workspace_uri=URI, changes=[ours]))
    told.clear()
    with store.transaction() as change:  # another's
        change.delete("m", 3, purge=True)
    follower._look()
    assert told == [[]]
