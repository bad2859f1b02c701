"""`pending` reports the true state, and an answer about all files catches up first if little is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.files import FileSearchParams, FileSearchResult, RepoMapParams, RepoMapResult
from sidecar.engine.engine import Engine
from sidecar.files.index import catching_up
from sidecar.files.index.catching_up import READ_AT_ONCE
from tests.client.calling import EngineCalls
from tests.client.git import git
from tests.engine.conftest import MakeEngine

MANY = READ_AT_ONCE + 20


def find(engine: Engine, query: str) -> FileSearchResult:
    return EngineCalls(engine).file_search(FileSearchParams(query=query, limit=5))


def paths(found: FileSearchResult) -> list[str]:
    return [item.path for item in found.items]


def draw(engine: Engine) -> RepoMapResult:
    return EngineCalls(engine).workspace_repo_map(RepoMapParams(budget_tokens=8192))


def write(folder: Path, count: int, verb: str) -> None:
    (folder / "many").mkdir(exist_ok=True)
    for number in range(count):
        name = "".join(chr(ord("a") + int(digit)) for digit in str(number))
        (folder / "many" / f"part{number}.py").write_text(f"def {verb}{name}(): ...\n")


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "More parts")


def test_a_small_workspace_is_complete_at_the_first_question(make_engine: MakeEngine, repository: Path) -> None:
    found = find(make_engine(repository), "fetch a page with retries")
    assert paths(found)[0] == "app/client.py"
    assert found.pending == 0


def test_unread_file_is_pending_until_it_is_read(make_engine: MakeEngine, repository: Path) -> None:
    write(repository, MANY, "frobnicate")
    engine = make_engine(repository)
    known = len(git(repository, "ls-files").split())
    assert find(engine, "call frobnicateh").pending == MANY + known
    engine.warm_up()
    found = find(engine, "call frobnicateh")
    assert (found.pending, paths(found)[0]) == (0, "many/part7.py")


def test_an_engine_that_has_no_time_to_look_says_so(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catching_up, "SURVEY_SECONDS", -1.0)
    engine = make_engine(repository)
    assert find(engine, "fetch a page").pending == 4  # according to git's index
    (repository / ".git" / "index").unlink()
    assert find(engine, "fetch a page").pending == 1  # their number is unknown


def test_a_small_switch_is_taken_in_before_the_answer(make_engine: MakeEngine, repository: Path) -> None:
    git(repository, "checkout", "-qb", "other")
    write(repository, 20, "frobnicate")
    (repository / "app" / "client.py").unlink()
    commit(repository)
    git(repository, "checkout", "-q", "main")
    engine = make_engine(repository)
    engine.warm_up()
    assert paths(find(engine, "fetch a page"))[0] == "app/client.py"
    assert "def fetch" in draw(engine).text
    git(repository, "checkout", "-q", "other")  # and nobody reports it
    found = find(engine, "call frobnicateh")
    assert (found.pending, paths(found)[0]) == (0, "many/part7.py")
    assert "app/client.py" not in paths(find(engine, "fetch a page"))
    git(repository, "checkout", "-q", "main")
    drawn = draw(engine)
    assert "def fetch" in drawn.text
    assert "frobnicate" not in drawn.text
    git(repository, "checkout", "-q", "other")
    assert "frobnicateh" in draw(engine).text


def test_a_large_switch_is_pending_and_nothing_stale_is_shown(make_engine: MakeEngine, repository: Path) -> None:
    write(repository, MANY, "frobnicate")
    commit(repository)
    git(repository, "checkout", "-qb", "other")
    write(repository, MANY, "unzip")
    commit(repository)
    engine = make_engine(repository)
    engine.warm_up()
    assert paths(find(engine, "call unziph"))[0] == "many/part7.py"
    git(repository, "checkout", "-q", "main")
    found = find(engine, "call unziph")
    assert found.pending == MANY
    assert "many/part7.py" not in paths(found)
    engine.warm_up()
    found = find(engine, "call frobnicateh")
    assert (found.pending, paths(found)[0]) == (0, "many/part7.py")


def test_a_copy_of_a_known_file_is_found(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    engine.warm_up()
    find(engine, "fetch a page")
    copy = repository / "app" / "copied.py"
    copy.write_bytes((repository / "app" / "client.py").read_bytes())
    engine.files_changed([copy.as_uri()])
    assert "app/copied.py" in paths(find(engine, "fetch a page with retries"))
    assert "app/copied.py" in draw(engine).files


def test_binary_or_deleted_file_is_not_pending(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    engine.warm_up()
    binary = repository / "app" / "image.bin"
    binary.write_bytes(bytes(range(256)) * 40)
    engine.files_changed([binary.as_uri()])
    assert find(engine, "fetch a page").pending == 0
    gone = repository / "app" / "gone.py"
    gone.write_text("def gone(): ...\n")
    engine.files_changed([gone.as_uri()])
    gone.unlink()
    assert find(engine, "fetch a page").pending == 0


def test_a_switch_is_seen_from_a_folder_inside_the_repository(make_engine: MakeEngine, repository: Path) -> None:
    git(repository, "checkout", "-qb", "other")
    (repository / "app" / "client.py").write_text("def frobnicate_everything(): ...\n")
    (repository / "README.md").write_text("# Frobnicate everything\n")
    commit(repository)
    git(repository, "checkout", "-q", "main")
    engine = make_engine(repository / "app")
    assert paths(find(engine, "fetch a page with retries"))[0] == "client.py"
    git(repository, "checkout", "-q", "other")
    assert paths(find(engine, "frobnicate everything")) == ["client.py"]
