"""Real git repositories and workspaces in temporary folders, isolated from the machine's own git configuration."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from sidecar.checkout.tree import Tree
from sidecar.checkout.watch import Watcher
from sidecar.runtime.errors import FileUnavailable
from tests.checkout.watching import PATIENCE, Seen, Watch


class Git(Protocol):
    """Runs git in a folder and returns its output."""

    def __call__(self, folder: Path, *arguments: str, input: str | None = None, check: bool = True) -> str: ...


class NewRepository(Protocol):
    """Makes a repository with one commit at a path, and with an origin if given."""

    def __call__(self, path: Path, origin: str | None = None) -> Path: ...


def isolate_git(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give git this home, with the least that it needs there, and nothing of the machine's."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Test\n\temail = test@example.org\n"
        '[protocol "file"]\n\tallow = always\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n'
    )


@pytest.fixture(autouse=True)
def git_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a home for git and return it, so that a test can put another `.gitconfig` there."""
    home = tmp_path_factory.mktemp("home")
    isolate_git(home, monkeypatch)
    return home


@pytest.fixture(scope="session")
def git() -> Git:
    """Return a function that runs git in a folder and returns its output."""

    def run(folder: Path, *arguments: str, input: str | None = None, check: bool = True) -> str:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, input=input, check=False
        )
        assert not check or done.returncode == 0, f"git {arguments}: {done.stderr}"
        return done.stdout

    return run


@pytest.fixture(scope="session")
def new_repository(git: Git) -> NewRepository:
    """Return a function that makes a repository with one commit at a path, and with an origin if given."""

    def make(path: Path, origin: str | None = None) -> Path:
        path.mkdir(parents=True)
        git(path, "init", "-q")
        (path / "a.py").write_text("A = 1\n")
        git(path, "add", ".")
        git(path, "commit", "-qm", "first")
        if origin is not None:
            git(path, "remote", "add", "origin", origin)
        return path

    return make


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a workspace with two files, and files outside of it."""
    root = tmp_path / "ws"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("A = 1\n")
    (root / "with space ü#?%.py").write_text("B = 1\n")
    (tmp_path / "outside.py").write_text("SECRET = 1\n")
    (tmp_path / "ws-other").mkdir()
    (tmp_path / "ws-other" / "x.py").write_text("1\n")
    return root


def reason(call: Callable[[], object]) -> str:
    with pytest.raises(FileUnavailable) as caught:
        call()
    assert caught.value.data.hint
    return caught.value.reason


@pytest.fixture(params=["folders", "recursive"])
def recursive(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "recursive")


@pytest.fixture
def watch(recursive: bool) -> Iterator[Watch]:
    """Return a function that starts a watcher and waits until it is ready; for both kinds of notifications."""
    watchers: list[Watcher] = []

    def start(root: Path, seen: Seen | None = None, **options: Any) -> tuple[Watcher, Seen]:
        seen = seen or Seen()
        watcher = Watcher(Tree(root), seen, recursive=recursive, **options)
        watchers.append(watcher)
        watcher.start()
        assert watcher.ready.wait(PATIENCE)
        return watcher, seen

    yield start
    for watcher in watchers:
        watcher.stop()
        assert watcher.state == "off"
    for thread in threading.enumerate():
        if thread.name == "watch":  # `stop` waits only a moment, which may be too short on a busy machine
            thread.join(PATIENCE)
            assert not thread.is_alive()
