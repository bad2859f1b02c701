"""What happens to an engine that runs for months: its folder is replaced or removed, its stores are deleted."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol import memories as wire
from protocol.maintenance import MaintainParams
from sidecar.engine.engine import Engine
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.memory_file import disk
from sidecar.settings import Settings
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine, at_rest


def record(engine: Engine, content: str) -> None:
    EngineCalls(engine).memory_record(wire.RecordParams(content=content))


def contents(engine: Engine) -> list[str]:
    result = EngineCalls(engine).memory_list(wire.ListParams())
    return sorted(memory.content for memory in result.items)


def test_another_repository_in_its_place_has_memories_of_its_own(
    make_engine: MakeEngine, make_repository: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = make_repository("work")
    engine = make_engine(folder)
    record(engine, "The first project is built with make.")
    at_rest(engine)
    folder.rename(tmp_path / "away")
    make_repository("work")

    assert contents(engine) == []
    record(engine, "The second project is built with ninja.")
    assert contents(engine) == ["The second project is built with ninja."]
    EngineCalls(engine).memory_maintain(MaintainParams())
    engine.close()

    page = (folder / ".agents" / "MEMORY.md").read_text()
    assert "ninja" in page
    assert "make" not in page
    assert contents(make_engine(folder)) == ["The second project is built with ninja."]
    assert contents(make_engine(tmp_path / "away")) == ["The first project is built with make."]


def test_pending_memory_file_is_not_written_into_another_repository(
    make_engine: MakeEngine, make_repository: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = make_repository("work")
    engine = make_engine(folder)
    record(engine, "The first project is built with make.")
    at_rest(engine)
    workspace = engine.workspaces.all()[0]
    folder.rename(tmp_path / "away")
    make_repository("work")
    workspace.open().book.changed.announce([])
    engine.close()
    assert not (folder / ".agents").exists()


def test_a_folder_that_goes_while_the_memory_file_is_written_stays_removed(
    make_repository: Callable[[str], Path],
) -> None:
    folder = make_repository("work")
    place = disk.resolve_inside(folder, "notes/deep/MEMORY.md")
    assert disk.write(folder, place, "One.", None)
    shutil.rmtree(folder)
    with pytest.raises(disk.UnusableFile):
        disk.write(folder, place, "Two.", None)
    assert not folder.exists()


def test_a_removed_folder_stays_removed(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    record(engine, "The project is built with make.")
    at_rest(engine)
    shutil.rmtree(repository)
    record(engine, "It is released on Fridays.")
    EngineCalls(engine).memory_maintain(MaintainParams())
    assert len(contents(engine)) == 2
    engine.close()
    assert not repository.exists()


@pytest.mark.parametrize("part", ["", "user", "workspaces"])
def test_stores_that_were_deleted_are_made_anew(
    make_engine: MakeEngine, repository: Path, plain: Settings, part: str
) -> None:
    engine = make_engine(repository)
    EngineCalls(engine).memory_record(wire.RecordParams(content="Commit messages are short.", scope="global"))
    record(engine, "The project is built with make.")
    at_rest(engine)
    assert plain.store.folder is not None
    shutil.rmtree(plain.store.folder / part)
    record(engine, "It is released on Fridays.")
    EngineCalls(engine).memory_record(wire.RecordParams(content="Lines are short.", scope="global"))
    at_rest(engine)  # the memory file is read back in the background
    now = {"It is released on Fridays.", "Lines are short.", "The project is built with make."}
    assert set(contents(engine)) == now | ({"Commit messages are short."} if part == "workspaces" else set())
    assert contents(make_engine(repository)) == contents(engine)


def test_memory_file_restores_what_deleted_stores_held(
    make_engine: MakeEngine, repository: Path, plain: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(repository)
    record(engine, "The project is built with make.")
    at_rest(engine)
    may_open, start = threading.Event(), WorkspaceHandle.start
    monkeypatch.setattr(WorkspaceHandle, "start", lambda self: may_open.wait(100) and start(self))
    assert plain.store.folder is not None
    shutil.rmtree(plain.store.folder / "workspaces")
    assert contents(engine) == []
    may_open.set()
    at_rest(engine)
    assert contents(engine) == ["The project is built with make."]
