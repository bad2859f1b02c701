"""An index of a store's memories is never left with half of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from sidecar.engine.editor.mentions import MentionIndex
from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.following import FollowingIndex
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord


class Names(FollowingIndex):
    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, str] = {}
        self.made_anew = 0
        self.failing = False

    def clear(self) -> None:
        self.names.clear()
        self.made_anew += 1

    def drop(self, id: str) -> None:
        self.names.pop(id, None)

    def add(self, records: Iterable[MemoryRecord]) -> None:
        for record in records:
            if self.failing and len(self.names) == 1:
                raise StoreUnavailable("The disk is gone.")
            self.names[record.id] = record.name


@pytest.fixture
def put(store: MemoryStore, memory: Callable[..., MemoryRecord]) -> Callable[..., None]:
    def change(id: str, name: str, path: str = "a.py") -> None:
        with store.transaction() as transaction:
            transaction.put(memory(id, name=name, files=(path,)), "updated", 1)

    return change


def test_only_what_changed_is_read_and_a_failure_begins_anew(store: MemoryStore, put: Callable[..., None]) -> None:
    index = Names()
    put("1", "one")
    put("2", "two")
    index.failing = True
    with pytest.raises(StoreUnavailable):
        index.follow(store)
    put("3", "three")
    index.failing = False
    assert index.follow(store) == store.seq()
    assert index.names == {"1": "one", "2": "two", "3": "three"}
    anew = index.made_anew
    put("2", "second")
    index.follow(store)
    assert index.names["2"] == "second"
    assert index.made_anew == anew


def test_file_index_follows_the_store(store: MemoryStore, put: Callable[..., None]) -> None:
    index = MentionIndex()
    put("1", "one")
    assert index.memories_of_path(store, "a.py") == ["1"]
    put("1", "one", path="b.py")
    assert (index.memories_of_path(store, "a.py"), index.memories_of_path(store, "b.py")) == ([], ["1"])
