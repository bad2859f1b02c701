"""A folder shares another's memory only if more than its own word says so; else its status says why not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.checkout.exclude import exclude
from sidecar.checkout.identity import Identity, identify, record_identity
from sidecar.checkout.repository import find_repository
from sidecar.checkout.repository_key import digest
from tests.checkout.conftest import Git, NewRepository

ORIGIN = "https://example.org/team/app.git"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
def project(tmp_path: Path, home: Path, new_repository: NewRepository) -> Path:
    """Make a project of the user's in which something is recorded."""
    made = new_repository(tmp_path / "project", ORIGIN)
    record_identity(identify(made, home), home, keep=True)
    return made


def open_(folder: Path, home: Path) -> Identity:
    found = identify(folder, home)
    record_identity(found, home)
    return found


def clone(git: Git, source: Path, place: Path, *options: str) -> Path:
    git(source.parent, "clone", "-q", *options, f"file://{source}", str(place))
    git(place, "remote", "set-url", "origin", ORIGIN)
    return place


def stranger(git: Git, place: Path) -> Path:
    """Make a repository with the project's origin and a history of its own."""
    git(place.parent, "init", "-q", str(place))
    git(place, "commit", "-q", "--allow-empty", "-m", "another beginning")
    git(place, "remote", "add", "origin", ORIGIN)
    return place


def is_alone(folder: Path, home: Path, project: Path) -> str:
    """Check that a folder does not share the project's memory, before and after it is noted; return why."""
    theirs = identify(project, home).id
    first, later = open_(folder, home), open_(folder, home)
    kept = identify(folder, home)
    record_identity(kept, home, keep=True)
    again = identify(folder, home)
    assert theirs not in (first.id, later.id, again.id)
    assert first.id == again.id
    assert identify(project, home).id == theirs
    assert again.alone == first.alone
    return again.alone or ""


def test_clones_of_one_remote_share(home: Path, project: Path, git: Git, tmp_path: Path) -> None:
    one = clone(git, project, tmp_path / "one")
    blobless = clone(git, project, tmp_path / "blobless", "--filter=blob:none", "--no-checkout")
    for folder in (one, blobless):
        found = open_(folder, home)
        assert (found.id, found.alone) == (identify(project, home).id, None)


def test_clones_that_are_opened_at_once_share(
    home: Path, git: Git, tmp_path: Path, new_repository: NewRepository
) -> None:
    one = new_repository(tmp_path / "one", ORIGIN)
    two = clone(git, one, tmp_path / "two")
    found = [identify(folder, home) for folder in (one, two)]
    for each in found:
        record_identity(each, home, keep=True)
    assert found[0].id == found[1].id == identify(one, home).id == identify(two, home).id


def test_an_origin_alone_joins_nothing(
    home: Path, project: Path, new_repository: NewRepository, tmp_path: Path, git: Git
) -> None:
    evil = stranger(git, tmp_path / "evil")
    why = is_alone(evil, home, project)
    assert str(project) in why
    assert "first commit" in why
    assert f'id = "{identify(project, home).id}"' in why


def test_first_clone_takes_nothing_from_a_later_one(
    home: Path, new_repository: NewRepository, tmp_path: Path, git: Git
) -> None:
    evil = stranger(git, tmp_path / "evil")
    record_identity(identify(evil, home), home, keep=True)
    real = new_repository(tmp_path / "real", ORIGIN)
    again = clone(git, real, tmp_path / "again")
    assert open_(real, home).id == open_(again, home).id != identify(evil, home).id


@pytest.mark.parametrize("kept", ["id", "key"])
def test_an_id_in_an_archive_joins_nothing(
    home: Path, project: Path, new_repository: NewRepository, tmp_path: Path, git: Git, kept: str
) -> None:
    evil = stranger(git, tmp_path / "evil")
    git(evil, "remote", "remove", "origin")
    (evil / ".git/memory-sidecar").mkdir()
    record = json.loads(next((home / "checkouts").glob("*.json")).read_text())
    for guess in (digest("origin", "example.org/team/app"), record["memory"]):
        (evil / ".git/memory-sidecar" / kept).write_text(f"{guess}\n")
        is_alone(evil, home, project)


