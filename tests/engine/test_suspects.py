"""Memories whose files change: suspect only if affected, in that checkout only, and active again once restored."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from protocol import files as wire_files
from protocol import memories as wire
from sidecar.engine.engine import Engine
from sidecar.files.present import PresentFiles
from sidecar.settings import Settings
from sidecar.settings.model import EmbeddingSettings
from tests.client.calling import EngineCalls
from tests.client.git import git

MODULE = '''"""Two functions."""


def f(a: int) -> int:
    """Adds one."""
    return a + 1


def g(a: int) -> int:
    return a - 1


class C:
    def m(self) -> int:
        return 1

    def n(self) -> int:
        return 2
'''

Make = Callable[..., Engine]


@pytest.fixture
def folder(make_repository: Callable[[str], Path]) -> Path:
    made = make_repository("suspects")
    (made / "app" / "a.py").write_text(MODULE)
    git(made, "add", ".")
    git(made, "commit", "-qm", "second")
    return made


def record(engine: Engine, content: str, **more: object) -> wire.Memory:
    return EngineCalls(engine).memory_record(replace(wire.RecordParams(content=content), **more)).memory


def get(engine: Engine, memory: wire.Memory) -> wire.Memory:
    return EngineCalls(engine).memory_get(wire.IdParams(id=memory.id))


def edit(folder: Path, old: str, new: str, name: str = "app/a.py") -> None:
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def stale(memory: wire.Memory) -> list[str]:
    return [reference.text for reference in memory.references if reference.stale]


def test_a_symbol_is_suspect_only_when_it_has_changed_itself(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    kept = record(engine, "`app/a.py::f` adds one and never overflows")
    assert [(r.kind, r.path, r.symbol) for r in kept.references] == [("symbol", "app/a.py", "f")]
    edit(folder, "return a - 1", "return a - 2")
    assert get(engine, kept).status == "active"
    edit(folder, "    return a + 1", "    # adds\n    return (\n        a + 1\n    )")
    assert get(engine, kept).status == "suspect"  # brackets are code
    edit(folder, "    # adds\n    return (\n        a + 1\n    )", "    return a + 1  # one")
    assert get(engine, kept).status == "active"
    edit(folder, "a + 1", "a + 2")
    found = get(engine, kept)
    assert found.status == "suspect"
    assert stale(found) == ["app/a.py::f"]
    assert found.version == kept.version
    edit(folder, "a + 2", "a + 1")
    assert get(engine, kept).status == "active"


@pytest.mark.parametrize("kept_paths", [100_000, 1])
def test_a_change_that_a_record_notices_first_still_makes_older_memories_suspect(
    make_engine: Make, folder: Path, monkeypatch: pytest.MonkeyPatch, kept_paths: int
) -> None:
    monkeypatch.setattr("sidecar.files.present.KEPT_PATHS", kept_paths)
    engine = make_engine(folder)
    kept = record(engine, "`app/a.py::f` adds one and never overflows")
    asked = wire.InjectParams(prompt="Does f of app/a.py overflow?", files=["app/client.py"])
    assert "suspect" not in EngineCalls(engine).memory_inject(asked).text
    edit(folder, "a + 1", "a + 2")  # nobody reports it
    record(engine, "`app/a.py::g` takes one away", files=["app/a.py", "app/client.py"])
    (line,) = [line for line in EngineCalls(engine).memory_inject(asked).text.splitlines() if "never overflows" in line]
    assert "recorded against an older version of app/a.py" in line
    (hit,) = EngineCalls(engine).memory_search(wire.SearchParams(query="overflows")).items
    assert (hit.memory.id, hit.memory.status) == (kept.id, "suspect")


def test_verification_is_recorded_without_a_version(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    kept = record(engine, "`app/a.py::f` adds one")
    assert kept.verified_at is None
    edit(folder, "return a - 1", "return a - 2")
    engine.files_changed([(folder / "app" / "a.py").as_uri()])
    workspace = engine.workspaces.all()[0]
    thread = workspace.operations.get("verify").thread
    if thread is not None:
        thread.join(100)
    found = get(engine, kept)
    assert found.verified_at is not None
    assert found.version == 1
    history = EngineCalls(engine).memory_history(wire.IdParams(id=kept.id))
    assert [version.change for version in history.versions] == ["created"]


def test_a_file_is_suspect_when_anything_in_it_changed_unless_symbols_stand_for_it(
    make_engine: Make, folder: Path
) -> None:
    engine = make_engine(folder)
    whole = record(engine, "The helpers live in app/a.py", name="whole")
    with_symbol = record(engine, "In app/a.py the method `C.m` answers one", name="part", files=["app/a.py"])
    assert {r.symbol for r in with_symbol.references} == {None, "C.m"}
    edit(folder, "return a - 1", "return a - 2")
    assert get(engine, whole).status == "suspect"
    assert get(engine, with_symbol).status == "active"
    edit(folder, "        return 1", "        return 11")
    assert get(engine, with_symbol).status == "suspect"


def test_suspect_memory_is_shown_and_ranked_lower(make_engine: Make, folder: Path, plain: Settings) -> None:
    words_alone = msgspec.structs.replace(plain, embeddings=EmbeddingSettings(model="off"))
    engine = make_engine(folder, settings=words_alone)  # a model loaded meanwhile would change the order
    first = record(engine, "The retry helper in app/a.py doubles the delay", name="one")
    second = record(engine, "The retry helper in README.md doubles the delay", name="two")

    def order() -> list[str]:
        found = EngineCalls(engine).memory_search(wire.SearchParams(query="retry helper delay"))
        return [item.memory.id for item in found.items]

    def block() -> str:
        made = EngineCalls(engine).memory_inject(wire.InjectParams(prompt="the retry helper doubles the delay"))
        return str(made.text)

    quiet = block()
    assert quiet == block()
    assert "older version" not in quiet
    edit(folder, "a - 1", "a - 3")
    assert order()[-1] == first.id
    text = block()
    assert text == block()
    assert "recorded against an older version of app/a.py" in text
    assert "older version of README.md" not in text
    listed = EngineCalls(engine).memory_list(wire.ListParams(status="suspect"))
    assert [item.id for item in listed.items] == [first.id]
    edit(folder, "a - 3", "a - 1")
    assert block() == quiet
    text = (folder / "app" / "a.py").read_text()
    (folder / "app" / "a.py").unlink()
    assert "[app/a.py is gone]" in block()
    (folder / "app" / "a.py").write_text(text)
    assert block() == quiet
    assert get(engine, second).status == "active"


def test_two_worktrees_each_see_their_own_files(make_engine: Make, folder: Path, tmp_path: Path) -> None:
    side = tmp_path / "side"
    git(folder, "worktree", "add", "-q", str(side), "-b", "side")
    here, there = make_engine(folder), make_engine(side)
    kept = record(here, "`app/a.py::f` adds one")
    assert get(there, kept).status == "active"
    edit(side, "a + 1", "a + 5")
    assert get(there, kept).status == "suspect"
    assert get(here, kept).status == "active"
    assert get(there, kept).status == "suspect"
    git(side, "commit", "-qam", "five")
    git(folder, "checkout", "-q", "--detach", "side")
    assert get(here, kept).status == "suspect"
    git(folder, "checkout", "-q", "main")
    assert get(here, kept).status == "active"


def test_a_moved_file_is_followed(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    kept = record(engine, "`app/a.py::f` adds one", files=["app/a.py"])
    EngineCalls(engine).file_summary(wire_files.SummaryParams(path="app/a.py"))
    (folder / "app" / "a.py").rename(folder / "app" / "b.py")
    engine.files_renamed([((folder / "app" / "a.py").as_uri(), (folder / "app" / "b.py").as_uri())])
    found = get(engine, kept)
    assert found.status == "active"
    assert {r.path for r in found.references} == {"app/b.py"}
    assert found.files == ["app/b.py"]
    about = EngineCalls(engine).memory_search(wire.SearchParams(query="adds", files=["app/b.py"]))
    assert [item.memory.id for item in about.items] == [kept.id]
    thread = engine.workspaces.all()[0].operations.get("verify").thread
    if thread is not None:
        thread.join(100)
    edit(folder, "return a - 1", "return a - 7", "app/b.py")  # now found by its path, not by its content
    assert get(make_engine(folder), kept).status == "active"


def test_a_file_moved_by_a_shell_is_followed_and_a_deleted_one_is_not(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    kept = record(engine, "The helpers live in app/a.py")
    old, new = folder / "app" / "a.py", folder / "lib" / "helpers.py"
    new.parent.mkdir()
    old.rename(new)
    engine.files_changed([old.as_uri(), new.as_uri()])
    found = get(engine, kept)
    assert found.status == "active"
    assert found.references[0].path == "lib/helpers.py"
    new.unlink()
    engine.files_changed([new.as_uri()])
    assert get(engine, kept).status == "suspect"
    old.write_text(MODULE)
    engine.files_changed([old.as_uri()])
    assert get(engine, kept).status == "active"


def test_edits_made_meanwhile_are_seen_by_the_first_answer(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    kept = record(engine, "`app/a.py::f` adds one")
    other = record(engine, "`app/a.py::g` subtracts one")
    engine.close()
    edit(folder, "a + 1", "a + 9")
    again = make_engine(folder)
    found = EngineCalls(again).memory_search(wire.SearchParams(query="adds or subtracts one"))
    status = {item.memory.id: item.memory.status for item in found.items}
    assert status[kept.id] == "suspect"
    assert status[other.id] == "active"


def test_a_rewritten_memory_is_active_and_so_is_one_recorded_again(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    kept = record(engine, "`app/a.py::f` adds one", name="f")
    edit(folder, "a + 1", "a + 2")
    assert get(engine, kept).status == "suspect"
    EngineCalls(engine).memory_update(wire.UpdateParams(id=kept.id, content="`app/a.py::f` adds two"))
    assert get(engine, kept).status == "active"
    edit(folder, "a + 2", "a + 3")
    assert get(engine, kept).status == "suspect"
    record(engine, "`app/a.py::f` adds two", name="f")
    assert get(engine, kept).status == "active"


def test_global_memories_and_what_is_no_file_are_never_suspect(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    mine = record(engine, "I keep helpers in app/a.py", type="user", scope="global")
    gone = record(engine, "There was a src/removed.py once; see !12 and @alice or https://example.com/a/-/issues/3")
    assert gone.entities == ["!12", "@alice", "https://example.com/a/-/issues/3"]
    assert next((r.kind, r.text, r.path) for r in gone.references) == ("path", "src/removed.py", None)
    edit(folder, "a + 1", "a + 2")
    assert get(engine, mine).status == "active"
    assert get(engine, gone).status == "active"


def test_no_secret_is_kept_in_a_reference(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    word = "q7Zp" + "9xKw2LmT4v"
    kept = record(engine, f"The database is postgres://app:{word}@db.internal:5432/app and the code app/a.py")
    assert word not in repr(kept)


def test_a_file_moved_while_nobody_watched_is_found_when_files_are_read(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    kept = record(engine, "The helpers live in app/a.py", files=["app/a.py"])
    engine.close()
    (folder / "app" / "a.py").rename(folder / "app" / "moved.py")
    again = make_engine(folder)
    again.warm_up()
    found = get(again, kept)
    assert (found.status, found.files) == ("active", ["app/moved.py"])


def test_a_file_that_git_moved_while_nobody_watched_is_followed_at_once(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    kept = record(engine, "The helpers live in `app/a.py::f`")
    engine.close()
    git(folder, "mv", "app/a.py", "app/moved.py")
    git(folder, "commit", "-qam", "move")
    found = get(make_engine(folder, short_lived=True), kept)
    assert (found.status, found.references[0].path) == ("active", "app/moved.py")


def test_memory_verify_makes_it_hold_again(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    kept = record(engine, "`app/a.py::f` adds one")
    edit(folder, "a + 1", "a + 2")
    assert get(engine, kept).status == "suspect"
    verified = EngineCalls(engine).memory_verify(wire.IdParams(id=kept.id))
    assert (verified.status, verified.version) == ("active", 1)
    edit(folder, "a + 2", "a + 1")
    assert get(engine, kept).status == "suspect"


def test_a_symbol_without_its_file_is_looked_for_in_the_files_named(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    kept = record(engine, "In `app/a.py` the call g() subtracts; `fetch` of `Client` is elsewhere")
    assert {(r.text, r.path, r.symbol) for r in kept.references if r.hash} == {
        ("app/a.py", "app/a.py", None),
        ("g", "app/a.py", "g"),
    }
    nothing = record(engine, "Call `g()` and `Client.fetch` sometimes")
    assert [(r.text, r.path) for r in nothing.references] == [("g", None), ("Client.fetch", None)]


def test_a_gone_symbol_and_a_gone_file_are_counted(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    kept = record(engine, "`app/a.py::f` and `app/a.py::g` and README.md")
    edit(folder, "def f(", "def other(")
    (folder / "README.md").unlink()
    engine.files_changed([(folder / name).as_uri() for name in ("README.md", "app/a.py")])
    opened = engine.workspaces.all()[0].open()
    stored = opened.memory_store.get(kept.id)
    assert stored is not None
    assert opened.book.view.count_gone(stored, checks_files=False) == (2, 3)
    assert stored.status == "active"  # what one checkout sees is not stored for the others


def test_a_moved_file_is_shown_under_its_new_path(make_engine: Make, folder: Path) -> None:
    engine = make_engine(folder)
    kept = record(engine, "The adder in `app/a.py` never overflows, unlike app/settings.py.")
    git(folder, "mv", "app/a.py", "app/b.py")
    engine.files_renamed([((folder / "app" / "a.py").as_uri(), (folder / "app" / "b.py").as_uri())])
    paths = {reference.text: reference.path for reference in get(engine, kept).references}
    assert paths["app/a.py"] == "app/b.py"
    block = EngineCalls(engine).memory_inject(wire.InjectParams())
    assert "[app/a.py is now app/b.py]" in block.text
    assert "app/settings.py is now" not in block.text
    (item,) = (EngineCalls(engine).memory_list(wire.ListParams(files=["app/b.py"]))).items
    assert item.id == kept.id
    git(folder, "mv", "app/b.py", "app/a.py")
    engine.files_renamed([((folder / "app" / "b.py").as_uri(), (folder / "app" / "a.py").as_uri())])
    block = EngineCalls(engine).memory_inject(wire.InjectParams())
    assert "is now" not in block.text


def test_a_symbol_named_without_its_file_is_followed_to_the_one_that_defines_it(
    make_engine: Make, folder: Path
) -> None:
    (folder / "app" / "pay.py").write_text("def backoff_delay(n: int) -> int:\n    return 2**n\n")
    (folder / "app" / "b.py").write_text("def twice_defined() -> int:\n    return 1\n")
    (folder / "app" / "c.py").write_text("def twice_defined() -> int:\n    return 2\n")
    engine = make_engine(folder)
    EngineCalls(engine).workspace_repo_map(wire_files.RepoMapParams())  # which knows what is defined where
    kept = record(engine, "Always call `backoff_delay` before charging.")
    several = record(engine, "Prefer `twice_defined` where it is cheap.")
    (reference,) = kept.references
    assert (reference.path, reference.symbol) == ("app/pay.py", "backoff_delay")
    assert reference.hash
    assert [reference.path for reference in several.references] == [None]
    edit(folder, "2**n", "3**n", "app/pay.py")
    engine.files_changed([(folder / "app" / "pay.py").as_uri()])
    assert get(engine, kept).status == "suspect"
    assert get(engine, several).status == "active"


def test_memories_are_found_while_a_changed_file_is_read_to_judge_them(
    make_engine: Make, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(folder)
    kept = record(engine, "`app/a.py::f` adds one")
    edit(folder, "a + 1", "a + 2")
    reading, go_on = threading.Event(), threading.Event()
    read = PresentFiles.symbols

    def slow(files: PresentFiles, path: str, names: Collection[str]) -> Mapping[str, str]:
        if threading.current_thread() is judging:
            reading.set()
            assert go_on.wait(100)
        return read(files, path, names)

    monkeypatch.setattr(PresentFiles, "symbols", slow)
    judging = threading.Thread(target=engine.files_changed, args=([(folder / "app" / "a.py").as_uri()],))
    judging.start()
    assert reading.wait(100)
    found: list[wire.SearchResult] = []
    search = wire.SearchParams(query="adds one")
    searching = threading.Thread(target=lambda: found.append(EngineCalls(engine).memory_search(search)))
    searching.start()
    searching.join(30)
    was_found = bool(found)
    go_on.set()
    judging.join(100)
    searching.join(100)
    assert was_found
    assert [item.memory.id for item in found[0].items] == [kept.id]
    assert get(engine, kept).status == "suspect"
