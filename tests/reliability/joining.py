"""Folders that say they belong to another project, so as to read and write its memory (issue 14.2)."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.reliability.outcome import Outcome
from tests.reliability.posing import commit
from tests.reliability.sandbox import Sandbox, git

ORIGIN = "git@git.invalid:team/zebra.git"
SECRET = "The zebra vault opens at seven."
POISON = "The zebra vault is always open."


def _forge(room: Path, forge: Callable[[Sandbox, Path], None]) -> Outcome:
    """Make the victim's project, then a folder as `forge` says; neither may hear of the other."""
    with Sandbox(room) as sandbox:
        outcome = Outcome(tries=1)
        commit(sandbox.folder, {"a.py": "x = 1\n"}, "Begin")
        git(sandbox.folder, "remote", "add", "origin", ORIGIN)
        client = sandbox.server()
        client.call("memory/record", {"content": SECRET, "scope": "project"})
        client.call("memory/record", {"content": f"{SECRET} (mine)", "scope": "personal"})
        evil = sandbox.room / "unpacked"
        evil.mkdir()
        (evil / "b.py").write_text("y = 1\n")
        forge(sandbox, evil)
        other = sandbox.server(evil)
        given: list[tuple[str, object]] = [
            ("memory/search", {"query": "zebra vault"}),
            ("memory/list", {"agent": "*"}),
            ("memory/inject", {"prompt": "When does the zebra vault open?"}),
            ("context/boot", {}),
            ("memory/export", {}),
        ]
        for method, params in given:
            if SECRET in str(other.call(method, params)):
                outcome.wrong.append(f"{method} of the unpacked folder tells the project's memory")
        other.call("memory/record", {"content": POISON})
        if POISON in str(sandbox.memories(client)):
            outcome.wrong.append("the unpacked folder writes into the project's memory")
        if POISON in sandbox.hook("SessionStart", source="startup").stdout.decode():
            outcome.wrong.append("what the unpacked folder wrote is told at the start of a session")
        sandbox.judge(outcome)
        return outcome


def _repository(evil: Path) -> None:
    git(evil, "init", "-q")
    commit(evil, {}, "Begin otherwise")


def origin(room: Path, chance: random.Random, tries: int) -> Outcome:
    """`.git/config` names the project's origin; no commit is shared."""

    def forge(sandbox: Sandbox, evil: Path) -> None:
        _repository(evil)
        git(evil, "remote", "add", "origin", ORIGIN)

    return _forge(room, forge)


def bare_origin(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The same in a repository without any commit."""

    def forge(sandbox: Sandbox, evil: Path) -> None:
        git(evil, "init", "-q")
        git(evil, "remote", "add", "origin", ORIGIN)

    return _forge(room, forge)


def instead_of(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The origin is another, which the folder's own configuration rewrites."""

    def forge(sandbox: Sandbox, evil: Path) -> None:
        _repository(evil)
        git(evil, "remote", "add", "origin", "x:zebra")
        git(evil, "config", "url.git@git.invalid:team/.insteadOf", "x:")

    return _forge(room, forge)


def gitdir(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A `.git` file points at the project's `.git`."""
    return _forge(room, lambda sandbox, evil: _write(evil / ".git", f"gitdir: {sandbox.folder}/.git\n"))


def relative_gitdir(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The same by a relative path, which an archive can guess."""
    return _forge(room, lambda sandbox, evil: _write(evil / ".git", "gitdir: ../work/.git\n"))


def worktree(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A `.git` file points at a worktree of the project, whose back link is another's."""

    def forge(sandbox: Sandbox, evil: Path) -> None:
        git(sandbox.folder, "worktree", "add", "-q", "-b", "tree", str(sandbox.room / "tree"))
        _write(evil / ".git", f"gitdir: {sandbox.folder}/.git/worktrees/tree\n")

    return _forge(room, forge)


def common_dir(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A `.git` folder of its own says that its common dir is the project's."""

    def forge(sandbox: Sandbox, evil: Path) -> None:
        _repository(evil)
        _write(evil / ".git" / "commondir", f"{sandbox.folder}/.git\n")

    return _forge(room, forge)


def linked(room: Path, chance: random.Random, tries: int) -> Outcome:
    """`.git` is a symbolic link to the project's."""
    return _forge(room, lambda sandbox, evil: (evil / ".git").symlink_to(sandbox.folder / ".git"))


def inner_link(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A repository whose folder of ours is a symbolic link to the project's."""

    def forge(sandbox: Sandbox, evil: Path) -> None:
        _repository(evil)
        (evil / ".git" / "memory-sidecar").symlink_to(sandbox.folder / ".git" / "memory-sidecar")

    return _forge(room, forge)


def kept_id(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A repository brings an id along that its maker's own sidecar gave to the same origin, on another machine."""

    def forge(sandbox: Sandbox, evil: Path) -> None:
        _repository(evil)
        with Sandbox(sandbox.room / "elsewhere") as elsewhere:
            commit(elsewhere.folder, {}, "Begin otherwise")
            git(elsewhere.folder, "remote", "add", "origin", ORIGIN)
            elsewhere.server().call("memory/record", {"content": "It is raining."})
            shutil.copytree(elsewhere.folder / ".git" / "memory-sidecar", evil / ".git" / "memory-sidecar")

    return _forge(room, forge)


def work_tree(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A repository that says its work tree is the project's folder."""

    def forge(sandbox: Sandbox, evil: Path) -> None:
        _repository(evil)
        git(evil, "config", "core.worktree", str(sandbox.folder))

    return _forge(room, forge)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