@pytest.mark.parametrize("link", ["memory-sidecar", "memory-sidecar/key", "description", "config"])
def test_a_link_to_the_key_of_a_project_joins_nothing(
    home: Path, project: Path, tmp_path: Path, git: Git, link: str
) -> None:
    evil = stranger(git, tmp_path / "evil") / ".git"
    (evil / link).unlink(missing_ok=True)
    (evil / link).parent.mkdir(exist_ok=True)
    (evil / link).symlink_to(project / ".git" / link)
    is_alone(evil.parent, home, project)


@pytest.mark.parametrize("how", ["alternates", "objects", "everything"])
def test_borrowed_history_is_no_history(
    home: Path, project: Path, new_repository: NewRepository, tmp_path: Path, how: str
) -> None:
    evil = new_repository(tmp_path / "evil", ORIGIN) / ".git"
    theirs = project / ".git"
    shutil.copy(theirs / "HEAD", evil / "HEAD")
    shutil.rmtree(evil / "refs")
    if how == "alternates":
        shutil.rmtree(evil / "objects")
        (evil / "objects/info").mkdir(parents=True)
        (evil / "objects/info/alternates").write_text(f"{theirs / 'objects'}\n")
        shutil.copytree(theirs / "refs", evil / "refs")
    else:
        shutil.rmtree(evil / "objects")
        (evil / "refs").symlink_to(theirs / "refs")
        (evil / "objects").symlink_to(theirs / "objects")
    if how == "everything":
        (evil / "commondir").write_text(f"{theirs}\n")
        (evil / "HEAD").unlink()
        (evil / "HEAD").symlink_to(theirs / "HEAD")
    is_alone(evil.parent, home, project)


def test_an_object_that_only_has_the_name_of_the_first_commit(
    home: Path, project: Path, new_repository: NewRepository, tmp_path: Path, git: Git
) -> None:
    evil = stranger(git, tmp_path / "evil")
    root, own = (git(place, "rev-parse", "HEAD").strip() for place in (project, evil))
    forged = evil / ".git/objects" / root[:2]
    forged.mkdir(exist_ok=True)
    shutil.copy(evil / ".git/objects" / own[:2] / own[2:], forged / root[2:])
    is_alone(evil, home, project)


@pytest.mark.parametrize("how", ["file", "file to a worktree", "symlink", "symlink to a file", "worktree of its own"])
def test_a_git_file_is_not_followed_where_nothing_leads_back(
    home: Path, project: Path, tmp_path: Path, git: Git, how: str
) -> None:
    git(project, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "tree")
    registered = project / ".git/worktrees/tree"
    evil = tmp_path / "evil"
    (evil / "sub").mkdir(parents=True)
    marker = evil / ".git"
    if how == "file":
        marker.write_text(f"gitdir: {project}/.git\n")
    elif how == "file to a worktree":
        marker.write_text(f"gitdir: {registered}\n")
    elif how == "symlink":
        marker.symlink_to(project / ".git")
    elif how == "symlink to a file":
        marker.symlink_to(tmp_path / "tree/.git")
    else:
        own = evil / "x/worktrees/mine"
        own.mkdir(parents=True)
        (own / "gitdir").write_text(f"{marker}\n")
        (own / "commondir").write_text(f"{project}/.git\n")
        (own / "HEAD").write_text("ref: refs/heads/main\n")
        marker.write_text("gitdir: x/worktrees/mine\n")
    assert find_repository(evil) is None
    why = is_alone(evil, home, project)
    assert how == "worktree of its own" or str(project) in why
    assert identify(evil / "sub", home).id not in (identify(evil, home).id, identify(project, home).id)
    assert identify(tmp_path / "tree", home).id == identify(project, home).id


def test_a_git_directory_elsewhere_is_followed_once_it_leads_back(
    home: Path, tmp_path: Path, git: Git, new_repository: NewRepository
) -> None:
    work, apart = new_repository(tmp_path / "work"), tmp_path / "apart.git"
    git(work, "init", "-q", f"--separate-git-dir={apart}")
    found = identify(work, home)
    assert (found.kind, found.repository) == ("path", None)
    assert f"run git --git-dir={apart} config core.worktree {work}" in (found.alone or "")
    git(work, "--git-dir", str(apart), "config", "core.worktree", str(work))
    assert identify(work, home).kind == "git"
    assert identify(work, home).alone is None


