"""Unasked maintenance: when idle, once a day, not when switched off; with a real engine and stores."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from protocol import maintenance as wire
from protocol import memories
from protocol.status import StatusParams
from sidecar.engine import housekeeping, maintaining
from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, MaintenanceSettings, MemorySettings, StoreSettings, WatchSettings
from tests.client.calling import EngineCalls
from tests.client.json_value import Json
from tests.clock import Clock

MINUTE = 60_000
DAY = 1_440 * MINUTE


@pytest.fixture
def clock() -> Clock:
    return Clock(1_767_225_600_000, step=1)


@pytest.fixture(autouse=True)
def _looks_only_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the thread from checking before the test does, however slow the machine is."""
    monkeypatch.setattr(housekeeping, "HOUSEKEEPING_CHECK_SECONDS", 86_400.0)


@pytest.fixture
def make(tmp_path: Path, clock: Clock) -> Iterator[Callable[..., Engine]]:
    made: list[Engine] = []
    folder = tmp_path / "work"
    folder.mkdir()

    def make_engine(**changes: Json) -> Engine:
        plain = Settings(
            store=StoreSettings(folder=tmp_path / "store"),
            files=FileSettings(warm_up=False),
            watch=WatchSettings(mode="off"),
        )
        engine = Engine(msgspec.structs.replace(plain, **changes), EngineOptions(clock=clock))
        made.append(engine)
        engine.lifecycle.add_workspace(folder)
        EngineCalls(engine).sidecar_status(StatusParams())
        return engine

    yield make_engine
    for engine in made:
        engine.close()


def twins(engine: Engine) -> str:
    EngineCalls(engine).memory_record(memories.RecordParams(content="The same", name="one"))
    result = EngineCalls(engine).memory_record(memories.RecordParams(content="the same", name="two"))
    return str(result.memory.id)


def look(engine: Engine) -> bool:
    """Check what is due and wait for maintenance; return True if any was started."""
    threads = engine.housekeeping.start_due()
    for thread in threads:
        thread.join(100)
    return bool(threads)


def status_of(engine: Engine, id: str) -> str:
    found = EngineCalls(engine).memory_get(memories.IdParams(id=id))
    return str(found.status)


def test_idle_maintenance_waits_for_quiet_and_runs_once_a_day(make: Callable[..., Engine], clock: Clock) -> None:
    engine = make()
    id = twins(engine)
    assert not look(engine)
    clock.now += 9 * MINUTE
    assert not look(engine), "opened nine minutes ago"
    clock.now += 1 * MINUTE
    EngineCalls(engine).memory_list(memories.ListParams())
    assert not look(engine), "a request has just come"
    clock.now += 5 * MINUTE
    assert look(engine)
    workspace = engine.workspaces.all()[0]
    assert workspace.operations.get(housekeeping.MAINTENANCE_OPERATION).state == "done"
    assert workspace.operations.get(housekeeping.MAINTENANCE_OPERATION).cause == "no request for 5 minutes"
    assert status_of(engine, id) == "archived"
    clock.now += 30 * MINUTE
    assert not look(engine), "it was done today"
    clock.now += DAY
    assert look(engine)


def test_journals_of_abandoned_workspaces_are_removed(
    make: Callable[..., Engine], clock: Clock, tmp_path: Path
) -> None:
    journal = tmp_path / "store" / "hooks" / "a" / "s-1.jsonl"
    journal.parent.mkdir(parents=True)
    journal.write_text("")
    os.utime(journal, (clock.now / 1_000, clock.now / 1_000))
    engine = make()
    clock.now += 20 * MINUTE
    assert look(engine)
    assert journal.exists()
    clock.now += 91 * DAY
    assert look(engine)
    assert not journal.exists()


def test_another_sidecar_does_not_repeat_maintenance(make: Callable[..., Engine], clock: Clock) -> None:
    first, second = make(), make()
    clock.now += 20 * MINUTE
    assert look(first)
    assert not look(second)


def test_a_request_for_it_counts_as_the_day_s_run(make: Callable[..., Engine], clock: Clock) -> None:
    engine = make()
    EngineCalls(engine).memory_maintain(wire.MaintainParams())
    clock.now += 20 * MINUTE
    assert not look(engine)


@pytest.mark.parametrize(
    "changes",
    [{"maintenance": MaintenanceSettings(enabled=False)}, {"memory": MemorySettings(enabled=False)}],
    ids=["maintenance", "memory"],
)
def test_maintenance_that_is_off_never_runs(
    make: Callable[..., Engine], clock: Clock, changes: dict[str, object]
) -> None:
    engine = make(**changes)
    clock.now += 20 * MINUTE
    assert not look(engine)


def test_the_thread_looks_by_itself(make: Callable[..., Engine], clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "HOUSEKEEPING_CHECK_SECONDS", 0.05)
    engine = make(maintenance=MaintenanceSettings(idle_minutes=0, after_open_minutes=0))
    workspace = engine.workspaces.all()[0]
    deadline = time.monotonic() + 90
    while workspace.operations.get(housekeeping.MAINTENANCE_OPERATION).state != "done":
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_failure_is_no_end(make: Callable[..., Engine], clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = make()
    clock.now += 20 * MINUTE
    with monkeypatch.context() as patched:
        patched.setattr(maintaining, "maintain", lambda *_: 1 / 0)
        assert look(engine)
    assert engine.workspaces.all()[0].operations.get(housekeeping.MAINTENANCE_OPERATION).state == "failed"
    assert look(engine), "it is tried again"


def test_memory_is_tidied_when_idle(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    tidied: list[int] = []
    engine = Engine(Settings(), EngineOptions(clock=clock))
    monkeypatch.setattr(housekeeping, "import_all", lambda give_way: 0)
    monkeypatch.setattr(engine.services.priority, "collect_garbage", lambda: tidied.append(clock.now))
    keeper = housekeeping.Housekeeping(engine.workspaces, engine.requests, clock, engine.services.priority)
    keeper.use_idle_time()
    assert not tidied
    clock.now += housekeeping.QUIET_BEFORE_COLLECTION_MS
    keeper.use_idle_time()
    assert len(tidied) == 1
    for _ in range(housekeeping.MAX_CHECKS_WITHOUT_COLLECTION):
        engine.requests.came_at = clock.now
        keeper.use_idle_time()
    assert len(tidied) == 2
