"""Folders that say they belong to another project, so as to read and write its memory (issue 14.2)."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.reliability.house import Sandbox, git
from tests.reliability.outcome import Outcome
from tests.reliability.posing import commit

ORIGIN = "git@git.invalid:team/zebra.git"
SECRET = "The zebra vault opens at seven."
POISON = "The zebra vault is always open."


def _forge(room: Path, forge: Callable[[Sandbox, Path], None]) -> Outcome:
    """Make the victim's project, then a folder as `forge` says; neither may hear of the other."""
    with Sandbox(room) as house:
        outcome = Outcome(tries=1)
        commit(house.folder, {"a.py": "x = 1\n"}, "Begin")
        git(house.folder, "remote", "add", "origin", ORIGIN)
        client = house.server()
        client.call("memory/record", {"content": SECRET, "scope": "project"})
        client.call("memory/record", {"content": f"{SECRET} (mine)", "scope": "personal"})
        evil = house.room / "unpacked"
        evil.mkdir()
        (evil / "b.py").write_text("y = 1\n")
        forge(house, evil)
        other = house.server(evil)
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
        if POISON in str(house.memories(client)):
            outcome.wrong.append("the unpacked folder writes into the project's memory")
        if POISON in house.hook("SessionStart", source="startup").stdout.decode():
            outcome.wrong.append("what the unpacked folder wrote is told at the start of a session")
        house.judge(outcome)
        return outcome


def _repository(evil: Path) -> None:
    git(evil, "init", "-q")
    commit(evil, {}, "Begin otherwise")


def origin(room: Path, chance: random.Random, tries: int) -> Outcome:
    """`.git/config` names the project's origin; no commit is shared."""

    def forge(house: Sandbox, evil: Path) -> None:
        _repository(evil)
        git(evil, "remote", "add", "origin", ORIGIN)

    return _forge(room, forge)


def bare_origin(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The same in a repository without any commit."""

    def forge(house: Sandbox, evil: Path) -> None:
        git(evil, "init", "-q")
        git(evil, "remote", "add", "origin", ORIGIN)

    return _forge(room, forge)


def instead_of(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The origin is another, which the folder's own configuration rewrites."""

    def forge(house: Sandbox, evil: Path) -> None:
        _repository(evil)
        git(evil, "remote", "add", "origin", "x:zebra")
        git(evil, "config", "url.git@git.invalid:team/.insteadOf", "x:")

    return _forge(room, forge)


def gitdir(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A `.git` file points at the project's `.git`."""
    return _forge(room, lambda house, evil: _write(evil / ".git", f"gitdir: {house.folder}/.git\n"))


def relative_gitdir(room: Path, chance: random.Random, tries: int) -> Outcome:
    """The same by a relative path, which an archive can guess."""
    return _forge(room, lambda house, evil: _write(evil / ".git", "gitdir: ../work/.git\n"))


def worktree(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A `.git` file points at a worktree of the project, whose back link is another's."""

    def forge(house: Sandbox, evil: Path) -> None:
        git(house.folder, "worktree", "add", "-q", "-b", "tree", str(house.room / "tree"))
        _write(evil / ".git", f"gitdir: {house.folder}/.git/worktrees/tree\n")

    return _forge(room, forge)


def common_dir(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A `.git` folder of its own says that its common dir is the project's."""

    def forge(house: Sandbox, evil: Path) -> None:
        _repository(evil)
        _write(evil / ".git" / "commondir", f"{house.folder}/.git\n")

    return _forge(room, forge)


def linked(room: Path, chance: random.Random, tries: int) -> Outcome:
    """`.git` is a symbolic link to the project's."""
    return _forge(room, lambda house, evil: (evil / ".git").symlink_to(house.folder / ".git"))


def inner_link(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A repository whose folder of ours is a symbolic link to the project's."""

    def forge(house: Sandbox, evil: Path) -> None:
        _repository(evil)
        (evil / ".git" / "memory-sidecar").symlink_to(house.folder / ".git" / "memory-sidecar")

    return _forge(room, forge)


def kept_id(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A repository brings an id along that its maker's own sidecar gave to the same origin, on another machine."""

    def forge(house: Sandbox, evil: Path) -> None:
        _repository(evil)
        with Sandbox(house.room / "elsewhere") as elsewhere:
            commit(elsewhere.folder, {}, "Begin otherwise")
            git(elsewhere.folder, "remote", "add", "origin", ORIGIN)
            elsewhere.server().call("memory/record", {"content": "It is raining."})
            shutil.copytree(elsewhere.folder / ".git" / "memory-sidecar", evil / ".git" / "memory-sidecar")

    return _forge(room, forge)


def work_tree(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A repository that says its work tree is the project's folder."""

    def forge(house: Sandbox, evil: Path) -> None:
        _repository(evil)
        git(evil, "config", "core.worktree", str(house.folder))

    return _forge(room, forge)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