def test_identity_can_be_shown_and_copied(
    home: Path, project: Path, tmp_path: Path, git: Git, new_repository: NewRepository
) -> None:
    name = "x';touch y;'\"]\nid = 1 #\x1b[2J"
    evil = stranger(git, tmp_path / name)
    apart = tmp_path / f"{name}.git"
    git(new_repository(tmp_path / "work"), "init", "-q", f"--separate-git-dir={apart}")
    for why in (identify(evil, home).alone, identify(tmp_path / "work", home).alone):
        assert why is not None
        assert why.isprintable()
    assert "'\"'\"'" in (identify(tmp_path / "work", home).alone or "")
    assert '\\"]\\nid' in (identify(evil, home).alone or "")


def test_a_worktree_that_was_moved_by_hand_is_repaired_first(
    home: Path, project: Path, tmp_path: Path, git: Git
) -> None:
    git(project, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "tree")
    (tmp_path / "tree").rename(tmp_path / "moved")
    assert "git worktree repair" in (identify(tmp_path / "moved", home).alone or "")
    git(tmp_path / "moved", "worktree", "repair")
    assert identify(tmp_path / "moved", home).id == identify(project, home).id


@pytest.mark.parametrize("settings", ["config", "config.worktree"])
def test_submodules_their_worktrees_and_worktrees_of_a_bare_repository_are_followed(
    home: Path, tmp_path: Path, git: Git, new_repository: NewRepository, settings: str
) -> None:
    library, outer = new_repository(tmp_path / "library"), new_repository(tmp_path / "outer")
    git(outer, "submodule", "add", "-q", str(library), "lib/x")
    git(outer, "commit", "-qm", "with a submodule")
    if settings == "config.worktree":
        git(outer / "lib/x", "sparse-checkout", "set", "src")
    git(outer / "lib/x", "worktree", "add", "-q", str(tmp_path / "of-module"), "-b", "t")
    git(tmp_path, "clone", "-q", "--bare", str(library), "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "of-bare"), "-b", "t")
    for folder in ("outer/lib/x", "of-module", "of-bare"):
        found = identify(tmp_path / folder, home)
        assert (found.kind, found.repository, found.alone) == ("git", tmp_path / folder, None)
    assert identify(tmp_path / "of-module", home).id == identify(outer / "lib/x", home).id
    assert identify(tmp_path / "of-bare", home).id == identify(tmp_path / "bare.git", home).id


def test_shallow_and_empty_ones_stand_alone_until_the_first_commit_is_there(
    home: Path, project: Path, tmp_path: Path, git: Git
) -> None:
    for number in range(3):
        git(project, "commit", "-q", "--allow-empty", "-m", str(number))
    shallow = clone(git, project, tmp_path / "shallow", "--depth=1")
    assert "git fetch --unshallow" in (open_(shallow, home).alone or "")
    empty = tmp_path / "empty"
    git(tmp_path, "init", "-q", "empty")
    git(empty, "remote", "add", "origin", ORIGIN)
    assert "no first commit" in (open_(empty, home).alone or "")
    assert len({identify(folder, home).id for folder in (project, shallow, empty)}) == 3
    git(shallow, "fetch", "-q", "--unshallow", f"file://{project}")
    git(empty, "fetch", "-q", f"file://{project}", "main:refs/remotes/origin/main")
    assert {open_(folder, home).id for folder in (shallow, empty)} == {identify(project, home).id}
    assert identify(shallow, home).alone is None


def test_clone_with_memories_keeps_them_when_the_first_commit_comes(
    home: Path, project: Path, tmp_path: Path, git: Git
) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "second")
    shallow = clone(git, project, tmp_path / "shallow", "--depth=1")
    before = identify(shallow, home)
    record_identity(before, home, keep=True)
    git(shallow, "fetch", "-q", "--unshallow", f"file://{project}")
    assert identify(shallow, home).id == before.id != identify(project, home).id
    assert "own settings" in (identify(shallow, home).alone or "")


