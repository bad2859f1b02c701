"""One folder is one workspace, however many ask for it at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from protocol.status import StatusParams, StatusResult
from sidecar.engine.options import WorkspaceOptions
from sidecar.engine.services import Services
from sidecar.engine.workspace import Workspace
from tests.engine.conftest import MakeEngine


def test_a_folder_that_two_threads_open_at_once_is_one_workspace(
    make_engine: MakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, together = make_engine(short_lived=True), threading.Barrier(2)

    class SlowlyMade(Workspace):
        def __init__(self, options: WorkspaceOptions, services: Services) -> None:
            super().__init__(options, services)
            together.wait(60)  # both threads have found no workspace open

    monkeypatch.setattr("sidecar.engine.engine.Workspace", SlowlyMade)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(engine.open_workspace, [tmp_path, tmp_path])
    assert first is second
    status = engine.call("sidecar/status", StatusParams())
    assert isinstance(status, StatusResult)
    assert [workspace.uri for workspace in status.workspaces] == [first.uri]
