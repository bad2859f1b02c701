"""What the background does for the map after requests have taken in all files."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from msgspec.structs import replace

from sidecar.engine.background_reading import INDEX_OPERATION
from sidecar.files.graph import repo_map
from sidecar.settings import Settings
from tests.engine.conftest import MakeEngine
from tests.engine.test_code import code_of, draw, paths


def test_files_that_requests_took_in_are_ranked_and_saved_all_the_same(
    make_engine: MakeEngine, repository: Path, plain: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(repository, settings=replace(plain, files=replace(plain.files, warm_up=True)))
    workspace, code = engine.workspaces.all()[0], code_of(engine)

    def wait(thread: threading.Thread | None) -> None:
        assert thread is not None
        thread.join(60)

    wait(workspace.warm_up(None, "opened"))
    wait(workspace.operations.start(INDEX_OPERATION, "all are read", lambda operation: code.prepare(operation.check)))
    for name, value in (("MAX_RANKED_AT_ONCE", 1), ("MIN_CHANGED_TO_RANK", 1), ("MAX_PROVISIONAL", 1)):
        monkeypatch.setattr(repo_map, name, value)
    late = ["app/later.py", "app/latest.py"]
    for path in late:
        (repository / path).write_text("def arrived_late() -> None: ...\n")
    code.files.update(late)
    for _ in range(2):
        assert draw(engine).pending == 1
        assert sorted(paths(engine, "arrived late")[:2]) == sorted(late)
    assert not code.source_follower.is_behind()
    assert not code.map_files.is_behind()
    enabled = workspace.open()
    enabled.background_reading.index_later("read")
    wait(workspace.operations.get(INDEX_OPERATION).thread)
    assert draw(engine).pending == 0