def test_the_users_word_joins(home: Path, project: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    theirs = identify(project, home).id
    assert identify(tmp_path / "plain", home, theirs).id != theirs  # no such workspace exists yet
    (home / "workspaces" / theirs).mkdir(parents=True)
    assert identify(tmp_path / "plain", home, theirs).id == theirs


def test_a_project_that_was_empty_is_known_by_what_it_got_later(
    home: Path, tmp_path: Path, git: Git, new_repository: NewRepository
) -> None:
    project = tmp_path / "project"
    git(tmp_path, "init", "-q", "project")
    record_identity(identify(project, home), home, keep=True)
    git(project, "commit", "-q", "--allow-empty", "-m", "first")
    git(project, "remote", "add", "origin", ORIGIN)
    before = open_(project, home).id
    assert open_(clone(git, project, tmp_path / "clone"), home).id == before
    shutil.rmtree(project)
    assert open_(clone(git, tmp_path / "clone", project), home).id == before  # and when it was cloned anew


def test_copies_and_moves_of_a_repository_without_commits_share_by_key(home: Path, tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q", "one")
    record_identity(before := identify(tmp_path / "one", home), home, keep=True)
    shutil.copytree(tmp_path / "one", tmp_path / "copy")
    (tmp_path / "one").rename(tmp_path / "moved")
    assert {open_(tmp_path / name, home).id for name in ("copy", "moved")} == {before.id}


def test_a_repository_unpacked_in_the_place_of_a_project_is_another(
    home: Path, project: Path, tmp_path: Path, new_repository: NewRepository, git: Git
) -> None:
    theirs = identify(project, home).id
    project.rename(tmp_path / "away")
    stranger(git, project)
    assert open_(project, home).id != theirs
    assert open_(tmp_path / "away", home).id == theirs


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_a_repository_of_another_user_is_worth_no_more(home: Path, project: Path, tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o055)
    subprocess.run(["chown", "-R", "65534:65534", str(home)], check=True)
    code = (
        "import os, subprocess, sys; from pathlib import Path\n"  # the library may be out of reach afterwards
        "from sidecar.checkout.history import History\n"
        "from sidecar.checkout.identity import identify\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "folder = Path(sys.argv[1])\n"
        "print(identify(folder, Path(sys.argv[2])).id, len(History(folder).ancestors(9) or ()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(project), str(home)],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.stdout.split() == [identify(project, home).id, "1"]


@pytest.mark.parametrize("inner", ["", "sub"])
def test_a_damaged_record_loses_nothing(home: Path, project: Path, git: Git, tmp_path: Path, inner: str) -> None:
    (project / inner).mkdir(exist_ok=True)
    clone(git, project, tmp_path / "clone")
    before = open_(project / inner, home).id
    (record,) = (home / "checkouts").glob("*.json")
    whole = record.read_bytes()
    for place in range(len(whole)):
        record.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert identify(project / inner, home).id == before, whole[place : place + 20]
    for damaged in (b"", whole[:50], b"\0" * len(whole)):
        record.write_bytes(damaged)
        assert open_(project / inner, home).id == before
        assert json.loads(record.read_bytes())["memory"] == json.loads(whole)["memory"]
    record.unlink()
    assert open_(project / inner, home).id == before


def test_a_folder_with_an_undecodable_name_has_an_identity(home: Path, project: Path, tmp_path: Path, git: Git) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    clone(git, project, odd)
    assert open_(odd, home).id == identify(project, home).id
    record_identity(identify(odd, home), home, keep=True)
    assert open_(odd, home).id == identify(project, home).id


def test_nothing_is_written_to_a_project_through_a_link(home: Path, project: Path, tmp_path: Path, git: Git) -> None:
    evil = stranger(git, tmp_path / "evil")
    shutil.rmtree(evil / ".git/info")
    (evil / ".git/info").symlink_to(project / ".git/info")
    (evil / ".git/memory-sidecar").symlink_to(project / ".git")
    before = {path: path.read_bytes() for path in (project / ".git").rglob("*") if path.is_file()}
    record_identity(identify(evil, home), home, keep=True)
    assert not exclude(evil, ".agents/MEMORY.md")
    assert {path: path.read_bytes() for path in (project / ".git").rglob("*") if path.is_file()} == before


def test_open_folder_is_not_recorded_for_its_replacement(home: Path, project: Path, tmp_path: Path, git: Git) -> None:
    theirs = identify(project, home)
    project.rename(tmp_path / "away")
    stranger(git, project)
    for keep in (False, True):
        record_identity(theirs, home, keep=keep)
        assert identify(project, home).id != theirs.id
        assert not (project / ".git/memory-sidecar").exists()
