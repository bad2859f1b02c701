"""The watcher reports every change of a real folder."""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path

import pytest

from sidecar.checkout import watch as watch_module
from sidecar.checkout.snapshot import FolderSnapshot
from sidecar.checkout.tree import Tree
from sidecar.checkout.watch import Watcher
from tests.checkout.conftest import Git, NewRepository
from tests.checkout.watching import Seen, Watch

pytestmark = pytest.mark.long


def test_writes_creations_renames_and_deletions_are_reported(tmp_path: Path, watch: Watch) -> None:
    (tmp_path / "src").mkdir()
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / "src" / name).write_text("1")
    watcher, seen = watch(tmp_path)
    assert (watcher.state, watcher.detail) == ("own", None)
    (tmp_path / "src/a.py").write_text("2")
    seen.wait_for("src/a.py")
    (tmp_path / "src/new.py").write_text("1")
    (tmp_path / "top.py").write_text("1")
    seen.wait_for("src/new.py", "top.py")
    (tmp_path / "src/b.py").unlink()
    seen.wait_for("src/b.py")
    (tmp_path / "src/c.py").rename(tmp_path / "src/d.py")
    seen.wait_for("src/c.py", "src/d.py")
    temporary = tmp_path / "src/.a.py.tmp"
    seen.clear()
    temporary.write_text("3")
    temporary.replace(tmp_path / "src/a.py")
    seen.wait_for("src/a.py")
    assert threading.get_ident() not in seen.threads


def test_files_in_folders_made_at_once_are_reported(tmp_path: Path, watch: Watch) -> None:
    _, seen = watch(tmp_path)
    wanted = []
    for index in range(200):
        path = f"deep/{index % 10}/{index % 7}/x/f{index}.py"
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("1")
        wanted.append(path)
    seen.wait_for(*wanted)
    seen.clear()
    (tmp_path / "deep/3/3/x/later.py").parent.mkdir(exist_ok=True, parents=True)
    (tmp_path / "deep/3/3/x/later.py").write_text("1")
    (tmp_path / wanted[3]).write_text("changed")
    seen.wait_for("deep/3/3/x/later.py", wanted[3])


def test_files_in_renamed_and_recreated_folders_are_reported(tmp_path: Path, watch: Watch) -> None:
    for index in range(5):
        (tmp_path / "one" / "in").mkdir(parents=True, exist_ok=True)
        (tmp_path / "one" / "in" / f"{index}.py").write_text("1")
    _, seen = watch(tmp_path)
    (tmp_path / "one").rename(tmp_path / "two")
    seen.wait_for(*(f"{top}/in/{index}.py" for index in range(5) for top in ("one", "two")))
    seen.clear()
    (tmp_path / "two/in/0.py").write_text("22")
    seen.wait_for("two/in/0.py")
    assert not any(path.startswith("one/") for path in seen.paths)
    shutil.rmtree(tmp_path / "two")
    seen.wait_for(*(f"two/in/{index}.py" for index in range(5)))
    (tmp_path / "two/in").mkdir(parents=True)
    time.sleep(0.3)
    seen.clear()
    (tmp_path / "two/in/0.py").write_text("back")
    seen.wait_for("two/in/0.py")


def test_a_file_that_becomes_a_folder_and_back_is_reported(tmp_path: Path, watch: Watch) -> None:
    (tmp_path / "x").write_text("1")
    _, seen = watch(tmp_path)
    (tmp_path / "x").unlink()
    (tmp_path / "x").mkdir()
    (tmp_path / "x/y.py").write_text("1")
    seen.wait_for("x", "x/y.py")
    seen.clear()
    shutil.rmtree(tmp_path / "x")
    (tmp_path / "x").write_text("2")
    seen.wait_for("x", "x/y.py")


