"""One folder is one workspace, however many ask for it at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from protocol.status import StatusParams
from sidecar.engine.options import WorkspaceOptions
from sidecar.engine.services import Services
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.files.workers import warm
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine


def test_a_folder_that_two_threads_open_at_once_is_one_workspace(
    make_engine: MakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, together = make_engine(short_lived=True), threading.Barrier(2)

    class SlowlyMade(WorkspaceHandle):
        def __init__(self, options: WorkspaceOptions, services: Services) -> None:
            super().__init__(options, services)
            together.wait(60)  # both threads have found no workspace open

    monkeypatch.setattr("sidecar.engine.engine.WorkspaceHandle", SlowlyMade)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(engine.lifecycle.open_workspace, [tmp_path, tmp_path])
    assert first is second
    status = EngineCalls(engine).sidecar_status(StatusParams())
    assert [workspace.uri for workspace in status.workspaces] == [first.uri]


def test_a_process_that_only_warms_up_spares_the_next_one(
    make_engine: MakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "only this"
    root.mkdir()
    for number in range(40):
        (root / f"part{number}.py").write_text(f"def thing_number_{number}() -> None: ...\n")
    monkeypatch.setattr(warm, "OUTLINED", 0)
    read: list[int] = []
    for _ in range(2):
        engine = make_engine(root, short_lived=True)
        engine.warm_up(lambda done, total, message: read.append(total), "test")
        engine.close()
    assert set(read) == {40, 0}
    assert read[-1] == 0
