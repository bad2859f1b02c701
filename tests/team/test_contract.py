"""What a store does, in the words of those who use it: the same on one machine and shared through PostgreSQL.

Each test has a writer and a reader. `local`: two engines on one diskcache. `shared`: two machines, each with its own
diskcache, in a workspace joined to a real PostgreSQL. The words are the wire's, so the tests know neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import pytest

from sidecar.runtime.errors import MemoryNotFound, SidecarError, VersionConflict
from tests.team.desks import Desk, Desks, is_shared
from tests.waiting import eventually


@dataclass
class Store:
    """One memory, written by one engine and read by another."""

    writer: Desk
    reader: Desk
    is_shared: bool

    def seen(self, id: str, **fields: Any) -> Any:
        """Return a memory as the reader has it, once it says this."""
        eventually(lambda: all(getattr(self.found(id), name, None) == value for name, value in fields.items()))
        return self.found(id)

    def found(self, id: str) -> Any:
        try:
            return self.reader.call("memory/get", id=id)
        except MemoryNotFound:
            return None

    def gone(self, id: str) -> None:
        eventually(lambda: self.found(id) is None)

    def contents(self, desk: Desk, id: str) -> list[str]:
        """Return the texts that a memory has had, newest first."""
        versions = desk.call("memory/history", id=id).versions
        return [version.memory.content for version in versions if version.memory is not None]


@pytest.fixture(params=["local", "shared"])
def store(desks: Desks, request: pytest.FixtureRequest) -> Iterator[Store]:
    writer = desks()
    if request.param == "shared":
        writer.team.join(None, dry_run=False)
        reader = desks()
        for desk in (writer, reader):
            eventually(partial(is_shared, desk))
    else:
        alone = msgspec.structs.replace(writer.settings.store, url=None)
        writer.settings = msgspec.structs.replace(writer.settings, store=alone)
        reader = Desk(writer.folder, alone)
    yield Store(writer, reader, request.param == "shared")
    reader.close()


def test_record_read_list_search_and_count(store: Store) -> None:
    fields: dict[str, Any] = {"category": "decision", "tags": ["net"], "files": ["app.py"], "pinned": True}
    id = store.writer.record("The API listens on port 8080.", **fields)
    found = store.seen(id, content="The API listens on port 8080.")
    written = store.writer.call("memory/get", id=id)
    for name in ("content", "name", "type", "scope", "category", "tags", "files", "pinned", "created_at", "status"):
        assert getattr(found, name) == getattr(written, name), name
    assert [memory.id for memory in store.reader.call("memory/list", files=["app.py"]).items] == [id]
    assert [memory.memory.id for memory in store.reader.call("memory/search", query="which port").items] == [id]
    assert store.reader.call("sidecar/status").workspaces[0].memories["project"] == 1
    again = store.reader.call("memory/record", content="The API listens on port 8080.")
    assert again.memory.id == id, "the same words are one memory"


def test_update_by_the_expected_version(store: Store) -> None:
    id = store.writer.record("One.")
    first = store.seen(id, content="One.").version
    store.writer.call(
        "memory/update", id=id, content="Two.", expectedVersion=store.writer.call("memory/get", id=id).version
    )
    second = store.seen(id, content="Two.")
    with pytest.raises(VersionConflict):
        store.reader.call("memory/update", id=id, content="Three.", expectedVersion=first)
    assert store.found(id) == second
    store.reader.call("memory/update", id=id, content="Three.", expectedVersion=second.version)
    eventually(lambda: store.writer.call("memory/get", id=id).content == "Three.")
    assert store.contents(store.reader, id) == ["Three.", "Two.", "One."]
    assert store.contents(store.writer, id) == ["Three.", "Two.", "One."]


def test_delete_leaves_a_history_that_undo_brings_back_and_a_tombstone(store: Store) -> None:
    id = store.writer.record("To be forgotten.")
    store.seen(id, content="To be forgotten.")
    store.writer.call("memory/delete", id=id)
    store.gone(id)
    assert store.contents(store.reader, id)[0] == "To be forgotten."
    tombstones = store.reader.engine.lifecycle.add_workspace(store.reader.folder).open().memory_store.tombstones()
    assert [tombstone.id for tombstone in tombstones] == [id]
    with pytest.raises(MemoryNotFound):
        store.reader.call("memory/update", id=id, content="Too late.")
    store.reader.call("memory/undo", id=id)
    eventually(lambda: [memory.content for memory in store.writer.call("memory/list").items] == ["To be forgotten."])


def test_purge_leaves_no_word_with_anyone(store: Store) -> None:
    id = store.writer.record("A secret of somebody's.")
    store.seen(id, content="A secret of somebody's.")
    store.writer.call("memory/delete", id=id, purge=True)
    store.gone(id)
    for desk in (store.writer, store.reader):
        with pytest.raises(SidecarError):
            desk.call("memory/undo", id=id)
        try:
            assert store.contents(desk, id) == []
        except MemoryNotFound:
            continue


def test_archiving_reaches_the_reader_and_can_be_undone(store: Store) -> None:
    archived, resolved = store.writer.record("Was so."), store.writer.record("Was broken.", category="blocker")
    store.seen(resolved, content="Was broken.")
    store.writer.call("memory/archive", id=archived)
    store.writer.call("memory/resolve", id=resolved)
    store.seen(archived, status="archived")
    store.seen(resolved, status="resolved")
    store.reader.call("memory/restore", id=archived)
    eventually(lambda: store.writer.call("memory/get", id=archived).status == "active")


def test_an_item_claimed_by_two_sessions_is_held_by_one_until_its_release(store: Store) -> None:
    for number, desk in enumerate((store.writer, store.reader)):
        desk.call("session/start", sessionId=f"s{number}", agent=f"agent{number}")

    def claim(desk: Desk, session: str) -> Any:
        return desk.call("session/claim", sessionId=session, item="app.py")

    assert claim(store.writer, "s0").claimed
    refused = claim(store.reader, "s1")
    assert (refused.claimed, refused.owner, refused.agent) == (False, "s0", "agent0")
    assert claim(store.writer, "s0").claimed
    store.writer.call("session/release", sessionId="s0", item="app.py")
    assert claim(store.reader, "s1").claimed
    store.reader.call("session/end", sessionId="s1")
    eventually(lambda: claim(store.writer, "s0").claimed)


def test_a_reader_sees_a_reminder_set_moved_and_cleared(store: Store) -> None:
    memory = store.writer.record("The certificate is Ann's.")
    params = {"text": "Rotate the certificate.", "at": "+2h", "recurrence": "daily", "memoryId": memory}
    reminder = store.writer.call("reminder/set", **params).reminder

    def listed(desk: Desk) -> Any:
        return desk.call("reminder/list").items

    eventually(lambda: listed(store.reader) == [reminder])
    moved = store.reader.call("reminder/advance", id=reminder.id)
    assert moved.at > reminder.at
    eventually(lambda: listed(store.writer) == [moved])
    store.writer.call("reminder/clear", id=reminder.id)
    eventually(lambda: listed(store.reader) == [])


def test_candidates_stay_on_their_machine(store: Store) -> None:
    """Two processes of a machine share them, two machines do not."""
    store.writer.call("session/start", sessionId="s")
    wish = "We decided to use Postgres for the sessions, not Redis."
    store.writer.call("event/userMessage", sessionId="s", text=wish)
    store.writer.call("session/end", sessionId="s")
    eventually(lambda: store.writer.call("memory/candidates").items)
    waiting = store.writer.call("memory/candidates").items
    elsewhere = store.reader.call("memory/candidates").items
    assert [each.id for each in elsewhere] == ([] if store.is_shared else [each.id for each in waiting])
    confirmed = store.writer.call("memory/confirm", id=waiting[0].id).memory
    store.seen(confirmed.id, content=confirmed.content)
