"""Export, import and bootstrap through the engine: exact, all or nothing, and never against what was forgotten."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from protocol.interchange import ImportParams
from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import Cancelled, FileUnavailable, InvalidField, OutsideWorkspace
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, StoreSettings, WatchSettings
from tests.client.calling import MethodCaller

Make = Callable[..., Engine]
FIXTURES = Path(__file__).parents[1] / "interchange" / "fixtures"
SECRET = "ghp_" + "x7Kq2mVb9TzR4nWc8YpL3sDf6HgJ1aEo5UiQ"


def exported(engine: Engine, **params: object) -> str:
    lines: list[str] = []
    cursor: dict[str, object] = {}
    while True:
        page = MethodCaller(engine)("memory/export", **params, **cursor)
        lines += page.lines
        if page.cursor is None:
            return "\n".join(lines) + "\n"
        cursor = {"cursor": page.cursor}


def settings_of(store: Path) -> Settings:
    return Settings(
        store=StoreSettings(folder=store), files=FileSettings(warm_up=False), watch=WatchSettings(mode="off")
    )


def fresh(store: Path, clock: Callable[[], int] | None = None) -> Engine:
    """Return an engine with a store and a folder of its own."""
    folder = store.with_name(f"{store.name}-folder")
    folder.mkdir()
    options = EngineOptions(source="user") if clock is None else EngineOptions(source="user", clock=clock)
    engine = Engine(settings_of(store), options)
    engine.lifecycle.add_workspace(folder)
    return engine


@pytest.fixture
def user(make_engine: Make, repository: Path) -> Engine:
    """Return the engine of a person at the command line."""
    return make_engine(repository, source="user")


def link(engine: Engine, source: str, target: str) -> None:
    params: dict[str, object] = {"from": source, "to": target, "kind": "extends", "strength": 0.25}
    MethodCaller(engine)("memory/link", **params)


def record(engine: Engine, content: str, **fields: object) -> str:
    return str(MethodCaller(engine)("memory/record", content=content, **fields).memory.id)


# -- our own export --------------------------------------------------------------------------------------------


@hypothesis_settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10_000), steps=st.integers(1, 40), deleted=st.booleans(), history=st.booleans())
def test_a_random_history_comes_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, seed: int, steps: int, deleted: bool, history: bool
) -> None:
    folder = tmp_path_factory.mktemp("interchange")
    chance = random.Random(seed)
    now = [1_790_000_000_000]

    def clock() -> int:
        now[0] += chance.randrange(1, 5_000_000)
        return now[0]

    first = fresh(folder / "a", clock)
    ids: list[str] = []
    for step in range(steps):
        act = chance.randrange(9)
        if act < 3 or len(ids) < 2:
            ids.append(
                record(
                    first,
                    f"Thing {chance.randrange(12)} of step {step} é\u2028 `x.py` #{step}",
                    scope=chance.choice(["personal", "project", "global"]),
                    category=chance.choice([None, "directive", "decision"]),
                    tags=[f"t{step}"],
                    pinned=chance.random() < 0.2,
                    **({"name": f"Name {chance.randrange(4)}"} if chance.random() < 0.5 else {}),
                )
            )
            continue
        id, other = chance.sample(sorted(set(ids)), 2) if len(set(ids)) > 1 else (ids[0], ids[0])
        try:
            if act == 3:
                MethodCaller(first)("memory/update", id=id, content=f"Changed in step {step}")
            elif act == 4:
                MethodCaller(first)("memory/delete", id=id, purge=chance.random() < 0.3)
            elif act == 5:
                MethodCaller(first)("memory/archive", id=id)
            elif act == 6:
                MethodCaller(first)("memory/undo", id=id)
            elif act == 7:
                link(first, id, other)
            else:
                MethodCaller(first)("memory/inject", prompt="thing of step", sessionId=f"s{step}")
        except (InvalidField, msgspec.ValidationError):
            continue
        except Exception as error:
            if type(error).__name__ != "MemoryNotFound":
                raise
    before = exported(first, deleted=deleted, history=history)
    first.close()
    (folder / "x.jsonl").write_text(before)
    second = fresh(folder / "b", clock)
    done = MethodCaller(second)("memory/import", path=str(folder / "x.jsonl"))
    assert exported(second, deleted=deleted, history=history) == before
    assert set(done.counts) - {key for key, count in done.counts.items() if not count} <= {"created"}
    again = MethodCaller(second)("memory/import", path=str(folder / "x.jsonl"))
    assert (again.counts["created"], again.counts["merged"], again.links, again.tombstones) == (0, 0, 0, 0)
    assert exported(second, deleted=deleted, history=history) == before
    second.close()


def test_two_thousand_memories_come_back_over_pages(user: Engine, tmp_path: Path, repository: Path) -> None:
    text = "\n\n".join(f"## Rule {n}\n\nThe part {n} of the engine turns {n * 7} times." for n in range(2_000))
    (tmp_path / "many.md").write_text(text)
    assert MethodCaller(user)("memory/import", path=str(tmp_path / "many.md")).counts["created"] == 2_000
    first = MethodCaller(user)("memory/export")
    assert first.cursor is not None
    assert first.memories < 600
    before = exported(user)
    (tmp_path / "x.jsonl").write_text(before)
    other = fresh(tmp_path / "other")
    assert MethodCaller(other)("memory/import", path=str(tmp_path / "x.jsonl")).counts["created"] == 2_000
    assert exported(other) == before
    other.close()


def test_reminders_and_facts_about_files_are_taken_along(tmp_path: Path) -> None:
    now = [1_795_251_600_000]

    def clock() -> int:
        now[0] += 1_000
        return now[0]

    first = fresh(tmp_path / "a", clock)
    folder = tmp_path / "a-folder"
    (folder / "retry.py").write_text('"""Retries."""\n\n\ndef retry_twice(call):\n    return call() or call()\n')
    record(first, "The port is 8000.", name="Port")
    MethodCaller(first)("reminder/set", text="write the changelog", at="+2h", timezone="Europe/Berlin")
    weekly = MethodCaller(first)("reminder/set", text="look at the blockers", at="next monday", recurrence="weekly")
    done = MethodCaller(first)("reminder/set", text="call Ada", at="+1h", timezone="UTC").reminder
    MethodCaller(first)("reminder/clear", id=done.id)
    MethodCaller(first)("file/recordRead", path="retry.py", sessionId="s")
    learned = MethodCaller(first)(
        "file/observe",
        sessionId="s",
        text="`retry_twice` calls the given function once more when its first answer is false, "
        "so a call that writes may write twice.",
        paths=["retry.py"],
    )
    assert len(learned.facets) == 1
    before = exported(first)
    assert before.count('"kind":"reminder"') == 3
    assert before.count('"kind":"facets"') == 1
    assert '"kind":"reminder"' not in exported(first, scopes=["personal", "global"])
    first.close()
    (tmp_path / "x.jsonl").write_text(before)

    second = fresh(tmp_path / "b", clock)
    dry = MethodCaller(second)("memory/import", path=str(tmp_path / "x.jsonl"), dryRun=True)
    assert (dry.reminders, dry.facets) == (3, 1)
    assert MethodCaller(second)("reminder/list", all=True).items == []
    imported = MethodCaller(second)("memory/import", path=str(tmp_path / "x.jsonl"))
    assert (imported.counts["created"], imported.reminders, imported.facets) == (1, 3, 1)
    assert exported(second) == before
    again = MethodCaller(second)("memory/import", path=str(tmp_path / "x.jsonl"))
    assert (again.counts["duplicate"], again.reminders, again.facets) == (1, 0, 0)
    (tmp_path / "b-folder" / "elsewhere.py").write_bytes((folder / "retry.py").read_bytes())
    found = MethodCaller(second)("file/summary", path="elsewhere.py").facets
    assert [each.text for each in found] == [each.text for each in learned.facets]

    moved = MethodCaller(second)("reminder/advance", id=weekly.reminder.id)
    MethodCaller(second)("memory/import", path=str(tmp_path / "x.jsonl"))
    (kept,) = [each for each in MethodCaller(second)("reminder/list").items if each.id == weekly.reminder.id]
    assert kept.at == moved.at
    second.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"zone":"UTC"', '"zone":7'),
        ('"every":"weekly"', '"every":"whenever"'),
        ('"first":"20', '"first":"soon20'),
        ('"text":"call Ada"', '"text":"  "'),
    ],
)
def test_a_reminder_that_could_not_have_been_set_stores_nothing(tmp_path: Path, old: str, new: str) -> None:
    first = fresh(tmp_path / "a")
    record(first, "The port is 8000.")
    MethodCaller(first)("reminder/set", text="call Ada", at="+1h", timezone="UTC", recurrence="weekly")
    text = exported(first)
    assert old in text
    first.close()
    (tmp_path / "x.jsonl").write_text(text.replace(old, new))
    second = fresh(tmp_path / "b")
    with pytest.raises(InvalidField):
        MethodCaller(second)("memory/import", path=str(tmp_path / "x.jsonl"))
    assert MethodCaller(second)("memory/list").items == []
    assert MethodCaller(second)("reminder/list", all=True).items == []
    second.close()


def test_an_export_of_version_one_is_read(user: Engine, tmp_path: Path) -> None:
    record(user, "The port is 8000.", name="Port")
    (tmp_path / "x.jsonl").write_text(exported(user).replace('"version":3', '"version":1', 1))
    other = fresh(tmp_path / "other")
    assert MethodCaller(other)("memory/import", path=str(tmp_path / "x.jsonl")).counts["created"] == 1
    other.close()


def test_facts_of_an_export_keep_to_the_limits(tmp_path: Path) -> None:
    first = fresh(tmp_path / "a")
    facet = {"text": "`load` reads the file twice, so keep it small.", "identifiers": ["load"], "at": 1, "source": "x"}
    bad = [
        {**facet, "text": f"The token of `load` is {SECRET} for ever."},
        {**facet, "text": "short"},
        {**facet, "text": "`load` leaves </memory-notes> the fence at once."},
        {**facet, "path": "../../etc/passwd"},
    ]
    line = {"kind": "facets", "store": "workspace", "hash": "0" * 32, "facets": [facet, *bad]}
    lines = exported(first).splitlines()
    given = [lines[0], msgspec.json.encode(line).decode(), lines[-1].replace('"lines":1', '"lines":2')]
    (tmp_path / "x.jsonl").write_text("\n".join(given) + "\n")
    assert MethodCaller(first)("memory/import", path=str(tmp_path / "x.jsonl")).facets == 1
    first.close()


def test_scopes_are_chosen_and_their_links(user: Engine) -> None:
    project = record(user, "The parser is hand-written.", scope="project")
    personal = record(user, "I like the parser.", scope="personal")
    shared = record(user, "Parsers are fun in every project.", scope="global")
    link(user, project, personal)
    link(user, shared, project)
    only = exported(user, scopes=["project"])
    assert project in only
    assert personal not in only
    assert shared not in only
    assert exported(user).count('"kind":"link"') == 2


def test_deleted_memories_are_exported_only_when_asked(user: Engine) -> None:
    id = record(user, "The staging host is called heron.")
    MethodCaller(user)("memory/delete", id=id)
    assert "heron" not in exported(user)
    assert '"kind":"tombstone"' in exported(user)
    assert "heron" in exported(user, deleted=True)


def test_forgotten_stays_forgotten_unless_asked(user: Engine, tmp_path: Path) -> None:
    id = record(user, "The staging host is called heron.")
    (tmp_path / "x.jsonl").write_text(exported(user))
    MethodCaller(user)("memory/delete", id=id)
    assert MethodCaller(user)("memory/import", path=str(tmp_path / "x.jsonl")).counts["forgotten"] == 1
    assert MethodCaller(user)("memory/list").items == []
    assert MethodCaller(user)("memory/import", path=str(tmp_path / "x.jsonl"), forgotten=True).counts["merged"] == 1
    assert [each.id for each in MethodCaller(user)("memory/list").items] == [id]


def test_versions_are_added_and_diverging_ones_left(user: Engine, tmp_path: Path, repository: Path) -> None:
    id = record(user, "The port is 8000.", name="Port")
    (tmp_path / "old.jsonl").write_text(exported(user))
    MethodCaller(user)("memory/update", id=id, content="The port is 9000.")
    (tmp_path / "new.jsonl").write_text(exported(user))
    other = fresh(tmp_path / "other")
    MethodCaller(other)("memory/import", path=str(tmp_path / "old.jsonl"))
    assert MethodCaller(other)("memory/import", path=str(tmp_path / "new.jsonl")).counts["merged"] == 1
    assert MethodCaller(other)("memory/get", id=id).content == "The port is 9000."
    back = MethodCaller(other)("memory/import", path=str(tmp_path / "old.jsonl"))
    assert (back.counts["duplicate"], back.items[0].reason) == (1, "It has gone on here since.")
    MethodCaller(user)("memory/update", id=id, content="The port is 9100.")
    MethodCaller(other)("memory/update", id=id, content="The port is 9200.")
    (tmp_path / "apart.jsonl").write_text(exported(user))
    assert MethodCaller(other)("memory/import", path=str(tmp_path / "apart.jsonl")).counts["skipped"] == 1
    assert MethodCaller(other)("memory/get", id=id).content == "The port is 9200."
    other.close()


def test_a_damaged_export_changes_nothing(user: Engine, tmp_path: Path, repository: Path) -> None:
    for number in range(20):
        record(user, f"Fact {number} of the engine room.")
    whole = exported(user)
    lines = whole.splitlines(keepends=True)
    other = fresh(tmp_path / "other")
    for name, text in {
        "cut": "".join(lines[:-1]),
        "missing": "".join([*lines[:5], *lines[6:]]),
        "torn": whole[:-30],
        "unknown": "".join([lines[0], '{"kind":"wizard"}\n', *lines[1:]]),
        "newer": whole.replace('"version":3', '"version":99', 1),
        "field": whole.replace('"createdAt":', '"createdAt":"x","y":', 1),
        "home": whole.replace('"store":"workspace"', '"store":"elsewhere"', 1),
        "deep": "".join([lines[0], '{"kind":' + "[" * 100_000 + "\n"]),
        "long": "".join([lines[0], '{"kind":"' + "x" * 5_000_000 + '"}\n']),
    }.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(text)
        with pytest.raises(InvalidField, match=f"{name}.jsonl"):
            MethodCaller(other)("memory/import", path=str(path))
        assert MethodCaller(other)("memory/list").items == [], name
    (tmp_path / "bytes.jsonl").write_bytes(lines[0].encode() + b'{"kind":"\xff\xfe"}\n')
    with pytest.raises(InvalidField, match="line 2"):
        MethodCaller(other)("memory/import", path=str(tmp_path / "bytes.jsonl"))
    other.close()


def test_an_export_is_no_way_around_limits_and_secrets(user: Engine, tmp_path: Path, repository: Path) -> None:
    record(user, "The token is somewhere.", name="Token")
    record(user, "Files matter.", name="Files", files=["app/client.py"])
    record(user, "Always test.", name="Rule", category="directive")
    text = exported(user).replace("The token is somewhere.", f"The token is {SECRET}.")
    text = text.replace('"files":["app/client.py"]', '"files":["../../etc/passwd"]')
    (tmp_path / "x.jsonl").write_text(text)
    other = fresh(tmp_path / "other")
    done = MethodCaller(other)("memory/import", path=str(tmp_path / "x.jsonl"), directives=False)
    assert (done.counts["created"], done.counts["refused"]) == (2, 1)
    assert SECRET not in exported(other, deleted=True)
    assert [each.category for each in MethodCaller(other)("memory/list").items] == [None, None]
    other.close()


def test_a_memory_file_in_the_folder_does_not_stand_in_the_way(tmp_path: Path) -> None:
    first = fresh(tmp_path / "store")
    record(first, "The port is 8000.", name="Port")
    first.close()
    folder = tmp_path / "store-folder"
    assert (folder / ".agents" / "MEMORY.md").exists()
    first = Engine(settings_of(tmp_path / "store"), EngineOptions(source="user", short_lived=True))
    first.lifecycle.add_workspace(folder)
    before = exported(first)
    first.close()
    (tmp_path / "x.jsonl").write_text(before)
    second = Engine(settings_of(tmp_path / "wiped"), EngineOptions(source="user", short_lived=True))
    second.lifecycle.add_workspace(folder)
    assert MethodCaller(second)("memory/import", path=str(tmp_path / "x.jsonl")).counts["created"] == 1
    assert exported(second) == before
    second.close()


def test_a_dry_run_tells_the_same_and_stores_nothing(user: Engine, tmp_path: Path, repository: Path) -> None:
    record(user, "The port is 8000.")
    (tmp_path / "x.jsonl").write_text(exported(user))
    other = fresh(tmp_path / "other")
    told = MethodCaller(other)("memory/import", path=str(tmp_path / "x.jsonl"), dryRun=True)
    assert MethodCaller(other)("memory/list").items == []
    done = MethodCaller(other)("memory/import", path=str(tmp_path / "x.jsonl"))
    assert told.counts == done.counts
    other.close()


# -- other tools -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count"),
    [("semantic-memory.json", 4), ("claude", 3), ("serena", 2), ("memory.jsonl", 2), ("opencode", 7), ("AGENTS.md", 6)],
)
def test_each_format_is_taken_in_once(user: Engine, name: str, count: int) -> None:
    told = MethodCaller(user)("memory/import", path=str(FIXTURES / name), dryRun=True)
    assert told.counts["created"] == count
    assert MethodCaller(user)("memory/list").items == []
    done = MethodCaller(user)("memory/import", path=str(FIXTURES / name))
    assert (done.counts, done.links) == (told.counts, told.links)
    before = exported(user)
    again = MethodCaller(user)("memory/import", path=str(FIXTURES / name))
    assert (again.counts["created"], again.counts["merged"], again.links) == (0, 0, 0)
    assert exported(user) == before
    kept = MethodCaller(user)("memory/list", include=["archived", "resolved"]).items
    assert {each.source for each in kept} == {f"import:{done.format}"}
    assert not any(each.category == "directive" for each in kept)


def test_times_links_and_directives_of_a_format(user: Engine) -> None:
    path = str(FIXTURES / "semantic-memory.json")
    done = MethodCaller(user)("memory/import", path=path, directives=True, scope="personal")
    assert done.links == 1
    items = {each.name: each for each in MethodCaller(user)("memory/list").items}
    assert items["Cache database"].created_at == 1_772_359_200_000
    assert items["Reviews"].category == "directive"
    assert {each.scope for each in items.values()} == {"personal"}
    (linked,) = MethodCaller(user)("memory/links", id=items["Cache database"].id).items
    assert linked.link.kind == "extends"


def test_facts_about_files_are_told_from_memories(user: Engine, repository: Path, tmp_path: Path) -> None:
    fact = "`fetch` encodes the URL itself, because the server of old refuses whatever is quoted."
    folder = tmp_path / "file-history"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(
        msgspec.json.encode({"path": "app/client.py", "facets": [fact]})
        + b"\n"
        + msgspec.json.encode({"path": "app/gone.py", "facets": [fact]})
    )
    told = MethodCaller(user)("memory/import", path=str(folder), dryRun=True)
    assert told.format == "prism"
    assert MethodCaller(user)("file/summary", path="app/client.py").facets == []
    done = MethodCaller(user)("memory/import", path=str(folder))
    assert (done.counts, done.counts["created"], done.counts["refused"]) == (told.counts, 1, 1)
    assert [facet.text for facet in MethodCaller(user)("file/summary", path="app/client.py").facets] == [fact]
    assert MethodCaller(user)("memory/import", path=str(folder)).counts["duplicate"] == 1


def test_deleted_memories_are_not_imported_again(user: Engine) -> None:
    MethodCaller(user)("memory/import", path=str(FIXTURES / "memory.jsonl"))
    (alice,) = [each for each in MethodCaller(user)("memory/list").items if each.name == "Alice"]
    MethodCaller(user)("memory/delete", id=alice.id)
    again = MethodCaller(user)("memory/import", path=str(FIXTURES / "memory.jsonl"))
    assert (again.counts["forgotten"], again.counts["duplicate"]) == (1, 1)


def test_an_item_that_cannot_be_is_refused_and_the_others_stay(user: Engine) -> None:
    lines = [
        '{"type":"entity","name":"a","entityType":"thing","observations":["' + f"key {SECRET}" + '"]}',
        '{"type":"entity","name":"b","entityType":"' + "k" * 300 + '","observations":["said"]}',
    ]
    done = MethodCaller(user)("memory/import", text="\n".join(lines), name="m.jsonl")
    assert done.counts["created"] == 2
    assert [item.redactions[0].count for item in done.items if item.redactions] == [1]
    assert SECRET not in exported(user)


def test_cancelling_stores_nothing(user: Engine, tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("\n\n".join(f"## Part {n}\n\nText of part {n}." for n in range(50)))
    for stop_at in (1, 60, 95):
        context = Context()

        def progress(done: int, total: int, message: str, context: Context = context, stop_at: int = stop_at) -> None:
            if total == 100 and done >= stop_at:
                context.cancel()

        context.progress = progress
        with pytest.raises(Cancelled):
            user.call("memory/import", ImportParams(path=str(tmp_path / "n.md")), context)
        assert MethodCaller(user)("memory/list").items == []
    assert MethodCaller(user)("memory/import", path=str(tmp_path / "n.md")).counts["created"] == 50


def test_an_agent_reads_only_inside_the_workspace(make_engine: Make, repository: Path, tmp_path: Path) -> None:
    agent = make_engine(repository)
    (tmp_path / "outside.md").write_text("# Secret\n\nOutside.\n")
    (repository / "link.md").symlink_to(tmp_path / "outside.md")
    for path in (str(tmp_path / "outside.md"), "../outside.md", "link.md"):
        with pytest.raises(OutsideWorkspace):
            MethodCaller(agent)("memory/import", path=path)
    assert MethodCaller(agent)("memory/import", path="README.md").counts["created"] == 2


def test_hostile_files_are_answered_with_their_name(user: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "bad.md").write_bytes(b"# \xff\n")
    (folder / "zero.md").write_bytes(b"# a\0b\n")
    (folder / "good.md").write_text("# Good\n\nText.\n")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "passwd.md").symlink_to("/etc/passwd")
    (folder / "dir").symlink_to(tmp_path)
    done = MethodCaller(user)("memory/import", path=str(folder))
    assert done.counts["created"] == 1
    assert sorted(item.name for item in done.items if item.outcome == "skipped") == [
        "bad.md",
        "loop.md",
        "passwd.md",
        "zero.md",
    ]
    for path in (folder / "bad.md", folder / "zero.md", tmp_path / "missing.md", Path("/dev/zero")):
        with pytest.raises(FileUnavailable, match=path.name):
            MethodCaller(user)("memory/import", path=str(path))
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(70_000_000)
    with pytest.raises(FileUnavailable, match=r"huge\.md is too large"):
        MethodCaller(user)("memory/import", path=str(tmp_path / "huge.md"))


# -- bootstrap -------------------------------------------------------------------------------------------------


def test_bootstrap_twice_adds_nothing_and_changes_are_taken_over(user: Engine, repository: Path) -> None:
    manifest = repository / "pyproject.toml"
    manifest.write_text('[project]\nname = "app"\ndescription = "Fetches pages."\nrequires-python = ">=3.11"\n')
    told = MethodCaller(user)("memory/bootstrap", dryRun=True)
    assert MethodCaller(user)("memory/list").items == []
    picked = MethodCaller(user)("memory/bootstrap", dryRun=True, names=["What this project is", "no such fact"])
    assert [fact.name for fact in picked.facts] == ["What this project is"]
    done = MethodCaller(user)("memory/bootstrap")
    assert [fact.name for fact in done.facts] == [fact.name for fact in told.facts]
    assert {fact.outcome for fact in done.facts} == {"created"}
    assert {fact.outcome for fact in MethodCaller(user)("memory/bootstrap").facts} == {"duplicate"}
    manifest.write_text(manifest.read_text().replace("3.11", "3.12"))
    changed = {fact.name: fact.outcome for fact in MethodCaller(user)("memory/bootstrap").facts}
    assert changed == {"What this project is": "duplicate", "Python: what the package needs": "merged"}
    needs = next(each for each in MethodCaller(user)("memory/list").items if each.name.startswith("Python"))
    assert needs.content == "It needs Python `>=3.12`."
    assert (needs.version, needs.files, needs.source) == (2, ["pyproject.toml"], "import:bootstrap")
    manifest.write_text(manifest.read_text().replace("3.12", "3.11"))
    MethodCaller(user)("memory/bootstrap")
    assert MethodCaller(user)("memory/get", id=needs.id).content == "It needs Python `>=3.11`."


def test_bootstrap_leaves_what_was_edited_or_deleted(user: Engine, repository: Path) -> None:
    manifest = repository / "pyproject.toml"
    manifest.write_text('[project]\nname = "app"\ndescription = "Fetches pages."\nrequires-python = ">=3.11"\n')
    facts = {fact.name: fact.id for fact in MethodCaller(user)("memory/bootstrap").facts}
    MethodCaller(user)("memory/update", id=facts["Python: what the package needs"], content="Python 3.11 exactly.")
    MethodCaller(user)("memory/delete", id=facts["What this project is"])
    manifest.write_text(manifest.read_text().replace("3.11", "3.12"))
    again = {fact.name: fact.outcome for fact in MethodCaller(user)("memory/bootstrap").facts}
    assert again == {"What this project is": "forgotten", "Python: what the package needs": "duplicate"}
    kept = MethodCaller(user)("memory/get", id=facts["Python: what the package needs"])
    assert kept.content == "Python 3.11 exactly."


def test_an_import_widens_no_scope(user: Engine, repository: Path, tmp_path: Path) -> None:
    folder = tmp_path / ".opencode" / "memory"
    folder.mkdir(parents=True)
    text = "---\nname: Reviews\ntype: feedback\nscope: {}\nagent: reviewer\n---\nRead the {} tests first.\n"
    for said in ("personal", "global", "guild"):
        (folder / f"{said}.md").write_text(text.format(said, said).replace("Reviews", said))
    done = MethodCaller(user)("memory/import", path=str(folder), scope="project")
    assert done.counts["created"] == 3
    assert {each.scope for each in done.items} == {"personal"}
    assert all(each.reason for each in done.items)
    kept = MethodCaller(user)("memory/list", agent="reviewer").items
    assert {(each.scope, each.agent) for each in kept} == {("personal", "reviewer")}
    for page in repository.rglob("MEMORY.md"):
        assert "tests first" not in page.read_text()
