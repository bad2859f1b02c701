"""MEMORY.md where git, the disk or another writer interferes."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from protocol import memories as wire
from protocol.status import MemoryFileStatus
from sidecar.checkout import repository as repositories
from sidecar.memory_file import disk
from sidecar.memory_file import memory_file as memory_file_module
from sidecar.runtime.errors import StoreUnavailable
from sidecar.settings import Settings
from sidecar.settings.model import MemoryFileSettings
from tests.client.calling import EngineCalls
from tests.client.git import git
from tests.engine.conftest import MakeEngine, at_rest
from tests.engine.memory_file_steps import contents, edit, place, record, status, stepped


def test_forgotten_memory_does_not_come_back_with_a_commit(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    memory = record(engine, "The API listens on port 8080.")
    stepped(engine, repository)
    git(repository, "add", "-f", ".agents/MEMORY.md")
    git(repository, "commit", "-qm", "one")
    EngineCalls(engine).memory_delete(wire.DeleteParams(id=memory.id))
    stepped(engine, repository)
    git(repository, "commit", "-qam", "forgotten")
    git(repository, "checkout", "-q", "HEAD~1")
    assert contents(engine) == []


def test_a_line_that_was_taken_out_of_the_exclude_list_does_not_come_back(
    make_engine: MakeEngine, repository: Path
) -> None:
    engine = make_engine(repository)
    record(engine, "The API listens on port 8080.")
    stepped(engine, repository)
    excluded = repository / ".git" / "info" / "exclude"
    edit(excluded, "/.agents/MEMORY.md\n", "")
    place(repository).unlink()
    stepped(engine, repository)
    assert place(repository).exists()
    assert "MEMORY.md" not in excluded.read_text()


def test_control_characters_are_not_put_into_the_file_and_are_no_edit(
    make_engine: MakeEngine, repository: Path
) -> None:
    engine = make_engine(repository)
    said = "A \x1b[31mred\x1b[0m word\rand\u2028more\x00 of \u202eit"
    record(engine, said, name="colours")
    record(engine, "The API listens on port 8080.")
    stepped(engine, repository)
    written = place(repository).read_bytes().decode()
    assert not set("\x1b\r\u2028\x00\u202e") & set(written)
    assert "- **colours**: A \ufffd[31mred\ufffd[0m word\n  and\n  more\ufffd of \ufffdit\n" in written
    edit(place(repository), "port 8080", "port 9090")
    stepped(engine, repository)
    assert sorted(contents(engine)) == [said, "The API listens on port 9090."]
    edit(place(repository), "[0m word", "[0m letter")
    stepped(engine, repository)
    assert "A \ufffd[31mred\ufffd[0m letter\nand\nmore\ufffd of \ufffdit" in contents(engine)


def test_the_file_is_kept_out_of_git_before_it_is_made(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    excluded = repository / ".git" / "info" / "exclude"
    seen: list[bool] = []
    write = disk.write

    def watched(*arguments: Any) -> bool:
        seen.append("MEMORY.md" in excluded.read_text())
        return write(*arguments)

    monkeypatch.setattr(disk, "write", watched)
    engine = make_engine(repository)
    stepped(engine, repository)
    assert "MEMORY.md" not in excluded.read_text()
    record(engine, "The API listens on port 8080.")
    stepped(engine, repository)
    assert seen == [True]


def test_a_workspace_that_cannot_be_opened_keeps_no_other_from_being_looked_at(
    make_engine: MakeEngine, make_repository: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, folder = make_repository("broken"), make_repository("sound")
    engine = make_engine(broken, folder)
    record(engine, "Tests need a running database", workspaceUri=folder.as_uri())
    stepped(engine, folder)

    def refuse(**_: object) -> None:
        raise StoreUnavailable("The store cannot be opened.")

    first = engine.workspaces.all()[0]
    assert first.folder == broken.resolve()
    monkeypatch.setattr(first, "open", refuse)
    text = place(folder).read_text()
    place(folder).write_text(text.replace("running database", "running database of version 16"))
    engine.foreign_changes.take_in_edits()
    found = EngineCalls(engine).memory_list(wire.ListParams(workspace_uri=folder.as_uri()))
    assert [one.content for one in found.items] == ["Tests need a running database of version 16"]


class Ticks:
    """The clock of `memory_file.memory_file`."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


