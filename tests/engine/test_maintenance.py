"""`memory/maintain`, `memory/promote`, `memory/resolve` and `memory/reopen` through the engine, on real stores."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace

from protocol import maintenance as wire
from protocol import memories
from protocol.notifications import DidChangeMemories
from sidecar.engine.engine import Engine
from sidecar.memories.maintenance.changes import STEPS
from sidecar.runtime.errors import InvalidField, MemoryDisabled, MemoryNotFound
from sidecar.settings import Settings
from sidecar.settings.model import MaintenanceSettings
from tests.client.calling import EngineCalls
from tests.clock import Clock
from tests.engine.conftest import MakeEngine, Told, at_rest

DAY = 86_400_000
START = 1_767_225_600_000


NIGHTLY = (
    "The nightly build runs on the large machine in the cellar, uploads packages to the mirror, mails every reviewer, "
    "opens an issue when linters complain, publishes documentation, prunes caches, rotates logs, fetches translations, "
    "signs archives and tells {}"
)


@pytest.fixture
def clock() -> Clock:
    return Clock(START, step=1)


@pytest.fixture
def engine(make_engine: MakeEngine, repository: Path, clock: Clock) -> Engine:
    return make_engine(repository, clock=clock)


def record(engine: Engine, content: str, **fields: object) -> memories.Memory:
    params = replace(memories.RecordParams(content=content), **fields)
    return EngineCalls(engine).memory_record(params).memory


def maintain(engine: Engine, **fields: object) -> wire.MaintainResult:
    return EngineCalls(engine).memory_maintain(replace(wire.MaintainParams(), **fields))


def get(engine: Engine, id: str) -> memories.Memory:
    return EngineCalls(engine).memory_get(memories.IdParams(id=id))


def dump(folder: Path) -> dict[str, str]:
    """Return every file below a folder with its content, except SQLite's shared index, which is not content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")
    }


def test_the_domain_s_steps_are_the_wire_s() -> None:
    assert get_args(wire.Step) == STEPS
    names = {field.encode_name for field in msgspec.structs.fields(MaintenanceSettings)}
    assert set(STEPS) <= names, "each can be switched off"


def test_maintenance_steps_are_listed_and_done_once(engine: Engine, clock: Clock) -> None:
    kept = record(engine, "The release is cut on Fridays.", name="release day")
    gone = record(engine, "the release is cut on fridays", name="when do we release")
    clock.now += 8 * DAY
    result = maintain(engine)
    assert (result.state, result.counts["duplicates"], result.counts["relevance"]) == ("done", 1, 1)
    merged = next(action for action in result.actions if action.step == "duplicates")
    assert (merged.id, merged.into, merged.scope) == (gone.id, kept.id, "project")
    assert get(engine, gone.id).archived_for == "merged"
    assert get(engine, gone.id).merged_into == kept.id
    assert get(engine, kept.id).relevance == 0.95
    again = maintain(engine)
    assert again.actions == []
    assert not any(again.counts.values())


def test_a_dry_run_says_the_same_and_writes_nothing(engine: Engine, clock: Clock, tmp_path: Path) -> None:
    record(engine, "The release is cut on Fridays.", name="release day")
    record(engine, "the release is cut on fridays", name="when do we release")
    blocker = record(engine, "Waiting for the certificate", category="blocker")
    EngineCalls(engine).memory_resolve(memories.IdParams(id=blocker.id))
    clock.now += 400 * DAY
    EngineCalls(engine).memory_inject(memories.InjectParams(prompt="x"))
    at_rest(engine)  # the memory file and derived data are written
    before = dump(tmp_path)
    promised = maintain(engine, dry_run=True)
    assert dump(tmp_path) == before
    done = maintain(engine)
    assert promised.dry_run
    assert promised.actions == done.actions
    assert {action.step for action in done.actions} == {"duplicates", "relevance", "archive", "age"}


def test_steps_that_are_switched_off_don_t_run(
    make_engine: MakeEngine, repository: Path, plain: Settings, clock: Clock
) -> None:
    off = MaintenanceSettings(duplicates=False, consolidation=False)
    engine = make_engine(repository, clock=clock, settings=msgspec.structs.replace(plain, maintenance=off))
    record(engine, "Same", name="one")
    record(engine, "Same", name="two")
    result = maintain(engine)
    assert result.actions == []
    assert result.switched_off == ["duplicates", "consolidation"]
    assert maintain(engine, steps=["duplicates", "consolidation"]).counts == {}


def test_only_the_steps_that_are_named_run(engine: Engine, clock: Clock) -> None:
    record(engine, "Same", name="one")
    record(engine, "Same", name="two")
    clock.now += 30 * DAY
    result = maintain(engine, steps=["duplicates"])
    assert result.counts == {"duplicates": 1}


def test_a_changed_relevance_makes_no_version_and_tells_nobody(engine: Engine, clock: Clock, told: Told) -> None:
    memory = record(engine, "The release is cut on Fridays.")
    told.messages.clear()
    clock.now += 30 * DAY
    maintain(engine)
    after = get(engine, memory.id)
    assert after.relevance == 0.814506
    assert (after.version, after.updated_at) == (memory.version, memory.updated_at)
    history = EngineCalls(engine).memory_history(memories.IdParams(id=memory.id))
    assert len(history.versions) == 1
    assert [method for method, _ in told.messages if method == "memory/didChange"] == []


