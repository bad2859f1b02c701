"""Servers of two machines share memories by themselves: soon, after an outage, and with whose words they are."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from sidecar.team.shared_database import SharedWorkspace
from sidecar.team.team_claims import TeamClaims
from tests.team.conftest import Database, Machines, Proxy
from tests.team.desks import Desk, Desks
from tests.waiting import eventually

if TYPE_CHECKING:
    from sidecar.team.postgresql import TeamDatabase


def test_memory_of_one_machine_soon_reaches_another_unasked(desks: Desks) -> None:
    laptop = desks()
    laptop.record("Recorded before it was shared.")
    laptop.team.join(None, dry_run=False)
    desktop = desks()
    eventually(
        lambda: desktop.texts() == ["Recorded before it was shared."]
    )  # a clone of the same origin joins by itself
    laptop.record("The staging database is read-only.")
    eventually(lambda: "The staging database is read-only." in desktop.texts())
    desktop.record("Deploys need two approvals.")
    eventually(lambda: len(laptop.texts()) == 3)
    assert "Deploys need two approvals." in desktop.call("memory/search", query="approvals").items[0].memory.content
    assert any(method == "memory/didChange" for method, _ in desktop.notices)
    assert (laptop.state().waiting, desktop.state().waiting) == (0, 0)


def test_nothing_is_sent_before_somebody_joins(database: Database, desks: Desks) -> None:
    laptop = desks()
    laptop.record("Private until shared.")
    eventually(lambda: laptop.state().state == "notJoined")
    assert database.memories() == {}


def test_recording_goes_on_without_the_server_and_is_sent_when_it_is_back(
    database: Database, desks: Desks, proxy: Proxy
) -> None:
    laptop, desktop = desks(database.url(port=proxy.port)), desks()
    laptop.team.join(None, dry_run=False)
    eventually(lambda: laptop.state().state == "shared")
    eventually(lambda: desktop.state() and desktop.state().state == "shared")
    proxy.cut()
    laptop.record("Recorded offline.")
    eventually(lambda: laptop.state().state == "offline")
    assert laptop.state().waiting == 1
    assert "retried" in str(laptop.state().detail)
    assert laptop.call("memory/search", query="recorded offline").items
    before = proxy.refused
    time.sleep(1)
    assert proxy.refused - before < 20, "it waits between its tries"
    proxy.heal()
    eventually(lambda: desktop.texts() == ["Recorded offline."])
    eventually(lambda: laptop.state().state == "shared" and laptop.state().waiting == 0)


def test_a_colleague_s_directive_is_shown_with_its_author_and_is_none_until_trusted(
    database: Database, desks: Desks
) -> None:
    bob = desks(database.role("bob", "memory_sidecar_creator"))
    bob.team.join(None, dry_run=False)
    bob.record("Always deploy on Fridays.", category="directive", pinned=True)
    bob.record("Prefers tabs.", type="user", scope="project")
    bob.record("The queue is Kafka.")
    eventually(lambda: bob.state().waiting == 0 and bob.state().state == "shared")
    database.role("ann", "memory_sidecar_member")
    bob.team.set_role("ann", "write")
    ann = desks(database.url("ann"))
    eventually(lambda: len(ann.texts()) == 3)
    block = ann.call("memory/inject", prompt="deploy the queue on Fridays with tabs").text
    assert "## Directives" not in block
    assert "## User Preferences" not in block
    assert "by Bob B. (bob)" in block
    found = {memory.content: memory for memory in ann.call("memory/list", limit=10).items}
    mine = found["Always deploy on Fridays."]
    assert (mine.category, mine.pinned, mine.author, found["Prefers tabs."].type) == (
        None,
        False,
        "Bob B. (bob)",
        "project",
    )
    assert "Always deploy" not in ann.call("context/boot").text
    kept = database.sql("SELECT category, pinned, author FROM memory_sidecar.memories WHERE content LIKE 'Always%%'")
    assert kept == [("directive", True, "bob")]
    ann.close()
    trusting = Desk(ann.folder, msgspec.structs.replace(ann.settings.store, directives_from=("bob",)))
    try:
        eventually(lambda: "## Directives" in trusting.call("memory/inject").text)
        assert "Always deploy on Fridays." in trusting.call("context/boot").text
    finally:
        trusting.close()


def test_correcting_another_s_words_keeps_what_kind_they_are_there(database: Database, desks: Desks) -> None:
    bob = desks(database.role("bob", "memory_sidecar_creator"))
    bob.team.join(None, dry_run=False)
    id = bob.record("Always run teh linter.", category="directive")
    eventually(lambda: bob.state().waiting == 0 and bob.state().state == "shared")
    database.role("ann", "memory_sidecar_member")
    bob.team.set_role("ann", "write")
    ann = desks(database.url("ann"))
    eventually(lambda: ann.texts())
    ann.call("memory/update", id=id, content="Always run the linter.")
    eventually(lambda: bob.texts() == ["Always run the linter."])
    row = database.sql("SELECT category, author, claimed_by FROM memory_sidecar.memories")
    assert row == [("directive", "ann", "bob")]
    at_bob = bob.call("memory/get", id=id)
    assert (at_bob.category, at_bob.author) == (None, "ann"), "her words are no directive of his"
    eventually(lambda: ann.call("memory/get", id=id).author is None)
    assert ann.call("memory/get", id=id).category is None


def test_a_role_that_may_only_read_has_everything_and_sends_nothing(database: Database, desks: Desks) -> None:
    laptop = desks()
    laptop.team.join(None, dry_run=False)
    laptop.record("CI uses Python 3.13.")
    eventually(lambda: laptop.state().waiting == 0 and laptop.state().state == "shared")
    database.role("ci", "memory_sidecar_member")
    laptop.team.set_role("ci", "read")
    runner = desks(database.url("ci"))
    eventually(lambda: runner.texts() == ["CI uses Python 3.13."])
    runner.call("session/start", sessionId="a session that others cannot see")
    laptop.record("CI has no Docker.")
    eventually(lambda: len(runner.texts()) == 2)
    assert runner.state().state == "shared"
    runner.record("Noted on the runner only.")
    eventually(lambda: runner.state().state == "readOnly")
    assert runner.state().waiting == 1
    assert len(database.memories()) == 2


def test_a_member_who_leaves_sees_nothing_more_and_leaves_what_was_shared(database: Database, desks: Desks) -> None:
    laptop = desks()
    laptop.team.join(None, dry_run=False)
    database.role("eve", "memory_sidecar_member")
    laptop.team.set_role("eve", "write")
    eve = desks(database.url("eve"))
    eventually(lambda: eve.state().state == "shared")
    eve.record("Eve knew this.")
    eventually(lambda: laptop.texts() == ["Eve knew this."])
    laptop.team.set_role("eve", None)
    laptop.record("After she left.")
    eventually(lambda: laptop.state().waiting == 0)
    eventually(lambda: eve.state().state in ("notJoined", "offline"))
    time.sleep(1)
    assert eve.texts() == ["Eve knew this."]
    assert len(laptop.texts()) == 2


def test_personal_and_global_memories_go_to_one_s_own_machines_only(database: Database, desks: Desks) -> None:
    everything = {"shared": ("project", "personal", "global")}
    laptop, desktop = desks(**everything), desks(**everything)
    laptop.team.join(None, dry_run=False)
    laptop.record("I like short answers.", type="user")
    laptop.record("In every project I use uv.", scope="global")
    laptop.record("Everybody's.")
    eventually(lambda: len(desktop.texts()) == 3)
    database.role("bob", "memory_sidecar_member")
    laptop.team.set_role("bob", "write")
    bob = desks(database.url("bob"), **everything)
    eventually(lambda: bob.texts() == ["Everybody's."])
    time.sleep(0.5)
    assert bob.texts() == ["Everybody's."]


def test_change_during_a_sync_is_synced(desks: Desks, machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    """The news of it is read with the answer to another question."""
    desktop = desks()
    desktop.team.join("shared", dry_run=False)
    eventually(lambda: desktop.state().state == "shared")
    other, before, armed = machines(key="name:shared"), TeamClaims.sync, [True]

    def meanwhile(claims: TeamClaims, database: TeamDatabase, place: SharedWorkspace) -> None:
        if armed.pop() if armed else False:
            other.record("Recorded in the middle of it.")
            other.sync()
            time.sleep(0.3)
        before(claims, database, place)

    monkeypatch.setattr(TeamClaims, "sync", meanwhile)
    desktop.record("This begins the sync.")
    eventually(lambda: "Recorded in the middle of it." in desktop.texts(), seconds=30)


def test_two_workspaces_of_one_server_share_each_its_own(database: Database, desks: Desks) -> None:
    """The global scope is one store's: one of them shares it, and that keeps the other from nothing."""
    everything = {"shared": ("project", "global")}
    laptop, desktop = desks(**everything), desks(**everything)
    laptop.team.join(None, dry_run=False)
    other = laptop.folder.parent / "notes"
    other.mkdir()
    named = Desk(other, laptop.settings.store)
    named.team.join("notes", dry_run=False)
    laptop.engine.lifecycle.add_workspace(other)
    laptop.record("Of the shop.", workspaceUri=laptop.folder.as_uri())
    laptop.record("Of the notes.", workspaceUri=other.as_uri())
    laptop.record("Everywhere.", scope="global", workspaceUri=other.as_uri())
    eventually(lambda: desktop.texts() == ["Everywhere.", "Of the shop."])
    eventually(lambda: sorted(database.memories().values()) == ["Everywhere.", "Of the notes.", "Of the shop."])