def test_failing_write_is_retried_ever_less_often_and_reported_once(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    engine = make_engine(repository)
    record(engine, "Tests need a running database")
    stepped(engine, repository)
    memory_file = engine.workspaces.all()[0].open().memory_file
    at_rest(engine)
    ticks, tried, causes = Ticks(), list[float](), ["The disk is full.", "It is busy."]
    monkeypatch.setattr(memory_file_module, "time", ticks)
    kept = memory_file.run_passes

    def fail(_: object) -> MemoryFileStatus:
        tried.append(ticks.now)
        raise StoreUnavailable(causes[len(tried) % 2])

    monkeypatch.setattr(memory_file, "run_passes", fail)
    edit(place(repository), "running", "quick")
    caplog.clear()
    for _ in range(1_000):
        memory_file.take_in_edits()
        ticks.now += 0.4
    gaps = [round(later - before) for before, later in pairwise(tried)]
    assert gaps[:6] == [1, 2, 4, 8, 16, 32]
    assert set(gaps[6:]) <= {60, 61}
    messages = [one.message for one in caplog.records if one.name.endswith("memory_file")]
    assert sorted(messages) == [
        f"The memory file .agents/MEMORY.md needs attention: {cause}" for cause in sorted(causes)
    ]
    monkeypatch.setattr(memory_file, "run_passes", kept)
    ticks.now += 61
    assert contents(engine) == ["Tests need a quick database"]
    assert memory_file.status.state == "current"


def test_an_edit_made_during_a_merge_is_read_when_the_merge_is_done(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(repository)
    record(engine, "Tests need a running database")
    stepped(engine, repository)
    git(repository, "add", "-f", ".agents/MEMORY.md")
    git(repository, "commit", "-qm", "memory")
    (repository / ".git" / "MERGE_HEAD").write_text(git(repository, "rev-parse", "HEAD"))
    edit(place(repository), "running", "quick")
    assert contents(engine) == ["Tests need a running database"]
    assert "middle of" in (status(engine) or "")
    (repository / ".git" / "MERGE_HEAD").unlink()
    ticks = Ticks()
    ticks.now = time.monotonic() + 120
    monkeypatch.setattr(memory_file_module, "time", ticks)
    assert contents(engine) == ["Tests need a quick database"]


def test_a_file_that_git_tracks_and_nobody_may_read_fails_no_request(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(repository)
    record(engine, "Tests need a running database")
    stepped(engine, repository)

    def refuse(*_: object) -> object:
        raise PermissionError(13, "Permission denied", "/x/.git/config")

    monkeypatch.setattr(repositories, "operation_in_progress", refuse)
    edit(place(repository), "running", "quick")
    assert contents(engine) == ["Tests need a running database"]
    assert status(engine) == "/x/.git/config cannot be used (Permission denied)."


@pytest.mark.parametrize("mode", ["file", "directory"])
def test_temporary_files_are_kept_out_of_git_and_removed(
    make_engine: MakeEngine, repository: Path, plain: Settings, mode: Literal["file", "directory"]
) -> None:
    settings = msgspec.structs.replace(plain, memory_file=MemoryFileSettings(mode=mode))
    engine = make_engine(repository, settings=settings)
    record(engine, "The API listens on port 8080.")
    stepped(engine, repository)
    engine.close()
    page = next(iter(repository.glob(".agents/**/*.md")))
    ended = subprocess.Popen(["true"])
    ended.wait()
    writers = (f"{os.getpid()}-fresh", f"{ended.pid}-left", "unknown", "old")
    alive, left, unknown, old = (page.with_name(f".{page.name}-{name}.tmp") for name in writers)
    for each in (alive, left, unknown, old):
        each.write_text("half")
    os.utime(old, (1, 1))
    assert git(repository, "status", "--porcelain") == ""
    stepped(make_engine(repository, settings=settings), repository)
    assert [each.exists() for each in (alive, left, unknown, old)] == [True, False, True, False]
