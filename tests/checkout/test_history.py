"""The past of a checkout, read through git from repositories that may be hostile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.checkout import history as module
from sidecar.checkout.history import Commit, History
from tests.checkout.conftest import Git


def commit(git: Git, folder: Path, message: str, *paths: str) -> str:
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{message}\n{path}\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD").strip()


def read(folder: Path, limit: int = 100) -> list[Commit]:
    past = History(folder)
    ids = past.ancestors(limit)
    assert ids is not None
    found = past.commits(ids)
    assert found is not None
    return found


@pytest.fixture
def repository(tmp_path: Path, new_repository: Callable[..., Path]) -> Path:
    return new_repository(tmp_path / "repo")


def test_commits_tell_their_message_and_files_newest_first(repository: Path, git: Git) -> None:
    id = commit(git, repository, "Fix the parser\n\nIt failed.\n\nSigned-off-by: A <a@b>", "src/p.py", "b.txt")
    newest, first = read(repository)
    assert newest.id == id
    assert newest.message == "Fix the parser\n\nIt failed."
    assert set(newest.files) == {"src/p.py", "b.txt"}
    assert newest.at > 1_500_000_000_000
    assert (first.message, first.files) == ("first", ("a.py",))


@pytest.mark.parametrize("below", ["", "packages/app"])
def test_a_file_that_git_moved_unchanged_is_found(repository: Path, git: Git, below: str) -> None:
    past = History(repository / below)
    commit(git, repository, "begin", f"{below}/price.py".lstrip("/"), f"{below}/other.py".lstrip("/"))
    assert past.renamed_path("price.py") is None
    (repository / below / "sub").mkdir()
    git(repository / below, "mv", "price.py", "sub/pricing.py")
    commit(git, repository, "move", "unrelated.txt")
    git(repository / below, "mv", "other.py", "another.py")
    (repository / below / "another.py").write_text("not what it was\n")
    commit(git, repository, "later")
    assert past.renamed_path("price.py") == "sub/pricing.py"
    assert past.renamed_path("other.py") is None
    assert past.renamed_path("unrelated.txt") is None
    assert past.renamed_path("nowhere.py") is None


def test_merges_and_other_branches_are_left_out(repository: Path, git: Git) -> None:
    git(repository, "checkout", "-q", "-b", "side")
    commit(git, repository, "on the side", "side.py")
    git(repository, "checkout", "-q", "main")
    commit(git, repository, "on main", "main.py")
    assert [c.message for c in read(repository)] == ["on main", "first"]
    git(repository, "merge", "-q", "--no-ff", "-m", "merge it", "side")
    assert {c.message for c in read(repository)} == {"on main", "on the side", "first"}


def test_mass_commits_name_no_files(repository: Path, git: Git) -> None:
    commit(git, repository, "reformat", *(f"f{n}.py" for n in range(module.MAX_COMMIT_FILES + 1)))
    assert read(repository)[0].files == ()


def test_a_folder_inside_has_its_own_paths(repository: Path, git: Git) -> None:
    commit(git, repository, "two places", "inner/x.py", "outer.py")
    assert read(repository / "inner")[0].files == ("x.py",)


def test_the_number_of_commits_is_bounded(repository: Path, git: Git) -> None:
    for n in range(5):
        commit(git, repository, f"number {n}", "a.py")
    assert [c.message for c in read(repository, 2)] == ["number 4", "number 3"]


def test_odd_names_and_messages_survive(repository: Path, git: Git) -> None:
    name = 'with "quotes" and\nnewline é.py'
    commit(git, repository, "odd \x01 \x1f \x02 deadbeef\n" + "a" * 40, name)
    found = read(repository)[0]
    assert found.files == (name,)
    assert found.message.startswith("odd \x01 \x1f \x02 deadbeef\n")


def test_a_shallow_clone_has_a_short_past(repository: Path, git: Git, tmp_path: Path) -> None:
    for n in range(4):
        commit(git, repository, f"number {n}", f"f{n}.py")
    git(tmp_path, "clone", "-q", "--depth", "2", repository.as_uri(), "shallow")
    assert [c.message for c in read(tmp_path / "shallow")] == ["number 3", "number 2"]


def test_no_repository_no_git_and_no_commit_are_told_apart(
    tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch, repository: Path
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert History(plain).ancestors(10) is None
    assert History(plain).state() is None
    git(plain, "init", "-q")
    assert History(plain).ancestors(10) == []
    monkeypatch.setenv("PATH", str(tmp_path))
    assert History(repository).ancestors(10) is None
    assert History(repository).commits(["0" * 40]) is None


def test_an_answer_beyond_the_bound_costs_only_the_commit_that_made_it(
    repository: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(git, repository, "large", *(f"folder/{'x' * 100}{n}.py" for n in range(20)))
    commit(git, repository, "small", "b.py")
    monkeypatch.setattr(module, "MAX_GIT_BYTES", 1_000)
    assert [c.message for c in read(repository)] == ["small", "first"]


def test_the_state_changes_with_head(repository: Path, git: Git) -> None:
    past = History(repository)
    states = [past.state()]
    commit(git, repository, "second", "b.py")
    states.append(past.state())
    git(repository, "checkout", "-q", "-b", "other")
    states.append(past.state())
    git(repository, "checkout", "-q", "--detach", "HEAD~1")
    states.append(past.state())
    assert len(set(states)) == 4
    assert past.state() == states[-1]
