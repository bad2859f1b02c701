"""Memories through the engine: who sees what, across workspaces, worktrees and processes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from protocol import memories as wire
from protocol.notifications import DidChangeMemories
from sidecar.engine.engine import Engine
from sidecar.runtime.errors import MemoryDisabled, MemoryNotFound, OutsideWorkspace, WorkspaceUnknown
from sidecar.settings import LoadedSettings, Settings
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine, Told


def record(engine: Engine, content: str, **more: object) -> wire.RecordResult:
    return EngineCalls(engine).memory_record(replace(wire.RecordParams(content=content), **more))


def names(engine: Engine, query: str, **more: object) -> list[str]:
    found = EngineCalls(engine).memory_search(replace(wire.SearchParams(query=query), **more))
    return [item.memory.content for item in found.items]


def test_recorded_found_and_injected(make_engine: MakeEngine, repository: Path, told: Told) -> None:
    engine = make_engine(repository)
    result = record(engine, "The retry limit lives in app/client.py", files=["app/client.py"], tags=["retry"])
    assert result.status == "created"
    assert result.memory.scope == "project"
    assert result.memory.references[0].hash
    assert names(engine, "where is the retry limit?") == ["The retry limit lives in app/client.py"]
    block = EngineCalls(engine).memory_inject(wire.InjectParams(prompt="change the retry limit"))
    assert "retry limit lives in" in block.text
    assert block.tokens <= 5000
    assert [item.id for item in block.items] == [result.memory.id]
    changed = told.wait(DidChangeMemories)
    assert (changed.changes[0].id, changed.changes[0].change) == (result.memory.id, "created")


def test_a_second_process_sees_it_at_its_next_request(make_engine: MakeEngine, repository: Path) -> None:
    one, two = make_engine(repository), make_engine(repository)
    assert names(two, "deploy") == []
    kept = record(one, "Deploy with make ship")
    assert names(two, "deploy") == ["Deploy with make ship"]
    two.call("memory/archive", wire.ArchiveParams(id=kept.memory.id))
    assert names(one, "deploy") == []


def test_worktrees_share_and_namesakes_do_not(
    make_engine: MakeEngine, make_repository: Callable[[str], Path], tmp_path: Path
) -> None:
    first = make_repository("a/service")
    second = make_repository("b/service")
    subprocess.run(
        ["git", "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side"],
        cwd=first,
        check=True,
        capture_output=True,
    )
    record(make_engine(first), "Ports start at 9000")
    record(make_engine(first), "I like tabs", type="user", scope="global")
    assert names(make_engine(tmp_path / "tree"), "ports") == ["Ports start at 9000"]
    assert "Ports start at 9000" not in names(make_engine(second), "ports")
    assert names(make_engine(second), "tabs") == ["I like tabs"]


def test_several_workspaces_need_a_name(make_engine: MakeEngine, make_repository: Callable[[str], Path]) -> None:
    first, second = make_repository("one"), make_repository("two")
    engine = make_engine(first, second)
    with pytest.raises(WorkspaceUnknown) as caught:
        record(engine, "Which one?")
    assert caught.value.data.path == "$.workspaceUri"
    assert first.as_uri() in (caught.value.data.hint or "")
    record(engine, "Parser of the second", workspace_uri=second.as_uri())
    record(engine, "Parser of this file", files=[(first / "README.md").as_uri()])
    assert names(engine, "parser", workspace_uri=first.as_uri()) == ["Parser of this file"]
    assert names(engine, "parser", workspace_uri=second.as_uri()) == ["Parser of the second"]
    with pytest.raises(WorkspaceUnknown):
        names(engine, "x", workspace_uri="file:///nowhere")
    with pytest.raises(WorkspaceUnknown, match="/etc/passwd"):
        record(engine, "Parser of an outside file", files=["/etc/passwd"])
    engine.lifecycle.close_workspace(second.as_uri())
    assert names(engine, "parser") == ["Parser of this file"]


def test_a_path_outside_names_its_field(make_engine: MakeEngine, repository: Path) -> None:
    with pytest.raises(OutsideWorkspace) as caught:
        record(make_engine(repository), "text", files=["README.md", "/etc/passwd"])
    assert caught.value.data.path == "$.files[1]"


def test_an_update_and_a_deletion_can_be_undone(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    id = record(engine, "Use npm here").memory.id
    updated = EngineCalls(engine).memory_update(wire.UpdateParams(id=id, content="Use pnpm here", expected_version=1))
    assert (updated.memory.content, updated.memory.version) == ("Use pnpm here", 2)
    back = EngineCalls(engine).memory_undo(wire.IdParams(id=id))
    assert back.content == "Use npm here"
    gone = EngineCalls(engine).memory_delete(wire.DeleteParams(id=id))
    assert gone.undoable
    with pytest.raises(MemoryNotFound):
        EngineCalls(engine).memory_get(wire.IdParams(id=id))
    again = EngineCalls(engine).memory_undo(wire.IdParams(id=id))
    assert again.content == "Use npm here"
    history = EngineCalls(engine).memory_history(wire.IdParams(id=id))
    assert [v.change for v in history.versions] == ["undone", "deleted", "undone", "updated", "created"]


def test_briefings_of_files_in_play(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    block = EngineCalls(engine).memory_inject(wire.InjectParams(files=["app/client.py", "gone.py"]))
    assert [(item.kind, item.path) for item in block.items] == [("file", "app/client.py")]
    assert [(item.id, item.reason) for item in block.omitted] == [("gone.py", "fileUnavailable")]


def test_switched_off_keeps_nothing_and_injects_nothing(
    make_engine: MakeEngine, repository: Path, plain: Settings
) -> None:
    kept = record(make_engine(repository), "Before it was switched off").memory.id
    off = msgspec.structs.replace(plain, memory=msgspec.structs.replace(plain.memory, enabled=False))
    engine = make_engine(repository, settings=off)
    with pytest.raises(MemoryDisabled):
        record(engine, "x")
    with pytest.raises(MemoryDisabled):
        names(engine, "switched")
    block = EngineCalls(engine).memory_inject(wire.InjectParams(prompt="switched off"))
    assert block.text == ""
    EngineCalls(engine).memory_delete(wire.DeleteParams(id=kept, purge=True))  # one's own data stays in reach


def test_new_settings_take_effect(make_engine: MakeEngine, repository: Path, plain: Settings) -> None:
    engine = make_engine(repository)
    record(engine, "Something to remember")
    engine.lifecycle.reconfigure(
        msgspec.structs.replace(plain, memory=msgspec.structs.replace(plain.memory, enabled=False))
    )
    with pytest.raises(MemoryDisabled):
        record(engine, "x")
    engine.lifecycle.reconfigure(plain)
    assert names(engine, "remember") == ["Something to remember"]


def test_a_closed_engine_can_be_closed_again(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    record(engine, "x")
    engine.close()
    engine.close()


def test_each_workspace_has_its_own_settings(
    make_engine: MakeEngine, make_repository: Callable[[str], Path], plain: Settings
) -> None:
    first, second = make_repository("one"), make_repository("two")
    off = msgspec.structs.replace(plain, memory=msgspec.structs.replace(plain.memory, enabled=False))
    shared = msgspec.structs.replace(plain, workspace=msgspec.structs.replace(plain.workspace, id="shared"))
    engine = make_engine()
    engine.lifecycle.add_workspace(first, settings=off)
    engine.lifecycle.add_workspace(second)
    with pytest.raises(MemoryDisabled):
        record(engine, "x", workspace_uri=first.as_uri())
    record(engine, "Kept in the second", workspace_uri=second.as_uri())
    engine.lifecycle.reconfigure(
        plain, load=lambda folder: LoadedSettings(shared if folder == first else plain, {}, [])
    )
    record(engine, "Kept under a name", workspace_uri=first.as_uri())
    assert names(engine, "kept", workspace_uri=second.as_uri()) == ["Kept in the second"]
    third = make_repository("three")
    engine.lifecycle.add_workspace(third, settings=shared)
    assert names(engine, "kept", workspace_uri=third.as_uri()) == ["Kept under a name"]


def test_a_person_sees_the_memories_of_any_agent(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    record(engine, "Review the lock order", agent="reviewer")
    assert names(engine, "lock order") == []
    assert names(engine, "lock order", agent=wire.ANY_AGENT) == ["Review the lock order"]
    listed = EngineCalls(engine).memory_list(wire.ListParams(agent=wire.ANY_AGENT))
    assert [memory.agent for memory in listed.items] == ["reviewer"]
    assert EngineCalls(engine).memory_list(wire.ListParams()).items == []


@pytest.mark.parametrize("struct", [wire.RecordParams, wire.UpdateParams, wire.InjectParams])
def test_no_agent_has_the_name_that_stands_for_all(struct: type[msgspec.Struct]) -> None:
    given = {"content": "x", "id": "y"} if struct is wire.UpdateParams else {"content": "x"}
    given = {} if struct is wire.InjectParams else given
    assert msgspec.convert({**given, "agent": "a*"}, struct).agent == "a*"  # type: ignore[attr-defined]
    for name in ("*", " * "):
        with pytest.raises(msgspec.ValidationError, match=r"\$\.agent"):
            msgspec.convert({**given, "agent": name}, struct)


def test_a_memory_says_when_a_session_was_last_shown_it(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    kept = record(engine, "Deploy with make ship")
    shared = record(engine, "I deploy on Mondays", type="user", scope="global")
    assert kept.memory.accessed_at is None
    for session in ("one", "two"):
        EngineCalls(engine).memory_inject(wire.InjectParams(prompt="deploy", session_id=session))
    for id in (kept.memory.id, shared.memory.id):
        got = EngineCalls(engine).memory_get(wire.IdParams(id=id))
        assert got.access_count == 2
        assert got.accessed_at is not None
        assert got.accessed_at >= got.created_at
        listed = EngineCalls(engine).memory_list(wire.ListParams())
        found = EngineCalls(engine).memory_search(wire.SearchParams(query="deploy"))
        for one in [*listed.items, *(hit.memory for hit in found.items)]:
            assert one.access_count == 2
            assert one.accessed_at is not None
            assert one.id != id or one == got
    updated = EngineCalls(engine).memory_update(wire.UpdateParams(id=kept.memory.id, pinned=True))
    assert updated.memory.accessed_at is not None
    again = record(engine, "Deploy with make ship")
    assert (again.status, again.memory.accessed_at) == ("duplicate", updated.memory.accessed_at)


def test_a_long_briefing_is_cut_to_its_share_not_left_out(make_engine: MakeEngine, repository: Path) -> None:
    functions = "\n\n".join(
        f'def function_number_{at}(first: int, second: str) -> bool:\n    """Do {at}."""\n    return True'
        for at in range(200)
    )
    (repository / "app" / "long.py").write_text(f'"""A long module."""\n\n{functions}\n')
    block = EngineCalls(make_engine(repository)).memory_inject(
        wire.InjectParams(files=["app/long.py", "app/client.py"], budget_tokens=500)
    )
    assert {item.path for item in block.items} == {"app/long.py", "app/client.py"}
    assert block.tokens <= 500
    assert block.text.count("app/long.py") == 1


def test_a_person_s_memories_are_told_from_an_agent_s(make_engine: MakeEngine, repository: Path) -> None:
    assert record(make_engine(repository), "By an agent").memory.source == "agent"
    assert record(make_engine(repository, source="user"), "By a person").memory.source == "user"


def test_a_new_store_folder_holds_the_global_memories_too(
    make_engine: MakeEngine, repository: Path, plain: Settings, tmp_path: Path
) -> None:
    engine = make_engine(repository)
    record(engine, "Tabs everywhere", scope="global")
    moved = msgspec.structs.replace(plain, store=msgspec.structs.replace(plain.store, folder=tmp_path / "moved"))
    engine.lifecycle.reconfigure(moved)
    assert names(engine, "tabs") == []
    record(engine, "Spaces everywhere", scope="global")
    assert names(make_engine(repository, settings=moved), "everywhere") == ["Spaces everywhere"]
    engine.lifecycle.reconfigure(plain)
    assert names(engine, "everywhere") == ["Tabs everywhere"]
