"""The repository map and the search for files, through the engine over real repositories and stores."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Unpack

import pytest
from msgspec.structs import replace

from protocol.files import FileSearchParams, FileSearchResult, RepoMapParams, RepoMapResult, SummaryParams
from protocol.status import CodeStatus, StatusParams
from sidecar.engine.engine import Engine
from sidecar.files.index.code_index import CodeIndex
from sidecar.files.outline import assemble
from sidecar.files.retrieval import past
from sidecar.files.retrieval.past import INDEXED_AT_ONCE
from sidecar.files.scan import braces
from sidecar.files.scan.record import ScannedDefinition
from sidecar.files.workers.pool import WorkerProcesses
from sidecar.files.workers.worker import decode_parsed
from sidecar.runtime.errors import MemoryDisabled, OutsideWorkspace
from sidecar.settings import Settings
from sidecar.store.records import ContentRecord
from sidecar.text.tokens import estimate
from tests.client.calling import EngineCalls
from tests.client.git import git
from tests.engine.conftest import MakeEngine, MakeOptions


def commit(folder: Path, message: str, **files: str) -> None:
    for name, text in files.items():
        (folder / "app" / f"{name}.py").write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)


def ready(make_engine: MakeEngine, *folders: Path, **options: Unpack[MakeOptions]) -> Engine:
    engine = make_engine(*folders, **options)
    engine.warm_up()
    return engine


def find(engine: Engine, query: str, **options: object) -> FileSearchResult:
    return EngineCalls(engine).file_search(replace(FileSearchParams(query=query), **options))


def paths(engine: Engine, query: str, **options: object) -> list[str]:
    return [item.path for item in find(engine, query, **options).items]


def draw(engine: Engine, budget: int = 4096, **options: object) -> RepoMapResult:
    result = EngineCalls(engine).workspace_repo_map(replace(RepoMapParams(budget_tokens=budget), **options))
    assert result.tokens == estimate(result.text) <= budget
    return result


def code_status(engine: Engine) -> CodeStatus:
    result = EngineCalls(engine).sidecar_status(StatusParams())
    code = result.workspaces[0].code
    assert code is not None
    return code


def code_of(engine: Engine) -> CodeIndex:
    kept = engine.workspaces.all()[0].open()
    return kept.index


def test_files_are_found_by_what_they_say(make_engine: MakeEngine, repository: Path) -> None:
    engine = ready(make_engine, repository)
    found = find(engine, "Retries of fetch time out")
    assert found.items[0].path == "app/client.py"
    assert found.items[0].score >= found.items[-1].score > 0
    assert found.pending == 0
    assert any(reason.startswith("says ") for reason in found.items[0].reasons)
    assert paths(engine, "pages", kinds=["docs"]) == ["README.md"]
    assert paths(engine, "zzz_nothing_like_it") == []
    assert len(paths(engine, "app client settings", limit=1)) == 1


def test_past_commits_speak_for_files(make_engine: MakeEngine, repository: Path) -> None:
    commit(repository, "Throttle the frobnicator", settings='"""Settings of the app."""\n\nDEBUG = True\n')
    engine = ready(make_engine, repository)
    found = find(engine, "the frobnicator is too fast")
    assert [item.path for item in found.items] == ["app/settings.py"]
    assert any(reason.startswith("similar commit ") for reason in found.items[0].reasons)
    commit(repository, "Calm the whizzbanger", client="X = 1\n")
    assert paths(engine, "whizzbanger")[0] == "app/client.py"


def test_a_search_does_not_wait_for_a_long_past(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository, "Throttle the frobnicator", settings="DEBUG = 1\n")
    for number in range(INDEXED_AT_ONCE):
        commit(repository, f"Calm the whizzbanger {number}", client=f"X = {number}\n")
    engine = ready(make_engine, repository)
    monkeypatch.setattr(past, "REFRESH_SECONDS", 0.0)
    late = find(engine, "whizzbanger or frobnicator")
    assert (late.history, [item.path for item in late.items]) == ("waiting", ["app/client.py"])
    monkeypatch.setattr(past, "REFRESH_SECONDS", 120.0)
    found = find(engine, "whizzbanger or frobnicator")
    assert found.history == "ready"
    assert {item.path for item in found.items} == {"app/client.py", "app/settings.py"}


def test_a_search_does_not_wait_for_who_reads_the_past(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ready(make_engine, repository)
    reading = code_of(engine).past.refreshing
    monkeypatch.setattr(past, "REFRESH_SECONDS", 0.05)
    with ThreadPoolExecutor(1) as other, reading:
        found = other.submit(find, engine, "fetch a page").result(timeout=60)
    assert (found.history, found.items[0].path) == ("waiting", "app/client.py")


def test_another_branch_is_no_past(make_engine: MakeEngine, repository: Path) -> None:
    git(repository, "checkout", "-qb", "side")
    commit(repository, "Throttle the frobnicator", settings="DEBUG = 2\n")
    git(repository, "checkout", "-q", "main")
    engine = ready(make_engine, repository)
    assert paths(engine, "frobnicator") == []
    git(repository, "checkout", "-q", "side")
    assert paths(engine, "frobnicator") == ["app/settings.py"]
    git(repository, "checkout", "-q", "main")
    assert paths(engine, "frobnicator") == []


def test_the_past_is_kept_and_read_once(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository, "Throttle the frobnicator", settings="DEBUG = 2\n")
    first = ready(make_engine, repository)
    assert paths(first, "frobnicator") == ["app/settings.py"]
    first.close()
    second = ready(make_engine, repository)
    monkeypatch.setattr(code_of(second).past.history, "commits", lambda ids: pytest.fail(f"read again: {ids}"))
    assert paths(second, "frobnicator") == ["app/settings.py"]


def test_a_setting_switches_the_past_off_and_forgets_it(
    make_engine: MakeEngine, repository: Path, plain: Settings
) -> None:
    commit(repository, "Throttle the frobnicator", settings="DEBUG = 2\n")
    with_past = ready(make_engine, repository)
    assert paths(with_past, "frobnicator") == ["app/settings.py"]
    with_past.close()
    off = ready(make_engine, repository, settings=replace(plain, files=replace(plain.files, history=False)))
    assert paths(off, "frobnicator") == []
    assert code_of(off).state().history == "off"
    assert not code_of(off).past.store.get_blob("history:1")


def test_without_a_repository_or_git_there_is_no_past(
    make_engine: MakeEngine, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "fetch.py").write_text("def fetch_page(): ...\n")
    engine = ready(make_engine, folder)
    assert paths(engine, "fetch page") == ["fetch.py"]
    assert code_of(engine).state().history == "unavailable"
    engine.close()
    monkeypatch.setenv("PATH", str(tmp_path))
    engine = ready(make_engine, repository)
    assert paths(engine, "fetch page")[0] == "app/client.py"
    assert code_of(engine).state().history == "unavailable"


def test_answers_are_for_what_is_on_disk_now(make_engine: MakeEngine, repository: Path) -> None:
    engine = ready(make_engine, repository)
    assert "def fetch" in draw(engine).text
    (repository / "app" / "client.py").write_text("def download_everything(url): ...\n")
    assert "download_everything" in draw(engine).text  # nobody reported the change
    assert "def fetch" not in draw(engine).text
    assert paths(engine, "download everything")[0] == "app/client.py"
    assert "app/client.py" not in paths(engine, "retries")
    (repository / "app" / "client.py").unlink()
    assert paths(engine, "download everything") == []
    assert "app/client.py" not in draw(engine).files
    fresh = repository / "app" / "fresh.py"
    fresh.write_text("def brand_new_thing(): ...\n")
    engine.files_changed([fresh.as_uri()])
    engine.warm_up()
    assert paths(engine, "brand new thing")[0] == "app/fresh.py"
    assert "brand_new_thing" in draw(engine).text


def test_the_same_files_give_the_same_map_in_another_process_of_work(
    make_engine: MakeEngine, repository: Path, plain: Settings, tmp_path: Path
) -> None:
    first = draw(ready(make_engine, repository), 200)
    other = replace(plain, store=replace(plain.store, folder=tmp_path / "other"))
    second = ready(make_engine, repository, settings=other)
    (repository / "app" / "client.py").write_text((repository / "app" / "client.py").read_text() + "\n# x\n")
    draw(second, 200)
    git(repository, "checkout", "-q", "app/client.py")
    assert draw(second, 200) == first
    assert "app/client.py" in draw(second, 60, files=["app/client.py"]).files
    with pytest.raises(OutsideWorkspace):
        draw(second, 200, files=[os.fspath(tmp_path / "elsewhere.py")])


def test_likely_files_are_told_only_when_it_is_sure(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    code = code_of(engine)
    assert code.likely_files("fetch pages with retries", 3) == []  # nothing is built, and no request waits
    engine.warm_up()
    code.prepare(lambda: None)
    assert code.likely_files("fetch pages with retries", 3)[0][0] == "app/client.py"
    assert code.likely_files("please look at app/settings.py", 3)[0][0] == "app/settings.py"
    assert code.likely_files("what a lovely morning for a walk along the river", 3) == []


def test_preparing_ends_when_it_is_told_to(make_engine: MakeEngine, repository: Path) -> None:
    class Stop(Exception):
        pass

    def stop() -> None:
        raise Stop

    engine = ready(make_engine, repository)
    with pytest.raises(Stop):
        code_of(engine).prepare(stop)
    assert "app/client.py" in draw(engine).files


def test_nothing_is_answered_where_memory_is_off(make_engine: MakeEngine, repository: Path, plain: Settings) -> None:
    engine = make_engine(repository, settings=replace(plain, memory=replace(plain.memory, enabled=False)))
    for method, params in (("file/search", FileSearchParams(query="x")), ("workspace/repoMap", RepoMapParams())):
        with pytest.raises(MemoryDisabled):
            engine.call(method, params)


def test_the_status_tells_how_far_it_is(make_engine: MakeEngine, repository: Path) -> None:
    engine = ready(make_engine, repository)
    before = code_status(engine)
    assert (before.files, before.waiting, before.commits, before.history) == (4, 0, 0, "waiting")
    find(engine, "anything")
    after = code_status(engine)
    assert (after.files, after.waiting, after.commits, after.history) == (4, 0, 1, "ready")


def test_the_first_map_waits_for_no_warm_up_and_is_the_same_later(make_engine: MakeEngine, repository: Path) -> None:
    cold = make_engine(repository)
    first = draw(cold)
    assert first.pending == 0
    assert "class Client" in first.text
    assert "def fetch" in first.text
    assert draw(cold) == first
    cold.warm_up()
    assert draw(cold) == first
    cold.close()
    again = make_engine(repository)
    assert draw(again) == first
    again.close()
    warmed = make_engine(repository)
    warmed.warm_up()
    assert draw(warmed) == first


def test_changes_made_while_nothing_ran_are_in_the_first_map(make_engine: MakeEngine, repository: Path) -> None:
    before = make_engine(repository)
    draw(before)
    before.close()
    (repository / "app" / "client.py").write_text("def download_everything(url): ...\n")
    (repository / "app" / "settings.py").unlink()
    (repository / "app" / "fresh.py").write_text("def brand_new_thing(): ...\n")
    after = draw(make_engine(repository))
    assert "download_everything" in after.text
    assert "def fetch" not in after.text
    assert "app/fresh.py" in after.files
    assert "app/settings.py" not in after.files


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: b"x" + data])
def test_a_kept_map_that_cannot_be_read_is_none(
    make_engine: MakeEngine, repository: Path, damage: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    from sidecar.files.index import map_files

    monkeypatch.setattr(map_files, "MIN_CHANGES_TO_SAVE", 1)
    before = make_engine(repository)
    first = draw(before)
    code = code_of(before)
    code.map_files.save()
    store, name = code.map_files.store, code.map_files.name
    kept = store.get_mapped(name)
    assert kept
    store.put_mapped(name, damage(bytes(kept)))
    before.close()
    assert draw(make_engine(repository)) == first


def test_a_kept_map_is_used(make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sidecar.files.index import map_files

    monkeypatch.setattr(map_files, "MIN_CHANGES_TO_SAVE", 1)
    before = make_engine(repository)
    first = draw(before)
    code_of(before).map_files.save()
    before.close()
    monkeypatch.setattr(map_files, "parse", lambda batch: pytest.fail(f"read again: {batch.paths}"))
    assert draw(make_engine(repository)) == first


def test_a_file_that_ends_its_worker_costs_only_itself(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sidecar.files.index import map_files
    from sidecar.files.workers.worker import Parsed
    from sidecar.files.workers.worker import parse as real

    asked: list[str] = []

    def parse(batch: Any) -> list[Parsed]:
        asked.extend(batch.paths)
        return [one if one.path != "app/client.py" else Parsed(one.path, -1, 0) for one in real(batch)]

    monkeypatch.setattr(map_files, "parse", parse)
    engine = make_engine(repository)
    assert "app/client.py" not in draw(engine).files
    code_of(engine).prepare(lambda: None)
    assert asked.count("app/client.py") == 1
    assert "app/settings.py" in draw(engine).files


@pytest.mark.parametrize("fails", [False, True])
def test_a_file_that_changes_while_the_map_is_drawn_is_shown_as_it_is_then(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    engine = make_engine(repository)
    code = code_of(engine)
    real = code.map_files.heads
    file = repository / "app" / "client.py"
    before = file.read_text()
    times: list[int] = []

    def heads(paths: Sequence[str], pool: WorkerProcesses) -> dict[str, Sequence[str]]:
        found = real(paths, pool)
        if "app/client.py" not in paths or len(times) > fails:
            return found
        times.append(1)
        if fails:  # unreadable for a moment, then as before
            del found["app/client.py"]
            return found
        file.write_text(before.replace("def fetch(self, url: str", "def fetch(self, address: str"))
        code.files.update(["app/client.py"])
        with WorkerProcesses(1, awaited=True) as other:
            code.map_files.catch_up(other)
        return found

    monkeypatch.setattr(code.map_files, "heads", heads)
    draw(engine)
    assert times
    shown = draw(engine).text
    assert ("def fetch(self, url: str" if fails else "def fetch(self, address: str") in shown


def test_a_map_without_workers_says_so_and_the_next_one_has_everything(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from sidecar.files.index import map_files
    from sidecar.files.workers.pool import WorkerProcess

    monkeypatch.setattr(map_files, "MAX_SCANNED_HERE", 0)
    monkeypatch.setattr(WorkerProcess, "ask", lambda self, batch: decode_parsed(b"nonsense"))
    engine = make_engine(repository)
    assert not draw(engine).files
    assert "The map leaves files out: the processes that scan files stopped at each of" in caplog.text
    with pytest.raises(map_files.WorkersGone):  # so it is retried with the next change, not for ever
        code_of(engine).prepare(lambda: None)
    monkeypatch.undo()
    assert "app/client.py" in draw(engine).files


def test_a_defect_costs_one_file_its_names_and_is_counted(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (repository / "app" / "odd.ts").write_text("export class Oddity {}\n")
    (repository / "app" / "even.ts").write_text("export class Evenness {}\n")
    rules = braces.JAVASCRIPT

    def defined(code: bytes, text: bytes) -> list[ScannedDefinition]:
        if b"Oddity" in code:
            raise AttributeError(text.decode())
        return rules.defined(code, text)

    monkeypatch.setattr(braces, "JAVASCRIPT", rules._replace(defined=defined))
    engine = ready(make_engine, repository)
    for _ in range(2):
        text = draw(engine).text
        assert "Evenness" in text
        assert "Oddity" not in text
    assert code_status(engine).failed == 1
    logged = [record.getMessage() for record in caplog.records if "without its definitions" in record.message]
    assert len(logged) == 1
    assert "app/odd.ts" in logged[0]
    assert "AttributeError in test_code.py" in logged[0]
    assert "Oddity" not in logged[0]
    (repository / "app" / "odd.ts").write_text("export class Plain {}\n")
    engine.files_changed([(repository / "app" / "odd.ts").as_uri()])
    assert "Plain" in draw(engine).text
    assert code_status(engine).failed == 0


def test_a_file_that_cannot_be_outlined_is_still_found_and_summed_up(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "app" / "odd.py").write_text("def zorbify_everything(): ...\n")
    assembled = assemble.assemble

    def broken(path: str, data: bytes, hash: str, recipe: int, *, shown: bool) -> ContentRecord:
        if b"zorbify" in data:
            raise RecursionError
        return assembled(path, data, hash, recipe, shown=shown)

    monkeypatch.setattr(assemble, "assemble", broken)
    engine = ready(make_engine, repository)
    assert paths(engine, "zorbify everything") == ["app/odd.py"]
    summary = EngineCalls(engine).file_summary(SummaryParams(path="app/odd.py"))
    assert summary.partial
    assert code_status(engine).failed == 1
