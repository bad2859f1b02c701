"""A store of memories on disk, where sessions, claims and reminders are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.store.memory_store import MemoryStore


@pytest.fixture
def home(tmp_path: Path) -> Iterator[MemoryStore]:
    store = MemoryStore.open(tmp_path / "memory")
    yield store
    store.close()
