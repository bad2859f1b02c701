"""A survey asks the store in parts: a workspace has tens of thousands of contents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from sidecar.checkout.tree import Tree
from sidecar.files.survey import LOOKED_UP_AT_ONCE
from sidecar.files.workers.worker import Batch, parse
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.store.file_store import FileStore

pytestmark = pytest.mark.slow

FILES = 3 * LOOKED_UP_AT_ONCE + 5


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "top"
    for number in range(FILES):
        (top / f"p{number % 7}").mkdir(parents=True, exist_ok=True)
        (top / f"p{number % 7}" / f"m{number}.py").write_text(f"VALUE = {number}\n")
    return top


def test_contents_are_looked_up_in_parts(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, tree = FileStore.open(tmp_path / "store"), Tree(folder)
    memory = WorkspaceFiles(store, tree, "here")
    paths = memory.survey.find(lambda: None)
    assert len(paths) == FILES
    parsed = parse(Batch(str(folder), 1_000_000, [], paths))
    memory.store_parsed(parsed)

    asked: list[int] = []
    existing_contents = store.existing_contents

    def counted(wanted: Iterable[tuple[str, str, int]]) -> Any:
        wanted = list(wanted)
        asked.append(len(wanted))
        return existing_contents(wanted)

    monkeypatch.setattr(store, "existing_contents", counted)
    checks: list[None] = []
    fresh = WorkspaceFiles(store, tree, "here")
    assert fresh.survey.find(lambda: checks.append(None)) == []
    assert sum(asked) == FILES
    assert max(asked) <= LOOKED_UP_AT_ONCE
    assert len(checks) >= FILES // LOOKED_UP_AT_ONCE

    asked.clear()
    for path in paths[:-1]:
        (folder / path).write_text("VALUE = 'new'\n")
    (folder / paths[-1]).unlink()
    assert fresh.update(paths) == paths[:-1]
    assert asked == [1]  # they are all the same now
    store.close()


def test_a_store_that_cannot_be_read_keeps_nothing_of_what_changed(folder: Path, tmp_path: Path) -> None:
    store, tree = FileStore.open(tmp_path / "store"), Tree(folder)
    memory = WorkspaceFiles(store, tree, "here")
    memory.briefing("p0/m0.py")
    (folder / "p0/m0.py").write_text("VALUE = 'new'\n")
    store.close()
    assert memory.update(["p0/m0.py"]) == ["p0/m0.py"]
