"""One workspace whose store cannot be opened: the others work, and only requests for it fail."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol import memories as wire
from protocol.files import SummaryParams
from sidecar.engine.engine import Engine
from sidecar.runtime.errors import StoreUnavailable
from sidecar.settings import Settings
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine


@pytest.fixture
def two(
    make_engine: MakeEngine, make_repository: Callable[[str], Path], plain: Settings
) -> tuple[Engine, Path, Path, str]:
    """Return an engine, a folder with a broken store, one with a working store, and the id of a memory there."""
    broken, sound = make_repository("broken"), make_repository("sound")
    first = make_engine(broken)
    home = first.lifecycle.add_workspace(broken).open().memory_store.directory
    first.close()
    shutil.rmtree(home)
    home.write_text("no folder")
    engine = make_engine(broken, sound, settings=plain)
    made = engine.call(
        "memory/record", wire.RecordParams(content="The API listens on 8080.", workspace_uri=sound.as_uri())
    )
    assert isinstance(made, wire.RecordResult)
    return engine, broken, sound, made.memory.id


def test_editors_find_memories_of_the_others(two: tuple[Engine, Path, Path, str]) -> None:
    engine, broken, sound, id = two
    assert engine.editor.workspace_uri_of(id) == sound.resolve().as_uri()
    view = engine.editor.memory(id)
    assert view is not None
    assert view.id == id
    assert engine.editor.place(id, write=True) is not None
    assert [one.id for one, _ in engine.editor.search("API", 5)] == [id]
    assert engine.editor.workspace_uri_of("no such id") is None
    opened = engine.lifecycle.add_workspace(sound).open()
    followed = [opened.memory_store.memories_folder, opened.user_store.memories_folder]
    assert engine.foreign_changes.store_folders() == followed
    engine.foreign_changes.report()
    with pytest.raises(StoreUnavailable, match=broken.parent.name):
        EngineCalls(engine).memory_list(wire.ListParams(workspace_uri=broken.as_uri()))


def test_the_others_hear_of_changed_files_and_are_read(two: tuple[Engine, Path, Path, str]) -> None:
    engine, broken, sound, _ = two
    asked = SummaryParams(path="app/client.py", workspace_uri=sound.as_uri())
    EngineCalls(engine).file_summary(asked)
    (sound / "app" / "client.py").unlink()
    changed = [(each / "app" / "client.py").as_uri() for each in (broken, sound)]
    told: list[str] = []
    engine.lifecycle.add_workspace(sound).open().files.paths_changed.subscribe(told.extend)
    with pytest.raises(StoreUnavailable):
        engine.files_changed(changed)
    assert told == ["app/client.py"]
    with pytest.raises(StoreUnavailable):
        engine.warm_up()
    assert engine.lifecycle.add_workspace(sound).operations.get("warm-up").state == "done"
