"""A write of any process is noticed by the system's notifications of the store's files."""

from __future__ import annotations

import queue
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.engine.editor import store_watch
from sidecar.engine.editor.store_watch import StoreWatch
from sidecar.store.memory_store import MemoryStore

PATIENCE = 30.0
WRITE = """
import sys; from pathlib import Path; from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
store = MemoryStore.open(Path(sys.argv[1]))
with store.transaction() as change:
    change.put(MemoryRecord(id="m", scope="project", type="project", name="n", content="Deploys on Thursday.",
        source="agent", created_at=1, updated_at=1, version=1), "create", 1)
store.close()
"""


@pytest.fixture
def changes() -> queue.SimpleQueue[str]:
    return queue.SimpleQueue()


@pytest.fixture
def watch(changes: queue.SimpleQueue[str]) -> Iterator[StoreWatch]:
    made = StoreWatch(lambda: changes.put("changed"))
    yield made
    made.close()


def write(folder: Path) -> None:
    subprocess.run([sys.executable, "-c", WRITE, str(folder)], check=True)


def calm(changes: queue.SimpleQueue[str]) -> None:
    """Wait until the watch has begun and says nothing more."""
    changes.get(timeout=PATIENCE)
    while True:
        try:
            changes.get(timeout=0.5)
        except queue.Empty:
            return


def test_a_write_of_another_process_is_noticed(
    tmp_path: Path, watch: StoreWatch, changes: queue.SimpleQueue[str]
) -> None:
    store = MemoryStore.open(tmp_path / "store")
    watch.watch([store.memories_folder])
    calm(changes)
    assert watch.notified
    write(tmp_path / "store")
    changes.get(timeout=PATIENCE)
    assert store.get("m") is not None
    store.close()


def test_a_store_that_was_made_anew_is_followed(
    tmp_path: Path, watch: StoreWatch, changes: queue.SimpleQueue[str]
) -> None:
    folder = tmp_path / "store"
    store = MemoryStore.open(folder)
    watch.watch([store.memories_folder])
    store.close()
    shutil.rmtree(folder)
    watch.watch([store.memories_folder])
    assert not watch.notified
    calm(changes)
    again = MemoryStore.open(folder)
    watch.watch([again.memories_folder])
    calm(changes)
    write(folder)
    changes.get(timeout=PATIENCE)
    again.close()


def test_where_the_system_cannot_watch_changes_are_looked_for(
    tmp_path: Path, watch: StoreWatch, changes: queue.SimpleQueue[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = queue.SimpleQueue[str]()

    def refuse(root: str, folders: list[str], *, recursive: bool) -> None:
        asked.put(root)
        raise OSError("OS file watch limit reached.")

    monkeypatch.setattr(store_watch, "FolderEvents", refuse)
    watch.watch([tmp_path])
    asked.get(timeout=PATIENCE)
    while watch.notified:
        pass
    watch.watch([tmp_path])
    assert changes.empty()
    assert asked.empty()
