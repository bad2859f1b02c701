"""Which changes of a store were another process's, however late we hear of our own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from protocol.notifications import DidChangeMemories, MemoryChange
from sidecar.engine.client_notifier import ClientNotifier
from sidecar.engine.editor.other_processes import OtherProcesses
from sidecar.engine.editor.stores import EditorStores
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import MemoryRecord
from tests.client.calling import MethodCaller
from tests.engine.conftest import MakeEngine

URI = "file:///work"


class Stores(EditorStores):
    """Two real stores, without workspaces."""

    def __init__(self, store: MemoryStore, user: MemoryStore) -> None:
        self.store, self.user = store, user
        self.embedded: list[str] = []

    def states(self) -> dict[str, tuple[MemoryStore, int]]:
        return {URI: (self.store, self.store.seq())}

    def user_state(self) -> tuple[MemoryStore, int]:
        return self.user, self.user.seq()

    def embed_changes(self, uri: str) -> None:
        self.embedded.append(uri)


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[MemoryStore, MemoryStore]]:
    opened = MemoryStore.open(tmp_path / "one"), MemoryStore.open(tmp_path / "user")
    yield opened
    for store in opened:
        store.close()


def test_a_change_of_ours_that_is_heard_of_late_hides_no_change_of_another(
    stores: tuple[MemoryStore, MemoryStore],
) -> None:
    store, told = stores[0], list[list[MemoryChange]]()

    def put(version: int) -> None:
        record = MemoryRecord(
            id="m", scope="project", type="project", name="n", content=f"Version {version}.", source="agent",
            created_at=1, updated_at=version, version=version,
        )  # fmt: skip
        with store.transaction() as change:
            change.put(record, "created" if version == 1 else "updated", version)

    notices = ClientNotifier()
    notices.notifications.subscribe(lambda _, notice: told.append(msgspec.convert(notice, DidChangeMemories).changes))
    others = OtherProcesses(Stores(*stores), notices)
    put(1)
    others.report_changes()
    put(2)  # ours: the store has it, and the look comes before the notification
    others.report_changes()
    notices.changed_here.announce(DidChangeMemories("", [MemoryChange("m", "project", "updated")]))
    told.clear()
    with store.transaction() as change:  # another's
        change.delete("m", 3, purge=True)
    others.report_changes()
    assert told == [[]]


def test_a_change_of_our_own_is_told_once_and_one_of_another_process_goes_the_same_way(
    make_engine: MakeEngine, repository: Path
) -> None:
    engine, another, told = make_engine(repository), make_engine(repository), list[object]()
    others = engine.other_processes
    others.record_state()
    engine.subscribe(lambda _, notice: told.append(notice))
    mine = MethodCaller(engine)("memory/record", content="The build takes 40 seconds.").memory.id
    others.report_changes()
    assert [change.id for notice in told for change in notice.changes] == [mine]  # type: ignore[attr-defined]
    told.clear()
    theirs = MethodCaller(another)("memory/record", content="Deploy on Fridays only.").memory.id
    others.report_changes()
    others.report_changes()
    assert [change.id for notice in told for change in notice.changes] == [theirs]  # type: ignore[attr-defined]
