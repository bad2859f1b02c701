"""Which changes of a store were another process's, however late we hear of our own."""

from __future__ import annotations

from pathlib import Path

import msgspec

from protocol.notifications import DidChangeMemories, MemoryChange
from sidecar.store.records import MemoryRecord
from tests.client.calling import MethodCaller
from tests.engine.conftest import MakeEngine


def test_a_change_of_ours_that_is_heard_of_late_hides_no_change_of_another(
    make_engine: MakeEngine, repository: Path
) -> None:
    engine, told = make_engine(repository), list[list[MemoryChange]]()
    (workspace,) = engine.workspaces.opened()
    store, changes = workspace.memory_store, engine.foreign_changes

    def put(version: int) -> None:
        record = MemoryRecord(
            id="m", scope="project", type="project", name="n", content=f"Version {version}.", source="agent",
            created_at=1, updated_at=version, version=version,
        )  # fmt: skip
        with store.transaction() as change:
            change.put(record, "created" if version == 1 else "updated", version)

    changes.found.subscribe(lambda _, notice: told.append(msgspec.convert(notice, DidChangeMemories).changes))
    put(1)
    changes.report()
    put(2)  # ours: the store has it, and the look comes before the notification
    changes.report()
    late = DidChangeMemories("", [MemoryChange("m", "project", "updated")])
    engine.services.notifier.notifications.announce("memory/didChange", late)
    told.clear()
    with store.transaction() as change:  # another's
        change.delete("m", 3, purge=True)
    changes.report()
    assert told == [[]]


def test_a_change_of_our_own_is_told_once_and_one_of_another_process_goes_the_same_way(
    make_engine: MakeEngine, repository: Path
) -> None:
    engine, another, told = make_engine(repository), make_engine(repository), list[object]()
    changes = engine.foreign_changes
    changes.record_state()
    engine.subscribe(lambda _, notice: told.append(notice))
    mine = MethodCaller(engine)("memory/record", content="The build takes 40 seconds.").memory.id
    changes.report()
    assert [change.id for notice in told for change in notice.changes] == [mine]  # type: ignore[attr-defined]
    told.clear()
    theirs = MethodCaller(another)("memory/record", content="Deploy on Fridays only.").memory.id
    changes.report()
    changes.report()
    assert [change.id for notice in told for change in notice.changes] == [theirs]  # type: ignore[attr-defined]
