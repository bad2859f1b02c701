"""File memory through the engine: always for the bytes on disk, whether or not a change was reported."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from protocol.events import ToolCallParams
from protocol.files import DidInvalidateFiles, HandoffParams, RecordReadParams, SummaryParams, SummaryResult
from sidecar.checkout.tree import Tree
from sidecar.engine.background_reading import REFRESH_OPERATION
from sidecar.engine.engine import Engine
from sidecar.files.workspace_files import WorkspaceFiles
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace, StoreUnavailable
from sidecar.settings import Settings
from tests.client.calling import EngineCalls
from tests.client.git import git
from tests.engine.conftest import MakeEngine, Told


def summary(engine: Engine, path: str, **more: object) -> SummaryResult:
    return EngineCalls(engine).file_summary(replace(SummaryParams(path=path), **more))


def test_a_summary_names_what_is_there(make_engine: MakeEngine, repository: Path) -> None:
    found = summary(make_engine(repository), "app/client.py")
    assert found.fresh
    assert not found.partial
    assert found.language == "python"
    assert {symbol.name for symbol in found.outline} >= {"Client", "main", "RETRIES"}
    for word in ("Talks to the server", "Client", "RETRIES", "app/settings.py"):
        assert word in found.summary
    assert found.lines == 23
    assert found.advice  # reading a file this short is cheaper


def test_an_edit_nobody_told_of_is_seen(make_engine: MakeEngine, repository: Path, told: Told) -> None:
    engine = make_engine(repository)
    before = summary(engine, "app/client.py")
    file = repository / "app" / "client.py"
    stat = file.stat()
    file.write_text(file.read_text().replace("class Client", "class Kiwi__"))
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # same size, same time: only the bytes differ
    after = summary(engine, "app/client.py")
    assert after.hash != before.hash
    assert "Kiwi__" in after.summary
    assert "Client" not in {symbol.name for symbol in after.outline}
    gone = told.wait(DidInvalidateFiles)
    assert (gone.files[0].path, gone.files[0].old_hash, gone.files[0].hash) == (
        "app/client.py",
        before.hash,
        after.hash,
    )


def test_a_change_that_was_told_invalidates_once(make_engine: MakeEngine, repository: Path, told: Told) -> None:
    engine = make_engine(repository)
    summary(engine, "app/client.py")
    file = repository / "app" / "client.py"
    file.write_text("x = 1\n")
    for _ in range(4):
        engine.files_changed([file.as_uri(), str(file)])
    assert [method for method, _ in told.messages] == ["file/didInvalidate"]


def test_a_deleted_file_is_missing_and_told(make_engine: MakeEngine, repository: Path, told: Told) -> None:
    engine = make_engine(repository)
    summary(engine, "app/client.py")
    (repository / "app" / "client.py").unlink()
    with pytest.raises(FileUnavailable) as caught:
        summary(engine, "app/client.py")
    assert caught.value.reason == "missing"
    assert told.wait(DidInvalidateFiles).files[0].reason == "deleted"


def test_a_rename_is_a_hit(make_engine: MakeEngine, repository: Path, told: Told) -> None:
    engine = make_engine(repository)
    before = summary(engine, "app/client.py")
    old, new = repository / "app" / "client.py", repository / "app" / "moved.py"
    old.rename(new)
    engine.files_renamed([(old.as_uri(), new.as_uri())])
    moved = told.wait(DidInvalidateFiles).files
    assert [(f.path, f.reason, f.new_path) for f in moved] == [("app/client.py", "renamed", "app/moved.py")]
    workspace = engine.lifecycle.add_workspace(repository).open()
    misses = workspace.files.counts.misses
    assert summary(engine, "app/moved.py").hash == before.hash
    assert workspace.files.counts.misses == misses


def test_a_moved_file_of_unknown_content_is_read_in_the_background(
    make_engine: MakeEngine, repository: Path, plain: Settings
) -> None:
    engine = make_engine(repository, settings=replace(plain, files=replace(plain.files, warm_up=True)))
    old, new = repository / "app" / "client.py", repository / "app" / "moved.py"
    old.rename(new)
    engine.files_renamed([(old.as_uri(), new.as_uri())])
    workspace = engine.workspaces.all()[0]
    assert workspace.operations.get(REFRESH_OPERATION).state in ("running", "done")
    workspace.close()
    engine.files_renamed([(new.as_uri(), old.as_uri())])  # a report that comes late does not fail


def test_a_moved_folder_takes_its_files_along(make_engine: MakeEngine, repository: Path, told: Told) -> None:
    engine = make_engine(repository)
    summary(engine, "app/client.py")
    summary(engine, "app/settings.py")
    (repository / "app").rename(repository / "lib")
    engine.files_renamed([((repository / "app").as_uri(), (repository / "lib").as_uri())])
    moved = told.wait(DidInvalidateFiles).files
    assert {(f.path, f.new_path) for f in moved} == {
        ("app/client.py", "lib/client.py"),
        ("app/settings.py", "lib/settings.py"),
    }


def test_a_deleted_folder_takes_its_files_along(make_engine: MakeEngine, repository: Path, told: Told) -> None:
    engine = make_engine(repository)
    summary(engine, "app/client.py")
    shutil.rmtree(repository / "app")
    engine.files_changed([(repository / "app").as_uri()])
    gone = told.wait(DidInvalidateFiles).files
    assert [(f.path, f.reason) for f in gone] == [("app/client.py", "deleted")]


def test_switching_branches_and_back_is_a_hit(make_engine: MakeEngine, repository: Path) -> None:
    first = make_engine(repository)
    before = summary(first, "app/client.py")
    git(repository, "checkout", "-qb", "other")
    (repository / "app" / "client.py").write_text("y = 2\n")
    git(repository, "commit", "-qam", "other")
    assert summary(first, "app/client.py").hash != before.hash
    first.close()
    second = make_engine(repository)
    git(repository, "checkout", "-q", "-")
    assert summary(second, "app/client.py").lines >= 1
    counts = second.lifecycle.add_workspace(repository).open().files.counts
    assert (counts.hits, counts.misses) == (1, 0)


def test_another_worktree_finds_the_same_content(make_engine: MakeEngine, repository: Path, tmp_path: Path) -> None:
    summary(make_engine(repository), "app/client.py")
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    engine = make_engine(tmp_path / "tree")
    summary(engine, "app/client.py")
    counts = engine.lifecycle.add_workspace(tmp_path / "tree").open().files.counts
    assert (counts.hits, counts.misses) == (1, 0)


@pytest.mark.parametrize(
    ("path", "reason"),
    [("nowhere.py", "missing"), ("app", "directory"), ("blob.bin", "binary"), ("ignored/x.py", "ignored")],
)
def test_file_without_a_briefing_says_why(make_engine: MakeEngine, repository: Path, path: str, reason: str) -> None:
    (repository / "blob.bin").write_bytes(bytes(range(256)) * 20)
    (repository / "ignored").mkdir()
    (repository / "ignored" / "x.py").write_text("x = 1\n")
    with pytest.raises(FileUnavailable) as caught:
        summary(make_engine(repository), path)
    assert caught.value.reason == reason
    assert caught.value.data.hint


def test_nothing_outside_is_read(make_engine: MakeEngine, repository: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("outside")
    (repository / "link.txt").symlink_to(tmp_path / "secret.txt")
    engine = make_engine(repository)
    for path in ("../secret.txt", str(tmp_path / "secret.txt"), "link.txt", (tmp_path / "secret.txt").as_uri()):
        with pytest.raises(OutsideWorkspace) as caught:
            summary(engine, path)
        assert caught.value.data.path == "$.path"


def test_a_link_is_read_as_the_file_that_it_leads_to_or_it_is_said_why_not(
    make_engine: MakeEngine, repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("outside")
    (repository / "out.txt").symlink_to(tmp_path / "secret.txt")
    (repository / "loop.py").symlink_to("loop.py")
    (repository / "link.py").symlink_to("app/settings.py")
    engine = make_engine(repository)

    def read(path: str) -> Any:
        return EngineCalls(engine).file_record_read(RecordReadParams(path=path, session_id="s"))

    assert read("link.py").path == "app/settings.py"
    with pytest.raises(OutsideWorkspace) as outside:
        read("out.txt")
    assert "is a link that leads out of the workspace" in outside.value.message
    with pytest.raises(FileUnavailable) as loop:
        read("loop.py")
    assert "leads to itself" in loop.value.message
    used = {"file_path": str(repository / "link.py")}
    EngineCalls(engine).event_tool_call(ToolCallParams(session_id="s", tool="Read", input=used))
    found = EngineCalls(engine).file_handoff(HandoffParams(session_id="s"))
    assert [item.path for item in found.items] == ["app/settings.py"]


def test_warm_up_makes_first_questions_hits(make_engine: MakeEngine, repository: Path, plain: Settings) -> None:
    for at in range(120):
        (repository / "app" / f"module_{at}.py").write_text(f"def function_{at}() -> int:\n    return {at}\n")
    engine = make_engine(repository)
    steps: list[tuple[int, int]] = []
    engine.warm_up(lambda done, total, message: steps.append((done, total)), "test")
    assert steps[0] == (0, 124)
    assert steps[-1] == (124, 124)
    summary(engine, "app/module_77.py")
    opened = engine.lifecycle.add_workspace(repository).open()
    assert (opened.files.counts.hits, opened.files.counts.misses) == (1, 0)
    assert opened.files.survey.find(lambda: None) == []
    assert opened.files.count() == 124


def test_a_changed_file_is_read_ahead_without_a_walk(
    make_engine: MakeEngine, repository: Path, plain: Settings
) -> None:
    reading = msgspec.structs.replace(plain, files=msgspec.structs.replace(plain.files, warm_up=True))
    engine = make_engine()
    workspace = engine.lifecycle.add_workspace(repository, settings=reading)
    file = repository / "app" / "client.py"
    summary(engine, "app/client.py")
    file.write_text("X = 1\n")
    engine.files_changed([file.as_uri()])
    thread = workspace.operations.get("refresh").thread
    if thread is not None:
        thread.join()
    assert workspace.operations.get("refresh").state == "done"
    assert workspace.open().files.count() == 2  # both contents of this file and no others
    misses = workspace.open().files.counts.misses
    assert summary(engine, "app/client.py").lines == 1
    assert workspace.open().files.counts.misses == misses


def test_only_so_many_earlier_contents_are_kept(make_engine: MakeEngine, repository: Path, plain: Settings) -> None:
    few = msgspec.structs.replace(plain, files=msgspec.structs.replace(plain.files, keep_per_path=3))
    engine = make_engine(repository, settings=few)
    for at in range(10):
        (repository / "app" / "client.py").write_text(f"X = {at}\n")
        summary(engine, "app/client.py")
    files = engine.lifecycle.add_workspace(repository).open().files
    assert files.count() == 10
    (repository / "app" / "new.py").write_text("Y = 1\n")
    engine.warm_up()
    assert files.count() == 3 + 4  # three of client.py, and each other file of the repository


def test_warm_up_can_be_cancelled_and_keeps_what_it_has(make_engine: MakeEngine, repository: Path) -> None:
    for at in range(400):
        (repository / "app" / f"module_{at}.py").write_text(f"def function_{at}() -> int:\n    return {at}\n")
    engine = make_engine(repository)
    engine.warm_up(lambda done, total, message: engine.cancel_warm_up() if done else None, "test")
    workspace = engine.lifecycle.add_workspace(repository)
    assert workspace.operations.get("warm-up").state == "cancelled"
    assert 0 < workspace.open().files.count() < 404
    assert summary(engine, "app/module_399.py").fresh


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the workers in /proc")
def test_a_worker_that_dies_costs_nothing(make_engine: MakeEngine, repository: Path) -> None:
    for at in range(300):
        (repository / "app" / f"module_{at}.py").write_text(f"def function_{at}() -> int:\n    return {at}\n")
    engine = make_engine(repository)
    killed: list[int] = []

    def kill_one(done: int, total: int, message: str) -> None:
        if done and not killed:
            killed.extend(workers(os.getpid()))
            for pid in killed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    engine.warm_up(kill_one, "test")
    assert killed
    workspace = engine.lifecycle.add_workspace(repository)
    assert workspace.operations.get("warm-up").state == "done"
    assert workspace.open().files.count() == 304


def workers(parent: int) -> list[int]:
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it ends while being looked at
            stat = Path(f"/proc/{name}/stat").read_text()
            line = Path(f"/proc/{name}/cmdline").read_bytes()
            if b"sidecar.files.workers.worker" in line and int(stat.rpartition(")")[2].split()[1]) == parent:
                found.append(int(name))
    return found


def test_the_watcher_tells_of_an_edit(make_engine: MakeEngine, repository: Path, plain: Settings, told: Told) -> None:
    watching = msgspec.structs.replace(plain, watch=msgspec.structs.replace(plain.watch, mode="own"))
    engine = make_engine(repository, settings=watching)
    before = summary(engine, "app/client.py")
    workspace = engine.lifecycle.add_workspace(repository)
    thread = workspace.operations.get("open").thread
    if thread is not None:
        thread.join()
    end = time.monotonic() + 90
    while workspace.watcher_state()[0] == "off" and time.monotonic() < end:
        time.sleep(0.01)
    assert workspace.watcher_state()[0] in ("own", "polling")
    (repository / "app" / "client.py").write_text("z = 3\n")
    gone = told.wait(DidInvalidateFiles)
    assert gone.files[0].old_hash == before.hash


def test_switched_off_memory_answers_and_keeps_nothing(
    make_engine: MakeEngine, repository: Path, plain: Settings, tmp_path: Path
) -> None:
    off = msgspec.structs.replace(plain, memory=msgspec.structs.replace(plain.memory, enabled=False))
    engine = make_engine(repository, settings=off)
    assert "Client" in summary(engine, "app/client.py").summary
    engine.warm_up()
    engine.close()
    assert not list((tmp_path / "store").rglob("files"))


@pytest.mark.parametrize("target", ["../outside.py", "settings.py", "..", "nowhere.py"])
@pytest.mark.parametrize("uri", [True, False])
def test_a_file_that_became_a_symlink_is_told_gone(
    make_engine: MakeEngine, repository: Path, told: Told, tmp_path: Path, target: str, uri: bool
) -> None:
    engine = make_engine(repository)
    before = summary(engine, "app/client.py")
    other = summary(engine, "app/settings.py")
    file = repository / "app" / "client.py"
    (repository / "outside.py").symlink_to(tmp_path / "secret.py")
    (tmp_path / "secret.py").write_text("SECRET = 1\n")
    file.unlink()
    file.symlink_to(target)
    (repository / "app" / "settings.py").write_text("S = 2\n")
    changed = [file, repository / "app" / "settings.py"]
    engine.files_changed([path.as_uri() if uri else str(path) for path in changed])
    [params] = told.of(DidInvalidateFiles)
    assert len(told.messages) == 1
    assert {(f.path, f.reason, f.old_hash) for f in params.files} == {
        ("app/client.py", "deleted", before.hash),
        ("app/settings.py", "changed", other.hash),
    }


def test_a_file_swapped_for_a_way_out_while_it_is_read_costs_only_itself(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = Tree(repository)
    told: list[Any] = []
    memory = WorkspaceFiles(None, tree, "here")
    memory.invalidated.subscribe(told.extend)
    memory.briefing("app/client.py")
    memory.briefing("app/settings.py")
    (repository / "app" / "settings.py").write_text("S = 2\n")
    read = tree.read

    def swapped(path: str, ignore_reasons: Any = None) -> Any:
        if path == "app/client.py":
            (repository / path).unlink(missing_ok=True)
            (repository / path).symlink_to(tmp_path)
        return read(path, ignore_reasons)

    monkeypatch.setattr(tree, "read", swapped)
    memory.update(["app/client.py", "app/settings.py"])
    assert {(t.path, t.reason) for t in told} == {("app/client.py", "deleted"), ("app/settings.py", "changed")}


def test_a_store_that_fails_costs_no_briefing(
    make_engine: MakeEngine, repository: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(repository)
    before = summary(engine, "app/client.py")
    store = engine.lifecycle.add_workspace(repository).open().file_store

    def fail(*_: Any) -> None:
        raise StoreUnavailable("the disk is full")

    for name in ("content", "put_contents", "put_pointers", "fold_pointers"):
        monkeypatch.setattr(store, name, fail)
    (repository / "app" / "client.py").write_text("z = 3\n")
    assert summary(engine, "app/client.py").hash != before.hash
    assert told.wait(DidInvalidateFiles).files[0].old_hash == before.hash
    (repository / "app" / "client.py").unlink()
    engine.files_changed([str(repository / "app" / "client.py")])
    assert told.wait(DidInvalidateFiles, lambda params: params.files[0].reason == "deleted")


def test_a_change_that_the_warm_up_finds_first_is_told(make_engine: MakeEngine, repository: Path, told: Told) -> None:
    engine = make_engine(repository)
    before = summary(engine, "app/client.py")
    (repository / "app" / "client.py").write_text("z = 3\n")
    engine.warm_up()
    [file] = told.wait(DidInvalidateFiles).files
    assert (file.path, file.reason, file.old_hash) == ("app/client.py", "changed", before.hash)
    assert file.hash == summary(engine, "app/client.py").hash
