"""Settings that change and folders that close while calls and background work run."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from protocol import memories as wire
from protocol.files import SummaryParams
from sidecar.checkout.tree import Tree
from sidecar.files.pointers import Invalidated
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.runtime.cancellation import RunningRequests
from sidecar.runtime.errors import StoreUnavailable
from sidecar.settings import Settings
from sidecar.settings.model import StoreSettings
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine


def test_calls_go_on_while_settings_change(
    make_engine: MakeEngine, repository: Path, plain: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    engine = make_engine(repository)
    EngineCalls(engine).memory_record(wire.RecordParams(content="Ports start at 9000"))
    done = threading.Event()
    failures: list[Exception] = []

    def ask() -> None:
        while not done.is_set():
            try:
                EngineCalls(engine).memory_search(wire.SearchParams(query="ports"))
                EngineCalls(engine).file_summary(SummaryParams(path="app/client.py"))
            except Exception as error:
                failures.append(error)
                return

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for size in range(1_000_000, 1_000_012):
        engine.warm_up(cause="test")
        engine.lifecycle.reconfigure(
            msgspec.structs.replace(plain, files=msgspec.structs.replace(plain.files, max_file_bytes=size))
        )
    done.set()
    for thread in threads:
        thread.join(100)
    assert failures == []
    assert [record.getMessage() for record in caplog.records] == []


def test_a_store_that_could_not_be_opened_is_tried_again(
    make_engine: MakeEngine, repository: Path, tmp_path: Path
) -> None:
    blocked = tmp_path / "store"
    blocked.write_text("a file where the folder should be")
    engine = make_engine(short_lived=True)
    engine.lifecycle.add_workspace(repository)
    with pytest.raises(StoreUnavailable):
        EngineCalls(engine).memory_list(wire.ListParams())
    blocked.unlink()
    deadline = time.monotonic() + 90
    while True:
        try:
            found = EngineCalls(engine).memory_list(wire.ListParams())
            break
        except StoreUnavailable:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    assert found.items == []


def test_the_client_is_told_in_the_order_of_the_changes(repository: Path) -> None:
    told: list[Invalidated] = []
    pauses = itertools.cycle([0.06, 0.0])

    def tell(changes: Any) -> None:
        time.sleep(next(pauses))  # as if another thread got the processor
        told.extend(changes)

    memory = WorkspaceFiles(None, Tree(repository), "here")
    memory.invalidated.subscribe(tell)
    path = repository / "app" / "client.py"
    memory.briefing("app/client.py")
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            memory.briefing("app/client.py")

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for index in range(40):
        path.write_text(f"x = {index}\n")
        time.sleep(0.02)
    done.set()
    for thread in threads:
        thread.join(100)
    last = memory.briefing("app/client.py")
    assert len(told) > 5
    assert [change.old_hash for change in told[1:]] == [change.hash for change in told[:-1]]
    assert told[-1].hash == last.hash


def test_the_client_hears_of_a_file_after_the_other_parts_even_if_these_read_it(repository: Path) -> None:
    heard: list[str] = []
    memory = WorkspaceFiles(None, Tree(repository), "here")

    def look_again(_: object) -> None:
        memory.read("app/settings.py")
        memory.update([])  # as the background does, which announces what it finds
        heard.append("parts")

    memory.paths_changed.subscribe(look_again)
    memory.invalidated.subscribe(lambda changes: heard.extend(change.reason for change in changes))
    memory.briefing("app/client.py")
    memory.briefing("app/settings.py")
    (repository / "app" / "settings.py").write_text("S = 2\n")
    memory.update_reported([str(repository / "app" / "settings.py")])
    (repository / "app" / "client.py").rename(repository / "app" / "moved.py")
    memory.update_renamed([("app/client.py", "app/moved.py")])
    assert heard == ["parts", "changed", "parts", "renamed"]


def test_waiting_for_earlier_calls_only() -> None:
    calls = RunningRequests()
    entered, leave = threading.Event(), threading.Event()

    def call() -> None:
        with calls, calls:
            entered.set()
            leave.wait(30)

    thread = threading.Thread(target=call)
    thread.start()
    entered.wait(30)
    with calls:  # it does not wait for its own call
        assert not calls.wait_for_earlier(0.05)
        threading.Timer(0.1, leave.set).start()
        assert calls.wait_for_earlier(30)
    thread.join(30)


def test_a_workspace_keeps_its_data_folder_when_the_settings_name_another(
    make_engine: MakeEngine, repository: Path, plain: Settings, tmp_path: Path
) -> None:
    engine = make_engine(repository)
    (before,) = engine.workspaces.all()
    engine.lifecycle.reconfigure(msgspec.structs.replace(plain, store=StoreSettings(folder=tmp_path / "elsewhere")))
    (after,) = engine.workspaces.all()
    assert (before.data_home, after.data_home) == (plain.store.folder, tmp_path / "elsewhere")
