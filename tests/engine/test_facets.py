"""Facets through the engine: learned while an agent works, shown while they hold, gone when they do not."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from protocol import events
from protocol import files as wire
from protocol.memories import InjectParams
from protocol.sessions import EndParams
from protocol.status import StatusParams
from sidecar.engine.engine import Engine
from sidecar.files.briefing.saved_tokens import MAX_READ_TOKENS
from sidecar.runtime.errors import FileUnavailable, MemoryDisabled, OutsideWorkspace, StoreUnavailable
from sidecar.settings import Settings
from sidecar.settings.model import MemorySettings
from sidecar.store.knowledge_store import KnowledgeStore
from tests.client.calling import EngineCalls
from tests.client.git import git
from tests.conftest import Spawn
from tests.engine.conftest import MakeEngine

SOURCE = '''"""Talks to the server and retries."""

import os

RETRIES = 3
DELAY = 0.5


class Client:
    """One connection."""

    def fetch(self, url: str, timeout: float = 1.0) -> bytes:
        """Fetch a page."""
        for attempt in range(RETRIES):
            try:
                return self._send(url, timeout)
            except OSError:
                self._wait(attempt)
        raise OSError(url)

    def _send(self, url: str, timeout: float) -> bytes:
        return os.fsencode(url)

    def _wait(self, attempt: int) -> None:
        os.times()


def parse_reply(data: bytes) -> str:
    """Decode what came back."""
    text = data.decode("latin-1")
    return text.strip()


def main() -> None:
    """Run the client."""
    print(parse_reply(Client().fetch("http://localhost")))


''' + "\n".join(f"def helper_{at}() -> int:\n    return {at}\n\n" for at in range(12))
FACT = "`parse_reply` decodes the reply as latin-1 because the old servers never send UTF-8."
REASONING = f"I have looked at the client now, to see how pages are decoded. {FACT} Next I will run the tests."


@pytest.fixture
def folder(repository: Path) -> Path:
    (repository / "app" / "client.py").write_text(SOURCE)
    return repository


def summary(engine: Engine, path: str = "app/client.py", **more: object) -> wire.SummaryResult:
    return EngineCalls(engine).file_summary(replace(wire.SummaryParams(path=path), **more))


def facts(engine: Engine, path: str = "app/client.py") -> list[str]:
    return [facet.text for facet in summary(engine, path).facets]


def observe(engine: Engine, text: str = REASONING, **more: object) -> wire.ObserveResult:
    params = wire.ObserveParams(session_id="s", text=text, paths=["app/client.py"])
    return EngineCalls(engine).file_observe(replace(params, **more))


def read(engine: Engine, path: str = "app/client.py", session_id: str = "s", **more: object) -> wire.RecordReadResult:
    params = wire.RecordReadParams(path=path, session_id=session_id)
    return EngineCalls(engine).file_record_read(replace(params, **more))


def tell(engine: Engine, text: str = REASONING, session_id: str = "s") -> list[str]:
    """Return what is stored of a text about the files that the session has read."""
    return [facet.text for facet in observe(engine, text, paths=None, session_id=session_id).facets]


def think(engine: Engine, text: str = REASONING, session_id: str = "s") -> None:
    EngineCalls(engine).event_reasoning(events.ReasoningParams(session_id=session_id, text=text))


def edit(folder: Path, old: str, new: str, path: str = "app/client.py") -> None:
    file = folder / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


# -- what goes wrong -----------------------------------------------------------------------------------------


def test_unreadable_file_is_reported_and_its_facets_refused(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    (folder / "blob.bin").write_bytes(bytes(range(256)) * 8)
    (folder / "huge.py").write_text("x = 1\n" * 300_000)
    for path in ("nowhere.py", "blob.bin", "huge.py", "app"):
        with pytest.raises(FileUnavailable):
            read(engine, path)
        found = observe(engine, paths=[path])
        assert found.facets == []
        assert [one.reason for one in found.refused] == ["noSuchFile"]
    (refused,) = observe(engine, paths=None).refused  # of a session that has read nothing
    assert (refused.text, refused.reason) == (REASONING, "noSuchFile")
    with pytest.raises(OutsideWorkspace):
        read(engine, "../secret.py")
    with pytest.raises(OutsideWorkspace) as caught:
        observe(engine, paths=["app/client.py", "../secret.py"])
    assert caught.value.data.path == "$.paths[1]"


def test_a_file_that_goes_between_read_and_thought_costs_nothing(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    read(engine)
    (folder / "app" / "client.py").unlink()
    assert tell(engine) == []
    (folder / "app" / "client.py").write_text(SOURCE)
    assert facts(engine) == []


def test_a_busy_store_is_an_error_of_observe_and_none_of_summary(
    make_engine: MakeEngine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(folder)
    observe(engine)

    def busy(*_: object) -> object:
        raise StoreUnavailable("The store is busy.", reason="busy")

    with monkeypatch.context() as patched:
        for name in ("update_facets", "facets", "change_number", "answers"):
            patched.setattr(KnowledgeStore, name, busy)
        with pytest.raises(StoreUnavailable):
            observe(engine, "`main` prints the parsed reply, since nobody else ever looks at what the client returns.")
        assert facts(engine) == []  # nothing is known now; the outline still answers
        think(engine)
    assert facts(engine) == [FACT]


def test_acknowledged_facets_survive_a_killed_process(
    make_engine: MakeEngine, folder: Path, spawn: Spawn, tmp_path: Path
) -> None:
    client = spawn(cwd=folder, ignore=("window/logMessage",))
    client.initialize(folder)
    found = client.call("file/observe", {"sessionId": "s", "text": REASONING, "paths": ["app/client.py"]})
    assert [facet["text"] for facet in found["facets"]] == [FACT]
    client.kill()
    again = spawn(cwd=folder, ignore=("window/logMessage",))
    again.initialize(folder)
    assert [facet["text"] for facet in again.call("file/summary", {"path": "app/client.py"})["facets"]] == [FACT]
    again.kill()


def test_four_observers_of_one_fact_keep_it_once(make_engine: MakeEngine, folder: Path) -> None:
    engines = [make_engine(folder) for _ in range(4)]
    kept: list[int] = []
    threads = [
        threading.Thread(target=lambda engine=engine: kept.append(len(observe(engine).facets))) for engine in engines
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(kept) == 1
    assert all(facts(engine) == [FACT] for engine in engines)


@pytest.mark.parametrize("off", [{"enabled": False}, {"learn": "off"}])
def test_where_learning_is_switched_off_nothing_is_learned(
    make_engine: MakeEngine, folder: Path, plain: Settings, off: dict[str, object]
) -> None:
    engine = make_engine(
        folder, settings=msgspec.structs.replace(plain, memory=msgspec.structs.replace(MemorySettings(), **off))
    )
    assert read(engine).known is False
    think(engine)
    with pytest.raises(MemoryDisabled):
        observe(engine)
    assert facts(engine) == []
    engine.close()
    assert facts(make_engine(folder)) == []


# -- learning ------------------------------------------------------------------------------------------------


def test_remark_on_a_read_file_is_shown_to_later_sessions(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    assert read(engine).known is False
    assert tell(engine) == [FACT]
    found = summary(engine)
    assert [facet.text for facet in found.facets] == [FACT]
    assert found.facets[0].symbols == ["parse_reply"]
    assert found.origin == "structural"
    assert f"Learned:\n- {FACT}" in found.summary
    assert found.summary.startswith("app/client.py (python,")
    assert read(engine).known is True
    engine.close()
    assert facts(make_engine(folder)) == [FACT]


def test_a_read_event_pairs_like_a_recorded_read(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    file = {"file_path": str(folder / "app" / "client.py")}
    EngineCalls(engine).event_tool_call(events.ToolCallParams(session_id="s", tool="Read", input=file))
    assert tell(engine) == [FACT]


def test_remark_is_paired_once_and_with_its_own_session(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    read(engine, session_id="other")
    assert tell(engine) == []
    read(engine)
    assert tell(engine, "There is nothing to say about it.") == []
    assert tell(engine) == []  # the reads were paired with what was said before
    assert tell(engine, session_id="other") == [FACT]


def test_without_a_model_nothing_is_taken_from_what_an_agent_thinks(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    read(engine)
    think(engine)
    assert facts(engine) == []


def test_read_of_another_content_is_not_paired(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    seen = read(engine, session_id="first").hash
    edit(folder, "DELAY = 0.5", "DELAY = 0.7")
    assert read(engine, content_hash=seen).hash != seen
    assert tell(engine) == []


def test_refusals_carry_their_reasons(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    assert [facet.path for facet in observe(engine).facets] == ["app/client.py"]
    again = observe(engine)
    assert again.facets == []
    assert "paraphrase" in {one.reason for one in again.refused if one.text == FACT}
    strange = observe(
        engine, "The whole of `frobnicate_all` runs twice because the scheduler never forgets a task it saw."
    )
    assert strange.facets == []
    assert {one.reason for one in strange.refused} == {"notInFile"}


def test_secrets_are_taken_out_before_anything_is_kept(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    observe(
        engine, f"`parse_reply` decodes latin-1 because the server at token {key} never sends UTF-8 to anybody here."
    )
    assert key not in summary(engine).summary
    store = engine.lifecycle.add_workspace(folder).open()
    assert all(key not in text for text in store.facets.texts(summary(engine).hash))


def test_no_more_than_eight_are_kept(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    for at in range(12):
        observe(
            engine,
            f"`helper_{at}` must stay side-effect free because plugin number {at * 7} calls it from a signal handler.",
        )
    assert len(facts(engine)) == 8


# -- carried over --------------------------------------------------------------------------------------------


def test_a_fact_follows_its_function_and_goes_with_its_body_and_comes_back(
    make_engine: MakeEngine, folder: Path
) -> None:
    engine = make_engine(folder)
    observe(engine)
    edit(folder, "RETRIES = 3", "RETRIES = 5")  # elsewhere
    assert facts(engine) == [FACT]
    edit(folder, "    text = data", "    # A comment.\n\n    text = data")  # layout and comments only
    assert facts(engine) == [FACT]
    edit(folder, '"latin-1"', '"utf-8"')
    changed = summary(engine)
    assert changed.facets == []
    assert FACT not in changed.summary
    assert [facet.text for facet in changed.former_facets] == [FACT]  # to be verified
    edit(folder, '"utf-8"', '"latin-1"')
    assert facts(engine) == [FACT]
    assert summary(engine).former_facets == []


def test_a_fact_is_found_after_a_restart_that_saw_no_change(make_engine: MakeEngine, folder: Path) -> None:
    first = make_engine(folder)
    observe(first)
    first.close()
    edit(folder, "DELAY = 0.5", "DELAY = 0.7")
    edit(folder, "class Client:", "class Client(object):")
    second = make_engine(folder)
    assert facts(second) == [FACT]
    files = derived_files(second)
    second.close()
    shutil.rmtree(files)  # derived data may disappear at any time
    assert facts(make_engine(folder)) == [FACT]


def derived_files(engine: Engine) -> Path:
    home = engine.workspaces.all()[0].data_home / "workspaces"
    (only,) = home.iterdir()
    return only / "files"


def test_branches_do_not_mix(make_engine: MakeEngine, folder: Path) -> None:
    git(folder, "commit", "-qam", "client")
    engine = make_engine(folder)
    observe(engine)
    git(folder, "checkout", "-qb", "other")
    edit(folder, '"latin-1"', '"utf-8"')
    git(folder, "commit", "-qam", "utf-8")
    assert facts(engine) == []
    observe(engine, "`parse_reply` strips the text last, so that no caller ever sees the trailing newline of servers.")
    assert len(facts(engine)) == 1
    git(folder, "checkout", "-q", "-")
    assert facts(engine) == [FACT]


def test_a_fact_moves_with_its_function_to_another_file_and_not_with_a_copy(
    make_engine: MakeEngine, folder: Path
) -> None:
    engine = make_engine(folder)
    observe(engine)
    start, end = SOURCE.index("def parse_reply"), SOURCE.index("def main")
    function = SOURCE[start:end]
    (folder / "app" / "replies.py").write_text(f'"""Replies."""\n\n\n{function}')
    assert facts(engine, "app/replies.py") == []  # it is also where it was
    (folder / "app" / "client.py").write_text(SOURCE.replace(function, ""))
    assert facts(engine, "app/replies.py") == [FACT]
    assert facts(engine) == []
    renamed = function.replace("def parse_reply", "def decode_reply")
    (folder / "app" / "replies.py").write_text(f'"""Replies."""\n\n\n{renamed}')
    assert facts(engine, "app/replies.py") == []


def test_a_renamed_and_edited_file_keeps_its_facts(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    observe(engine)
    (folder / "app" / "client.py").rename(folder / "app" / "web.py")
    edit(folder, "DELAY = 0.5", "DELAY = 0.7", "app/web.py")
    assert facts(engine, "app/web.py") == [FACT]


def test_a_fact_about_the_file_as_a_whole_ends_with_any_change(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    whole = "`fetch` is the only place in this module that ever retries, because the others run inside its loop."
    assert [facet.symbols for facet in observe(engine, whole).facets] == [[]]
    edit(folder, "DELAY = 0.5", "DELAY = 0.7")
    assert facts(engine) == []
    assert [facet.text for facet in summary(engine).former_facets] == [whole]


def test_a_worktree_is_shown_what_was_learned_in_another(make_engine: MakeEngine, folder: Path, tmp_path: Path) -> None:
    git(folder, "commit", "-qam", "client")
    observe(make_engine(folder))
    git(folder, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    edit(tmp_path / "tree", "DELAY = 0.5", "DELAY = 0.7")
    assert facts(make_engine(tmp_path / "tree")) == [FACT]


# -- briefings, tokens, hand-off -----------------------------------------------------------------------------


def test_injected_briefings_tell_facts_and_stay_the_same_bytes(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    observe(engine)
    params = InjectParams(files=["app/client.py"], budget_tokens=2_000)
    first = EngineCalls(engine).memory_inject(params)
    assert "decodes the reply as latin-1" in first.text
    assert first.tokens <= 2_000
    assert [EngineCalls(engine).memory_inject(params).text for _ in range(3)] == [first.text] * 3
    for budget in (70, 100, 150, 300):
        small = EngineCalls(engine).memory_inject(InjectParams(files=["app/client.py"], budget_tokens=budget))
        assert small.tokens <= budget
    other = make_engine(folder)
    assert EngineCalls(other).memory_inject(params).text == first.text


def saved(engine: Engine) -> int:
    return EngineCalls(engine).sidecar_status(StatusParams()).tokens_saved


def test_tokens_are_saved_only_where_the_file_was_not_read(make_engine: MakeEngine, folder: Path) -> None:
    (folder / "app" / "client.py").write_text(SOURCE + SOURCE.replace("def ", "def more_"))
    engine = make_engine(folder)
    summary(engine)
    assert saved(engine) == 0  # no session is known to have saved tokens
    found = summary(engine, session_id="s")
    assert found.advice is None
    spared = found.file_tokens - found.tokens
    assert saved(engine) == spared
    summary(engine, session_id="s")
    assert saved(engine) == spared
    summary(engine, session_id="t")
    assert saved(engine) == 2 * spared
    read(engine)
    assert saved(engine) == spared
    summary(engine, session_id="s")  # it has the file already
    assert saved(engine) == spared
    think(engine)  # an event starts the session
    EngineCalls(engine).session_end(EndParams(session_id="s"))
    engine.close()
    assert saved(make_engine(folder)) == spared


def test_tokens_of_awkward_readings_are_not_claimed(make_engine: MakeEngine, folder: Path) -> None:
    (folder / "app" / "client.py").write_text(SOURCE + SOURCE.replace("def ", "def more_"))
    engine = make_engine(folder)
    first = summary(engine, session_id="s")
    edit(folder, "latin-1", "utf-8")
    second = summary(engine, session_id="s")  # another content: it would have been read too
    assert saved(engine) == first.file_tokens - first.tokens + second.file_tokens - second.tokens
    edit(folder, "utf-8", "latin-1")
    summary(engine, session_id="s")
    assert saved(engine) == first.file_tokens - first.tokens + second.file_tokens - second.tokens
    summary(engine, session_id="t")
    read(engine, content_hash="0" * 32)  # it read another content than the current one
    assert saved(engine) == first.file_tokens - first.tokens  # only the other session's is left
    assert summary(engine, session_id="t").hash == first.hash
    read(engine, session_id="t")
    assert saved(engine) == 0


def test_of_a_large_file_no_more_is_claimed_than_one_read_shows(make_engine: MakeEngine, folder: Path) -> None:
    more = "    value = value + 1  # one more step of many\n" * 100
    lines = "".join(f"def step_{at}(value: int) -> int:\n{more}    return value\n\n\n" for at in range(100))
    (folder / "app" / "large.py").write_text(lines)
    engine = make_engine(folder)
    found = summary(engine, "app/large.py", session_id="s")
    assert found.advice is None
    assert found.file_tokens > MAX_READ_TOKENS
    assert saved(engine) == MAX_READ_TOKENS - found.tokens


def test_a_sub_agent_is_handed_the_last_files_in_a_line_each(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    observe(engine)
    for at in range(12):
        (folder / "app" / f"part_{at:02d}.py").write_text(f'"""Part {at}, which says a lot: {"word " * 60}."""\n')
        read(engine, f"app/part_{at:02d}.py")
    read(engine)
    (folder / "app" / "part_11.py").unlink()
    found = EngineCalls(engine).file_handoff(wire.HandoffParams(session_id="s"))
    assert [item.path for item in found.items][:3] == ["app/client.py", "app/part_10.py", "app/part_09.py"]
    assert len(found.items) == 10
    assert all(len(item.text) <= 150 for item in found.items)
    assert found.items[0].text.startswith(f"app/client.py — {FACT} · Talks to the")  # facts first
    assert found.items[1].text.endswith(" word…")  # cut at a word
    assert all(item.text in found.text for item in found.items)
    assert EngineCalls(engine).file_handoff(wire.HandoffParams(session_id="nobody")).text == ""


def test_compaction_keeps_what_stands_and_what_is_new(make_engine: MakeEngine, folder: Path) -> None:
    day = 86_400_000
    now = [1_000 * day]
    engine = make_engine(folder, clock=lambda: now[0])
    engine.warm_up()
    observe(engine)
    for number in range(18):  # more contents than a path keeps, none of them requested
        edit(folder, f"DELAY = {number - 1 if number else 0.5}", f"DELAY = {number}")
        engine.files_changed([str(folder / "app" / "client.py")])
    now[0] += 80 * day
    (folder / "app" / "new.py").write_text("NEW = 1\n")
    engine.warm_up()
    assert facts(engine) == [FACT]  # carried over from a content that no path has any more
    now[0] += 20 * day
    (folder / "app" / "newer.py").write_text("NEWER = 1\n")
    engine.warm_up()
    status = EngineCalls(engine).sidecar_status(StatusParams())
    assert status.workspaces[0].facets == 1  # the copy exists; its original is gone
    assert facts(engine) == [FACT]


def test_of_several_files_the_one_that_defines_it_takes_what_is_said(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    other = folder / "app" / "other.py"
    other.write_text("from app.client import Client\n\nclient = Client()\n")
    said = "Make a `Client` only after the settings were read, since it opens its connection at once."
    found = observe(engine, said, paths=["app/client.py", "app/other.py"])
    assert [facet.path for facet in found.facets] == ["app/client.py"]
    assert [facet.path for facet in observe(engine, said, paths=["app/other.py"]).facets] == ["app/other.py"]


def test_a_pair_of_files_is_shown_while_both_are_there(make_engine: MakeEngine, folder: Path) -> None:
    engine = make_engine(folder)
    wire_format = folder / "app" / "wire.py"
    wire_format.write_text("def encode_reply(text):\n    return text.encode('latin-1')\n")
    pair = "When you change `parse_reply`, change `encode_reply` in wire.py too."
    assert [facet.text for facet in observe(engine, pair).facets] == [pair]
    assert facts(engine) == [pair]
    edit(folder, "DELAY = 0.5", "DELAY = 0.7")
    assert facts(engine) == [pair]
    wire_format.unlink()
    assert facts(engine) == []
    assert [facet.text for facet in summary(engine).former_facets] == [pair]
    wire_format.write_text("# again\n")
    assert facts(engine) == [pair]