def test_a_memory_of_files_that_are_gone_counts_less(engine: Engine, repository: Path) -> None:
    memory = record(engine, "The client retries three times.", files=["app/client.py", "README.md"])
    assert maintain(engine).actions == []
    (repository / "app" / "client.py").unlink()
    (action,) = maintain(engine).actions
    assert (action.step, action.id) == ("references", memory.id)
    assert "1 of 2 references leads nowhere" in action.reason
    assert get(engine, memory.id).relevance == 0.75


def test_proposals_are_made_when_asked_and_done_one_by_one(engine: Engine) -> None:
    text = NIGHTLY
    first = record(engine, text.format("everybody"), name="nightly build")
    second = record(engine, text.format("everybody on the list"), name="build of the night")
    proposed = maintain(engine, steps=["consolidation"])
    (proposal,) = proposed.proposals
    assert (proposal.kind, proposal.keep, proposal.other) == ("merge", first.id, second.id)
    assert get(engine, second.id).status == "active", "nothing is done unasked"
    assert maintain(engine).proposals == [proposal], "it stands"
    done = maintain(engine, apply=[proposal.id])
    assert done.applied == [first.id, second.id]
    assert done.proposals == []
    assert get(engine, second.id).merged_into == first.id
    with pytest.raises(InvalidField):
        maintain(engine, apply=[proposal.id])


def test_a_replaced_word_is_proposed_as_superseding(engine: Engine, clock: Clock) -> None:
    text = NIGHTLY
    old = record(engine, text.format("nginx"), name="nightly build")
    clock.now += DAY
    new = record(engine, text.format("caddy"), name="build of the night")
    (proposal,) = maintain(engine, steps=["consolidation"]).proposals
    assert (proposal.kind, proposal.keep, proposal.other) == ("supersede", new.id, old.id)
    maintain(engine, apply=[proposal.id])
    assert get(engine, new.id).supersedes == old.id


def test_a_dismissed_proposal_is_not_made_again(engine: Engine) -> None:
    text = NIGHTLY
    record(engine, text.format("everybody"), name="nightly build")
    record(engine, text.format("everybody on the list"), name="build of the night")
    (proposal,) = maintain(engine, steps=["consolidation"]).proposals
    assert maintain(engine, dismiss=[proposal.id]).proposals == []
    assert maintain(engine, steps=["consolidation"]).proposals == []


def test_a_dry_run_applies_no_proposal(engine: Engine) -> None:
    with pytest.raises(InvalidField) as caught:
        maintain(engine, dry_run=True, apply=["p1"])
    assert caught.value.data.path == "$.dryRun"


def test_a_request_during_another_run_is_answered_clearly(
    engine: Engine, make_engine: MakeEngine, repository: Path
) -> None:
    other = make_engine(repository)
    opened = other.workspaces.find(None).open()
    with opened.memory_store.maintaining() as mine:
        assert mine
        result = maintain(engine)
    assert result.state == "partial"
    assert (
        result.detail == "Another run, of this process or another, is maintaining the workspace's memories right now."
    )
    assert maintain(engine).state == "done"


def test_switched_off_memory_is_not_maintained(make_engine: MakeEngine, repository: Path, plain: Settings) -> None:
    memory = msgspec.structs.replace(plain.memory, enabled=False)
    engine = make_engine(repository, settings=msgspec.structs.replace(plain, memory=memory))
    with pytest.raises(MemoryDisabled):
        maintain(engine)


def test_promotion_by_hand_widens_the_scope(engine: Engine, told: Told) -> None:
    memory = record(engine, "The staging host is behind the proxy.", scope="personal", files=["README.md"])
    first = EngineCalls(engine).memory_promote(wire.PromoteParams(id=memory.id))
    assert (first.memory.id, first.memory.scope, first.memory.promoted_from) == (memory.id, "project", "personal")
    assert first.archived is None
    second = EngineCalls(engine).memory_promote(wire.PromoteParams(id=memory.id, scope="global"))
    assert second.memory.scope == "global"
    assert second.memory.files == []
    assert second.archived == memory.id
    assert get(engine, memory.id).archived_for == "promoted"
    changes = [(c.id, c.change) for told_of in told.of(DidChangeMemories) for c in told_of.changes]
    assert changes[1:] == [(memory.id, "promoted"), (second.memory.id, "promoted"), (memory.id, "archived")]
    third = EngineCalls(engine).memory_promote(wire.PromoteParams(id=memory.id, scope="global"))
    assert (third.changed, third.memory.id) == (False, second.memory.id)


def test_a_resolved_blocker_is_hidden_until_it_is_reopened(engine: Engine, told: Told) -> None:
    blocker = record(engine, "Waiting for the certificate", category="blocker")
    params = memories.IdParams(id=blocker.id)
    resolved = EngineCalls(engine).memory_resolve(params)
    assert (resolved.status, resolved.version) == ("resolved", 2)
    again = EngineCalls(engine).memory_resolve(params)
    assert again.version == 2
    hidden = EngineCalls(engine).memory_search(memories.SearchParams(query="certificate"))
    assert hidden.items == []
    reopened = EngineCalls(engine).memory_reopen(params)
    assert (reopened.status, reopened.version) == ("active", 3)
    changes = [c.change for told_of in told.of(DidChangeMemories) for c in told_of.changes]
    assert changes == ["created", "resolved", "reopened"]


def test_only_blockers_are_resolved(engine: Engine) -> None:
    fact = record(engine, "The sky is blue", category="fact")
    for method in ("memory/resolve", "memory/reopen"):
        with pytest.raises(InvalidField):
            engine.call(method, memories.IdParams(id=fact.id))
        with pytest.raises(MemoryNotFound):
            engine.call(method, memories.IdParams(id="0-0"))
