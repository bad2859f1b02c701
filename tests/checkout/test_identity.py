"""Which checkouts share memory: worktrees, clones and moved folders do, same-named folders never do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sidecar.checkout import identity, repository_key
from sidecar.checkout.identity import Identity
from tests.checkout.conftest import Git, NewRepository

HOME = Path()


@pytest.fixture(autouse=True)
def data_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "HOME", tmp_path_factory.mktemp("data"))


def identify(folder: Path, override: str | None = None) -> Identity:
    return identity.identify(folder, HOME, override)


def opened(folder: Path) -> Identity:
    found = identify(folder)
    identity.record_identity(found, HOME)
    return found


def kept_identity(folder: Path) -> Identity:
    found = identify(folder)
    identity.record_identity(found, HOME, keep=True)
    return found


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_worktrees_share_and_have_checkouts_of_their_own(
    tmp_path: Path, git: Git, new_repository: NewRepository
) -> None:
    main = new_repository(tmp_path / "main")
    git(main, "worktree", "add", "-q", "../other", "-b", "other")
    one, two = kept_identity(main), identify(tmp_path / "other")
    assert (one.kind, one.inner, one.origin) == ("git", "", None)
    assert one.id == two.id
    assert one.checkout != two.checkout
    assert two.repository == tmp_path / "other"


def test_two_clones_of_one_remote_share(tmp_path: Path, git: Git, new_repository: NewRepository) -> None:
    remote = new_repository(tmp_path / "remote")
    for name in ("one", "two"):
        git(tmp_path, "clone", "-q", str(remote), name)
    one, two = identify(tmp_path / "one"), identify(tmp_path / "two")
    assert one.id == two.id
    assert one.checkout != two.checkout
    assert one.origin == f"file:{remote}"


def test_spellings_of_the_remote_share_and_other_remotes_do_not(
    tmp_path: Path, git: Git, new_repository: NewRepository
) -> None:
    one = new_repository(tmp_path / "1" / "app", "git@example.org:team/app.git")
    two, three = tmp_path / "2" / "app", tmp_path / "3" / "app"
    for other, origin in ((two, "https://me:secret@example.org/team/app"), (three, "https://example.org/fork/app")):
        shutil.copytree(one, other)
        git(other, "remote", "set-url", "origin", origin)
    assert identify(one).id == identify(two).id
    assert identify(one).id != identify(three).id
    assert "secret" not in repr(identify(two))


def test_same_named_folders_never_share(tmp_path: Path, new_repository: NewRepository) -> None:
    folders = [new_repository(tmp_path / "1" / "app"), new_repository(tmp_path / "2" / "app")]
    for place in ("3", "4"):
        plain = tmp_path / place / "app"
        plain.mkdir(parents=True)
        folders.append(plain)
    assert len({identify(folder).id for folder in folders}) == 4


def test_a_moved_checkout_is_found_again(tmp_path: Path, new_repository: NewRepository) -> None:
    old = new_repository(tmp_path / "old")
    before = kept_identity(old)
    new = tmp_path / "deep" / "new"
    new.parent.mkdir()
    old.rename(new)
    after = identify(new)
    assert after.id == before.id
    assert after.checkout != before.checkout


def test_a_changed_origin_does_not_change_a_kept_id(tmp_path: Path, git: Git, new_repository: NewRepository) -> None:
    repository = new_repository(tmp_path / "r")
    before = kept_identity(repository).id
    git(repository, "remote", "add", "origin", "git@example.org:a/b.git")
    assert identify(repository).id == before
    assert identify(repository).origin == "example.org/a/b"
    git(repository, "remote", "set-url", "origin", "git@example.org:moved/b.git")
    assert identify(repository).id == before


def test_nothing_is_written_before_it_is_kept_and_then_one_small_file(
    tmp_path: Path, new_repository: NewRepository
) -> None:
    repository = new_repository(tmp_path / "r")
    before = files_below(repository)
    found = identify(repository)
    assert files_below(repository) == before
    identity.record_identity(found, HOME, keep=True)
    assert files_below(repository) - before == {".git/memory-sidecar", ".git/memory-sidecar/key"}
    assert len((repository / ".git/memory-sidecar/key").read_text().strip()) == 32
    assert identify(repository) == found


@pytest.mark.parametrize("without", ["", "description"])
def test_another_repository_in_the_place_of_one_that_moved_is_another(
    tmp_path: Path, new_repository: NewRepository, without: str
) -> None:
    place = tmp_path / "r"
    old = new_repository(place)
    if without:
        (old / ".git" / without).unlink()
    before = kept_identity(old)
    place.rename(tmp_path / "moved")
    new = new_repository(place)
    if without:
        (new / ".git" / without).unlink()
    assert opened(tmp_path / "moved").id == before.id
    assert opened(place).id != before.id


def test_workspace_opened_without_an_origin_keeps_its_id(
    tmp_path: Path, git: Git, new_repository: NewRepository
) -> None:
    repository = new_repository(tmp_path / "r")
    before = identify(repository)
    git(repository, "remote", "add", "origin", "git@example.org:a/b.git")
    git(repository, "commit", "-q", "--allow-empty", "-m", "work goes on")
    identity.record_identity(before, HOME, keep=True)
    assert identify(repository).id == before.id


def test_sub_folders_have_their_own_memory(tmp_path: Path, git: Git, new_repository: NewRepository) -> None:
    repository = new_repository(tmp_path / "mono")
    sub = repository / "packages" / "web"
    sub.mkdir(parents=True)
    top, inner = kept_identity(repository), identify(sub)
    assert inner.inner == "packages/web"
    assert inner.repository == repository
    assert top.id != inner.id
    git(repository, "worktree", "add", "-q", "../w", "-b", "w")
    (tmp_path / "w/packages/web").mkdir(parents=True)
    assert identify(tmp_path / "w/packages/web").id == inner.id


def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path, git: Git, new_repository: NewRepository) -> None:
    library = new_repository(tmp_path / "library")
    outer = new_repository(tmp_path / "outer")
    git(outer, "submodule", "add", "-q", str(library), "lib")
    inner = identify(outer / "lib")
    assert inner.kind == "git"
    assert inner.repository == outer / "lib"
    assert inner.origin == f"file:{library}"
    assert inner.id != identify(outer).id
    git(tmp_path, "clone", "-q", str(library), "clone")
    assert identify(tmp_path / "clone").id == inner.id


def test_a_relative_submodule_url_is_resolved(tmp_path: Path, git: Git, new_repository: NewRepository) -> None:
    library = new_repository(tmp_path / "library")
    repository = new_repository(tmp_path / "r", "../library")
    assert identify(repository).origin == f"file:{library}"
    git(repository, "worktree", "add", "-q", "../deep/w", "-b", "w")
    assert identify(tmp_path / "deep/w").origin == f"file:{library}"


def test_a_bare_repository_has_an_identity(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q", "--bare", "x.git")
    bare = identify(tmp_path / "x.git")
    assert (bare.kind, bare.inner, bare.repository) == ("git", "", tmp_path / "x.git")
    git(tmp_path, "clone", "-q", "x.git", "clone")
    assert identify(tmp_path / "clone").kind == "git"


def test_the_git_directory_itself_is_an_inner_folder(tmp_path: Path, new_repository: NewRepository) -> None:
    repository = new_repository(tmp_path / "r")
    assert identify(repository / ".git" / "hooks").inner == ".git/hooks"


def test_symlinked_folders_and_git_directories_have_the_same_identity(
    tmp_path: Path, new_repository: NewRepository
) -> None:
    repository = new_repository(tmp_path / "r")
    (tmp_path / "link").symlink_to(repository)
    assert identify(tmp_path / "link") == identify(repository)
    (repository / ".git").rename(tmp_path / "elsewhere")
    (repository / ".git").symlink_to(tmp_path / "elsewhere")
    assert identify(repository) == identify(tmp_path / "link")
    assert identify(repository).kind == "path"
    (tmp_path / "elsewhere/config").open("a").write("[core]\nworktree = ../link\n")
    assert identify(repository).kind == "git"


@pytest.mark.parametrize("content", [None, "gitdir: /nowhere\n", "nonsense", "gitdir:\n", "gitdir: a\0b"])
def test_a_git_entry_that_is_no_repository_is_passed_over(tmp_path: Path, content: str | None) -> None:
    marker = tmp_path / ".git"
    if content is None:
        marker.mkdir()
    else:
        marker.write_text(content)
    identity = identify(tmp_path)
    assert (identity.kind, identity.repository) == ("path", None)


def test_an_empty_git_directory_inside_a_repository_is_passed_over(
    tmp_path: Path, new_repository: NewRepository
) -> None:
    repository = new_repository(tmp_path / "r")
    (repository / "sub" / ".git").mkdir(parents=True)
    assert identify(repository / "sub").inner == "sub"


def test_a_folder_without_git_goes_by_its_real_path(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    assert identify(folder) == identify(tmp_path / "link")
    assert identify(folder).kind == "path"
    assert files_below(folder) == set()
    assert identify(tmp_path / "missing").kind == "path"


def test_an_override_counts_alone_and_writes_nothing(tmp_path: Path, new_repository: NewRepository) -> None:
    repository = new_repository(tmp_path / "r")
    (tmp_path / "plain").mkdir()
    one, two = identify(repository, "work"), identify(tmp_path / "plain", " work ")
    assert one.id == two.id
    assert one.kind == two.kind == "override"
    assert one.id != identify(repository, "other").id
    assert not (repository / ".git/memory-sidecar").exists()
    assert identify(repository, "  ").kind == "git"


def test_the_environment_of_git_has_no_say(
    tmp_path: Path, new_repository: NewRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = new_repository(tmp_path / "1"), new_repository(tmp_path / "2")
    before = identify(one)
    monkeypatch.setenv("GIT_DIR", str(two / ".git"))
    monkeypatch.setenv("PATH", "")
    assert identify(one) == before


def unwritable(repository: Path) -> None:
    # A file in the folder's place stops everybody from writing, root included.
    (repository / ".git" / repository_key.KEY_FOLDER).write_text("in the way")


def test_an_unwritable_common_dir_still_gives_a_stable_id(tmp_path: Path, new_repository: NewRepository) -> None:
    without = new_repository(tmp_path / "1")
    unwritable(without)
    assert identify(without) == identify(without)
    assert identify(without).kind == "git"
    hosted = new_repository(tmp_path / "2", "git@example.org:a/b")
    unwritable(hosted)
    shutil.copytree(hosted, tmp_path / "3")
    assert opened(hosted).id == opened(hosted).id == identify(tmp_path / "3").id


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_a_read_only_repository_of_another_user(tmp_path: Path, new_repository: NewRepository) -> None:
    repository = new_repository(tmp_path / "r")
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    code = (
        "import os, sys; from pathlib import Path\n"
        "from sidecar.checkout.identity import identify\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "print(*(identify(Path(sys.argv[1]), None).id for _ in range(2)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(repository)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    one, two = done.stdout.split()
    assert one == two
    assert not (repository / ".git/memory-sidecar").exists()


def test_a_planted_symlink_is_not_written_through(tmp_path: Path, new_repository: NewRepository) -> None:
    repository = new_repository(tmp_path / "r")
    victim = tmp_path / "victim"
    victim.mkdir()
    (repository / ".git/memory-sidecar").symlink_to(victim)
    assert identify(repository) == identify(repository)
    assert files_below(victim) == set()


@pytest.mark.parametrize("content", [b"", b"garbage\n", b"../../etc/passwd", b"\xff" * 5000])
def test_a_damaged_key_is_mended_once(tmp_path: Path, new_repository: NewRepository, content: bytes) -> None:
    repository = new_repository(tmp_path / "r")
    before = kept_identity(repository).id
    (repository / ".git/memory-sidecar/key").write_bytes(content)
    assert kept_identity(repository).id == before
    repository.rename(tmp_path / "moved")
    assert identify(tmp_path / "moved").id == before


def test_a_race_has_one_winner(tmp_path: Path, new_repository: NewRepository) -> None:
    repository = new_repository(tmp_path / "r")
    for _ in range(20):
        with ThreadPoolExecutor(8) as pool:
            ids = set(pool.map(lambda _: repository_key.ensure_key(repository / ".git"), range(8)))
        assert len(ids) == 1
        assert os.listdir(repository / ".git/memory-sidecar") == ["key"]
        shutil.rmtree(repository / ".git/memory-sidecar")