def test_a_branch_switch_is_reported_completely(
    tmp_path: Path, watch: Watch, git: Git, new_repository: NewRepository
) -> None:
    root = new_repository(tmp_path / "r")
    for index in range(2000):
        path = root / f"d{index % 40}" / f"e{index % 3}" / f"f{index}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"x = {index}\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "many")
    git(root, "checkout", "-qb", "other")
    for index in range(0, 2000, 2):
        (root / f"d{index % 40}" / f"e{index % 3}" / f"f{index}.py").write_text(f"y = {index}\n")
    for index in range(1, 2000, 4):
        (root / f"d{index % 40}" / f"e{index % 3}" / f"f{index}.py").unlink()
    for index in range(500):
        path = root / f"new{index % 20}" / "deep" / f"g{index}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"z = {index}\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "other")
    differing = git(root, "diff", "--name-only", "--no-renames", "main", "other").split()
    assert len(differing) == 2000
    _, seen = watch(root)
    git(root, "checkout", "-q", "main")
    seen.wait_for(*differing)
    assert seen.paths == set(differing)
    seen.clear()
    git(root, "checkout", "-q", "other")
    seen.wait_for(*differing)
    assert seen.paths == set(differing)


def test_ignored_files_are_not_reported(tmp_path: Path, watch: Watch, new_repository: NewRepository) -> None:
    root = new_repository(tmp_path / "r")
    (root / ".gitignore").write_text("build/\n*.log\n")
    for folder in ("node_modules/p", "build", "src/node_modules/q"):
        (root / folder).mkdir(parents=True)
    _, seen = watch(root)
    for path in ("node_modules/p/i.js", "build/o.c", "src/node_modules/q/i.js", "x.log", ".a.py.swp", "i.png"):
        (root / path).write_text("1")
    (root / ".git" / "x.py").write_text("1")
    (root / "node_modules/new").mkdir()
    (root / "last.py").write_text("1")
    seen.wait_for("last.py")
    (root / "after.py").write_text("1")  # reported only after everything before it was looked at
    seen.wait_for("after.py")
    assert seen.paths == {"last.py", "after.py"}


def test_a_change_of_gitignore_takes_effect(tmp_path: Path, watch: Watch, new_repository: NewRepository) -> None:
    root = new_repository(tmp_path / "r")
    (root / "out").mkdir()
    (root / "out/o.py").write_text("1")
    (root / "sub").mkdir()
    (root / "sub/gen.c").write_text("1")
    _, seen = watch(root)
    (root / ".gitignore").write_text("out/\n")
    seen.wait_for(".gitignore", "out/o.py")
    (root / "sub/.gitignore").write_text("gen.c\n")
    seen.wait_for("sub/.gitignore", "sub/gen.c")
    seen.clear()
    (root / "out/o.py").write_text("2")
    (root / "sub/gen.c").write_text("2")
    (root / "mark.py").write_text("2")
    seen.wait_for("mark.py")
    assert not {"out/o.py", "sub/gen.c"} & seen.paths
    (root / ".gitignore").unlink()
    seen.wait_for(".gitignore", "out/o.py")
    seen.clear()
    (root / "out/o.py").write_text("3")
    seen.wait_for("out/o.py")


def test_symlinks_are_not_followed(tmp_path: Path, watch: Watch) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (root / "link").symlink_to(outside)
    (root / "loop").symlink_to(root)
    _, seen = watch(root)
    (outside / "secret.py").write_text("1")
    (root / "file.py").symlink_to(outside / "secret.py")
    (root / "mark.py").write_text("1")
    seen.wait_for("mark.py")
    assert seen.paths == {"mark.py"}


def test_a_nested_repository_is_left_to_its_own_workspace(
    tmp_path: Path, watch: Watch, git: Git, new_repository: NewRepository
) -> None:
    root = new_repository(tmp_path / "r")
    new_repository(root / "nested")
    (root / "plain").mkdir()
    (root / "plain/p.py").write_text("1")
    _, seen = watch(root)
    (root / "nested/a.py").write_text("2")
    (root / "mark.py").write_text("1")
    seen.wait_for("mark.py")
    assert seen.paths == {"mark.py"}
    git(root / "plain", "init", "-q")
    seen.wait_for("plain/p.py")


def test_folders_of_a_large_workspace_are_watched_after_a_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_module, "LONG_WALK_SECONDS", 0.0)
    monkeypatch.setattr(watch_module, "WATCH_AFTER_WALKS", 1e9)
    (tmp_path / "a.py").write_text("1")
    snapshot = FolderSnapshot(Tree(tmp_path))
    watcher = Watcher(Tree(tmp_path), Seen(), snapshot=snapshot)
    watcher.start()
    while not snapshot.files:
        time.sleep(0.01)
    assert not watcher.ready.wait(0.3)
    watcher.stop()
    assert watcher.state == "off"
