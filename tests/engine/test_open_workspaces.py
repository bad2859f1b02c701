"""One folder is one workspace, however many ask for it at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.memories import RecordParams
from protocol.status import StatusParams
from sidecar.engine.options import WorkspaceOptions
from sidecar.engine.services import Services
from sidecar.engine.workspace_handle import WorkspaceHandle
from sidecar.files.workers import warm
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.memory_file.memory_file import MemoryFile
from sidecar.runtime.errors import MemoryDisabled, StoreUnavailable
from sidecar.settings import Settings
from sidecar.settings.model import WatchSettings
from sidecar.store.file_store import FileStore
from sidecar.store.knowledge_store import KnowledgeStore
from sidecar.store.memory_store import MemoryStore
from sidecar.summaries.question_queue import QuestionQueue
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine, at_rest


def test_a_folder_that_two_threads_open_at_once_is_one_workspace(
    make_engine: MakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, together = make_engine(short_lived=True), threading.Barrier(2)

    class SlowlyMade(WorkspaceHandle):
        def __init__(self, options: WorkspaceOptions, services: Services) -> None:
            super().__init__(options, services)
            together.wait(60)  # both threads have found no workspace open

    monkeypatch.setattr("sidecar.engine.workspace_lifecycle.WorkspaceHandle", SlowlyMade)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(engine.lifecycle.add_workspace, [tmp_path, tmp_path])
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
    monkeypatch.setattr(warm, "OUTLINED_AHEAD", 0)
    read: list[int] = []
    for _ in range(2):
        engine = make_engine(root, short_lived=True)
        engine.warm_up(lambda done, total, message: read.append(total), "test")
        engine.close()
    assert set(read) == {40, 0}
    assert read[-1] == 0


def test_a_store_that_was_opened_is_closed_if_a_later_one_cannot_be(
    make_engine: MakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    def refuse(folder: Path) -> FileStore:
        raise StoreUnavailable(f"{folder} cannot be opened.")

    monkeypatch.setattr(MemoryStore, "close", lambda store: closed.append(store.directory.name))
    monkeypatch.setattr(FileStore, "open", refuse)
    handle = make_engine(short_lived=True).lifecycle.add_workspace(tmp_path)
    with pytest.raises(StoreUnavailable):
        handle.open()
    assert closed == ["memory"]


def test_parts_close_in_the_opposite_order_of_their_making(
    make_engine: MakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    for kind in (FileStore, KnowledgeStore, QuestionQueue, MemoryFile):

        def close(part: object, kind: Any = kind, end: Callable[[Any], None] = kind.close) -> None:
            closed.append(kind.__name__)
            end(part)

        monkeypatch.setattr(kind, "close", close)
    opened = make_engine(short_lived=True).lifecycle.add_workspace(tmp_path).open()
    assert all((opened.memory_file, opened.questions))  # each is made on first access
    opened.close()
    assert closed == ["QuestionQueue", "KnowledgeStore", "MemoryFile", "FileStore"]


def test_a_part_made_after_the_stores_closed_is_left_alone(
    make_engine: MakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = make_engine(short_lived=True).lifecycle.add_workspace(tmp_path)
    opened = handle.open()
    made: list[MemoryFile] = []

    def close_store(store: FileStore, end: Callable[[FileStore], None] = FileStore.close) -> None:
        end(store)
        opened.memory_store.close()
        made.append(opened.memory_file)  # as a thread does that has not yet heard of the end
        opened.memory_file.request_write()

    monkeypatch.setattr(FileStore, "close", close_store)
    handle.close()  # closing the part would synchronise MEMORY.md with a closed store
    assert made


def test_changes_that_a_watcher_found_are_read_before_the_stores_of_its_workspace_close(
    make_engine: MakeEngine,
    repository: Path,
    plain: Settings,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    began = threading.Event()
    ended: list[BaseException | None] = []
    real = WorkspaceFiles.update_reported

    def slowly(files: WorkspaceFiles, reported: Iterable[str]) -> list[str]:
        began.set()
        time.sleep(1.5)  # longer than an idle watcher takes to end
        try:
            unread = real(files, reported)
        except BaseException as error:
            ended.append(error)
            raise
        ended.append(None)
        return unread

    monkeypatch.setattr(WorkspaceFiles, "update_reported", slowly)
    engine = make_engine(repository, settings=replace(plain, watch=WatchSettings(mode="own")))
    handle = engine.lifecycle.add_workspace(repository)
    told_of = RecordParams(content="The client retries three times.", files=["app/client.py"])
    EngineCalls(engine).memory_record(told_of)
    at_rest(engine)
    until = time.monotonic() + 90
    while not began.wait(0.2):
        assert time.monotonic() < until
        (repository / "app" / "client.py").write_text(f"CHANGED_AT = {time.monotonic()}\n")
    engine.lifecycle.close_workspace(handle.uri)
    assert ended == [None]
    assert "is closed" not in caplog.text, "the memory could not be judged again"


@pytest.mark.parametrize("part", ["knowledge", "facets", "saved_tokens", "questions", "memory_file", "enrichment"])
def test_no_part_of_what_memory_needs_is_made_while_memory_is_off(
    part: str, make_engine: MakeEngine, tmp_path: Path, plain: Settings
) -> None:
    folder, store = tmp_path / "off", tmp_path / "store"
    folder.mkdir()
    off = replace(plain, memory=replace(plain.memory, enabled=False))
    opened = make_engine(folder, settings=off).lifecycle.add_workspace(folder).open()
    opened.start()
    opened.take_in_outside_changes()
    with pytest.raises(MemoryDisabled):
        getattr(opened, part)
    assert opened.team is None
    assert not store.exists()
