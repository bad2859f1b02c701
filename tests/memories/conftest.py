"""A book over two real stores on disk, with a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Unpack

import pytest

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Draft
from sidecar.memories.results import Recorded
from sidecar.store.memory_store import MemoryStore
from tests.clock import Clock
from tests.memory_fields import DraftFields

START = 1_767_225_600_000  # 2026-01-01T00:00:00Z


@dataclass
class House:
    """A workspace and a user store, and a book over them. `reopen` makes a second book, as another process would."""

    folder: Path
    clock: Clock
    workspace: MemoryStore
    user: MemoryStore
    book: MemoryBook
    ids: Callable[[int], str]
    opened: list[MemoryStore] = field(default_factory=list)

    def record(self, content: str, **fields: Unpack[DraftFields]) -> Recorded:
        return self.book.record(Draft(content=content, **fields))

    def reopen(self) -> MemoryBook:
        workspace = MemoryStore.open(self.folder / "workspace")
        user = MemoryStore.open(self.folder / "user")
        self.opened += [workspace, user]
        return MemoryBook(workspace, user, self.clock, self.ids)

    def close(self) -> None:
        for store in (self.workspace, self.user, *self.opened):
            store.close()


def build(folder: Path) -> House:
    clock = Clock(START + 12 * 3_600_000)
    numbers = count(1)

    def new_id(now: int) -> str:
        return f"{now:012x}-{next(numbers):06d}"

    workspace = MemoryStore.open(folder / "workspace")
    user = MemoryStore.open(folder / "user")
    return House(folder, clock, workspace, user, MemoryBook(workspace, user, clock, new_id), new_id)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    built = build(tmp_path)
    yield built
    built.close()


@pytest.fixture
def new_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], House]]:
    """Make any number of houses, for property tests, which need a fresh one per example."""
    built: list[House] = []

    def make() -> House:
        built.append(build(tmp_path_factory.mktemp("house")))
        return built[-1]

    yield make
    for house in built:
        house.close()
