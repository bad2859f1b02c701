"""Machines that share memories: what one records another has, and what two changed at once loses nothing."""

from __future__ import annotations

import pytest

from sidecar.runtime.errors import StoreUnavailable
from sidecar.store.opening import open_database
from sidecar.store.schema import MEMORIES
from sidecar.store.vocabulary import REPOSITORY_SOURCE
from tests.team.conftest import Database, Machines


def test_memory_of_one_machine_reaches_another(database: Database, machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id = laptop.record("The API listens on port 8080.", tags=("net",), files=("app/api.py",), category="fact")
    assert laptop.scope_sync.count_pending() == 1
    assert laptop.sync().pushed == 1
    assert laptop.scope_sync.count_pending() == 0
    assert desktop.sync().pulled == 1
    here, there = laptop.get(id), desktop.get(id)
    for name in ("content", "name", "type", "category", "tags", "files", "created_at", "source", "author"):
        assert getattr(here, name) == getattr(there, name)
    assert [change.change for change in desktop.changed] == ["created"]
    assert database.sql("SELECT content, type, category FROM memory_sidecar.memories") == [
        ("The API listens on port 8080.", "project", "fact")
    ]


def test_a_second_sync_changes_nothing(database: Database, machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    laptop.record("Nothing happens twice.")
    for machine in (laptop, desktop, laptop, desktop):
        machine.sync()
    before = database.sql("SELECT id, version, seq FROM memory_sidecar.memories")
    for machine in (laptop, desktop, laptop, desktop):
        done = machine.sync()
        assert (done.pulled, done.pushed, done.merged, done.waiting) == (0, 0, 0, 0)
    assert database.sql("SELECT id, version, seq FROM memory_sidecar.memories") == before
    assert all(len(each.store.history(next(iter(each.says())))) == 1 for each in (laptop, desktop))


def test_an_edit_and_a_deletion_go_everywhere(machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id, other = laptop.record("Deploys happen on Monday."), laptop.record("The cache is Redis.")
    laptop.sync()
    desktop.sync()
    desktop.edit(id, content="Deploys happen on Tuesday.")
    desktop.delete(other)
    desktop.sync()
    laptop.sync()
    assert laptop.says() == {id: "Deploys happen on Tuesday."}
    assert laptop.texts(id) == ["Deploys happen on Tuesday.", "Deploys happen on Monday."]
    assert laptop.texts(other) == ["The cache is Redis."], "a deletion can be taken back"
    assert any(tombstone.id == other for tombstone in laptop.store.tombstones()), (
        "what was forgotten is not learned again"
    )


def test_two_machines_edit_one_memory_and_both_texts_are_kept(database: Database, machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id = laptop.record("Build with make.\nTest with pytest.")
    laptop.sync()
    desktop.sync()
    laptop.edit(id, content="Build with make.\nTest with pytest -n 2.\nLint with ruff.")
    desktop.edit(id, content="Build with ninja.\nTest with pytest.", tags=("build",))
    laptop.sync()
    assert desktop.sync().merged == 1
    laptop.sync()
    assert laptop.says() == desktop.says()
    text = laptop.says()[id].split("\n")
    assert {"Test with pytest -n 2.", "Lint with ruff.", "Build with ninja."} <= set(text)
    assert laptop.get(id).tags == ("build",), "only one of them changed the tags"
    assert {"Build with make.\nTest with pytest -n 2.\nLint with ruff.", "Build with ninja.\nTest with pytest."} <= set(
        desktop.texts(id)
    )
    kept = [
        row[0] for row in database.sql("SELECT memory->>'content' FROM memory_sidecar.memory_versions ORDER BY version")
    ]
    assert "Build with ninja.\nTest with pytest." in kept
    assert (laptop.sync().pushed, desktop.sync().pushed) == (0, 0)


def test_the_same_edit_on_two_machines_is_one(machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id = laptop.record("Port 80.")
    laptop.sync()
    desktop.sync()
    laptop.edit(id, content="Port 8080.")
    desktop.edit(id, content="Port 8080.")
    laptop.sync()
    done = desktop.sync()
    assert (done.merged, done.pushed) == (0, 0)
    assert laptop.says() == desktop.says() == {id: "Port 8080."}


def test_an_edit_wins_over_a_deletion_and_a_purge_over_both(database: Database, machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    edited, purged = laptop.record("Edited later."), laptop.record("A secret of somebody's.")
    laptop.sync()
    desktop.sync()
    laptop.delete(edited)
    laptop.delete(purged, purge=True)
    desktop.edit(edited, content="Edited later, and worth keeping.")
    desktop.edit(purged, content="A secret of somebody's, edited.")
    for machine in (laptop, desktop, laptop, desktop):
        machine.sync()
    assert laptop.says() == desktop.says() == {edited: "Edited later, and worth keeping."}
    assert desktop.texts(purged) == laptop.texts(purged) == []
    words = database.sql("SELECT count(*) FROM memory_sidecar.memory_versions WHERE memory::text LIKE '%%secret%%'")
    assert words == [(0,)]


def test_a_deletion_before_an_edit_elsewhere_is_taken_back(machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id = laptop.record("Who needs this?")
    laptop.sync()
    desktop.sync()
    desktop.edit(id, content="I do.")
    desktop.sync()
    laptop.delete(id)
    laptop.sync()
    assert laptop.says() == desktop.says() == {id: "I do."}


def test_only_the_scope_that_is_shared_leaves(database: Database, machines: Machines) -> None:
    laptop = machines()
    laptop.record("I prefer tabs.", scope="personal", type="user")
    laptop.record("Said by the repository's file.", source=REPOSITORY_SOURCE)
    laptop.record("What happened in a session.", category="conversation")
    laptop.record("Shared.")
    laptop.sync()
    assert list(database.memories().values()) == ["Shared."]


def test_a_memory_that_leaves_the_scope_leaves_the_database(database: Database, machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id = laptop.record("For a while everybody's.")
    laptop.sync()
    desktop.sync()
    laptop.edit(id, scope="personal")
    laptop.sync()
    desktop.sync()
    assert (database.memories(), desktop.says()) == ({}, {})
    assert laptop.get(id).content == "For a while everybody's."


def test_the_clock_s_work_is_not_shared(machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id, faded = laptop.record("Old."), laptop.record("Faded.")
    laptop.sync()
    desktop.sync()
    with laptop.store.transaction() as transaction:
        kept = transaction.get(id)
        assert kept is not None
        from msgspec.structs import replace

        transaction.adjust(replace(kept, relevance=0.2, verified_at=5))
    laptop.edit(faded, status="archived", archived_for="faded")
    assert laptop.sync().pushed == 0
    desktop.edit(faded, content="Faded, but not here.")
    desktop.sync()
    laptop.sync()
    assert laptop.get(id).relevance == 0.2
    assert laptop.get(faded).content == "Faded, but not here."
    assert desktop.get(faded).status == "active"


def test_clocks_that_differ_by_minutes_change_nothing(machines: Machines) -> None:
    laptop, desktop = machines(ahead_ms=-600_000), machines(ahead_ms=900_000)
    id = laptop.record("One.")
    laptop.sync()
    desktop.sync()
    desktop.edit(id, content="One.\nTwo.")
    desktop.sync()
    laptop.edit(id, content="One.\nThree.")
    laptop.sync()
    desktop.sync()
    assert laptop.says() == desktop.says()
    assert set(laptop.says()[id].split("\n")) == {"One.", "Two.", "Three."}


def test_a_dry_run_counts_and_writes_nothing(database: Database, machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    laptop.record("Counted.")
    assert laptop.sync(dry_run=True).pushed == 1
    assert database.memories() == {}
    laptop.sync()
    assert desktop.sync(dry_run=True).pulled == 1
    assert desktop.says() == {}


def test_text_that_the_database_cannot_hold_still_arrives(machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id = laptop.record("Ends with a NUL \0 and a smile 😀, “quoted” \\u0000.")
    laptop.sync()
    desktop.sync()
    assert desktop.says()[id] == "Ends with a NUL \ufffd and a smile 😀, “quoted” \\u0000."
    assert (laptop.sync().pushed, desktop.sync().pushed) == (0, 0)


def test_a_workspace_that_is_not_shared_says_what_to_do(machines: Machines) -> None:
    with pytest.raises(StoreUnavailable) as error:
        machines(key="another").sync()
    assert error.value.data.reason == "notJoined"
    assert "team join" in (error.value.data.hint or "")


def test_many_memories_and_a_log_that_does_not_reach_back(database: Database, machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    ids = [laptop.record(f"Fact number {number}.") for number in range(1_200)]
    memories = open_database(laptop.store.directory, MEMORIES)
    with memories.writing() as rows:
        rows.delete_range("c:", "c:0000000000001000")
    memories.close()
    assert laptop.sync().pushed == 1_200
    assert desktop.sync().pulled == 1_200
    assert desktop.says().keys() == set(ids)


def test_a_purge_leaves_no_words_in_what_waits_to_be_sent(machines: Machines) -> None:
    laptop, desktop = machines(), machines()
    id = laptop.record("One.")
    laptop.sync()
    desktop.sync()
    laptop.edit(id, content="One.\nWords of the laptop.")
    desktop.edit(id, content="One.\nSecret words of the desktop.")
    laptop.sync()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sidecar.team.scope_sync.ScopeSync._pending_pushes", lambda *_: iter(()))
        assert desktop.sync().merged == 1
    with desktop.store.sharing("project") as sharing:
        kept = sharing.get(id)
        assert kept is not None
        assert kept.beside is not None
    desktop.delete(id, purge=True)
    with desktop.store.sharing("project") as sharing:
        kept = sharing.get(id)
        assert kept is not None
        assert (kept.beside, kept.digest) == (None, "")
    desktop.sync()
    laptop.sync()
    assert laptop.says() == {}
