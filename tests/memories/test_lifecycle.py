"""Update, archive, restore, delete and undo, with versions of all of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Filters
from sidecar.runtime.errors import InvalidField, MemoryNotFound, VersionConflict
from tests.memories.conftest import BookFixture


def _texts(book: MemoryBook, id: str) -> list[str | None]:
    return [version.memory.content if version.memory else None for version in book.history(id)]


def test_an_update_keeps_the_earlier_version(house: BookFixture) -> None:
    id = house.record("one", name="n", description="d").record.id
    house.clock.forward(days=1)
    updated = house.book.update(id, {"content": "two", "description": None, "tags": ["a"], "pinned": True})
    assert updated.changed
    record = updated.record
    assert (record.content, record.description, record.tags, record.pinned) == ("two", None, ("a",), True)
    assert (record.version, record.updated_at) == (2, house.clock.now)
    assert _texts(house.book, id) == ["two", "one"]
    assert house.reopen().get(id).record == record


def test_an_update_that_changes_nothing_writes_nothing(house: BookFixture) -> None:
    record = house.record("one", name="n", tags=("a",)).record
    house.clock.forward(days=1)
    before = house.workspace.seq()
    for changes in ({}, {"content": " one "}, {"tags": ["a", "a"], "name": "n", "category": None}):
        updated = house.book.update(record.id, changes, expected_version=1)
        assert (updated.changed, updated.record) == (False, record)
    assert house.workspace.seq() == before


def test_a_conditional_update_of_what_moved_on_is_refused(house: BookFixture) -> None:
    id = house.record("one", name="n").record.id
    house.book.update(id, {"content": "two"}, expected_version=1)
    with pytest.raises(VersionConflict, match="version 2, not 1") as caught:
        house.book.update(id, {"content": "three"}, expected_version=1)
    assert caught.value.data.path == "$.expectedVersion"
    assert house.book.get(id).record.content == "two"


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"content": ""}, "$.content"),
        ({"content": "x" * 16_001}, "$.content"),
        ({"name": "other"}, "$.name"),
        ({"type": "note"}, "$.type"),
        ({"expires_at": 5}, "$.expiresAt"),
        ({"expires_at": True}, "$.expiresAt"),
        ({"tags": "a"}, "$.tags"),
        ({"pinned": 1}, "$.pinned"),
        ({"scope": "global"}, "$.scope"),
    ],
)
def test_a_refused_update_changes_nothing(house: BookFixture, changes: dict[str, object], path: str) -> None:
    other = house.record("two", name="other").record
    record = house.record("one", name="n").record
    with pytest.raises(InvalidField) as caught:
        house.book.update(record.id, {**changes})
    assert caught.value.data.path == path
    if "name" in changes:
        assert other.id in caught.value.message
    assert house.book.get(record.id).record == record


def test_a_renamed_memory_is_found_under_its_new_key_only(house: BookFixture) -> None:
    id = house.record("one", name="old").record.id
    house.book.update(id, {"name": "new"})
    assert house.record("two", name="new").record.id == id
    assert house.record("three", name="old").status == "created"


def test_archive_hides_and_restore_brings_back(house: BookFixture) -> None:
    id = house.record("one", name="n").record.id
    assert house.book.archive(id).record.status == "archived"
    assert not house.book.archive(id).changed
    assert house.book.list(Filters()).items == ()
    assert [found.record.id for found in house.book.list(Filters(include=("archived",))).items] == [id]
    assert [found.record.id for found in house.book.list(Filters(status=("archived",))).items] == [id]
    restored = house.book.restore(id)
    assert (restored.changed, restored.record.status, restored.record.version) == (True, "active", 3)
    assert not house.book.restore(id).changed


def test_restore_gives_the_status_of_before_back(house: BookFixture) -> None:
    record = house.record("one", name="n").record
    import msgspec

    with house.workspace.transaction() as transaction:
        resolved = msgspec.structs.replace(record, status="resolved", version=2)
        transaction.put(resolved, "updated", house.clock.now)
    house.book.archive(record.id)
    assert house.book.restore(record.id).record.status == "resolved"


def test_a_deleted_memory_is_gone_and_can_be_brought_back(house: BookFixture) -> None:
    record = house.record("one", name="n").record
    assert house.book.delete(record.id) is True
    with pytest.raises(MemoryNotFound) as caught:
        house.book.get(record.id)
    assert "restore" in str(caught.value.data.hint)
    with pytest.raises(MemoryNotFound):
        house.book.delete(record.id)
    assert [version.memory for version in house.book.history(record.id)] == [None, record]
    back = house.book.undo(record.id).record
    assert (back.content, back.id, back.version) == ("one", record.id, 3)
    assert house.record("one", name="n").record.id == record.id


def test_purge_leaves_nothing_of_a_kept_or_a_deleted_memory(house: BookFixture) -> None:
    kept = house.record("one", name="n").record.id
    deleted = house.record("two", name="m").record.id
    house.book.delete(deleted)
    for id in (kept, deleted):
        assert house.book.delete(id, purge=True) is False
        for call in (house.book.history, house.book.undo, house.book.get):
            with pytest.raises(MemoryNotFound):
                call(id)


@pytest.mark.parametrize("name", ["get", "archive", "restore", "delete", "history", "undo"])
def test_an_unknown_id_is_named_with_a_hint(house: BookFixture, name: str) -> None:
    with pytest.raises(MemoryNotFound, match="nothing-here") as caught:
        getattr(house.book, name)("nothing-here")
    assert caught.value.data.hint
    with pytest.raises(MemoryNotFound):
        house.book.update("nothing-here", {"content": "x"})


def test_everything_works_on_the_user_store_too(house: BookFixture) -> None:
    id = house.record("one", name="n", type="user", scope="global").record.id
    house.book.update(id, {"content": "two"})
    assert house.book.undo(id).record.content == "one"
    house.book.archive(id)
    house.book.restore(id)
    assert house.book.counts() == {"personal": 0, "project": 0, "global": 1}
    house.book.delete(id)
    assert house.book.undo(id).record.content == "one"
    assert house.user.get(id) is not None
    assert house.workspace.all() == []


def test_undo_walks_back_step_by_step(house: BookFixture) -> None:
    id = house.record("one", name="n").record.id
    for text in ("two", "three"):
        house.book.update(id, {"content": text})
    assert house.book.undo(id).record.content == "two"
    assert house.book.undo(id).record.content == "one"
    house.book.update(id, {"content": "four"})
    assert house.book.undo(id).record.content == "one"
    assert _texts(house.book, id) == ["one", "four", "one", "two", "three", "two", "one"]
    assert house.book.undo(id).record.status == "deleted"
    with pytest.raises(InvalidField, match="nothing left"):
        house.book.undo(id)


def test_undo_takes_a_merge_back(house: BookFixture) -> None:
    id = house.record("one", name="n").record.id
    house.record("two", name="n")
    assert house.book.undo(id).record.content == "one"
    assert house.record("three", name="n").record.content == "one\nthree"


def test_undo_onto_a_name_that_is_taken_is_refused(house: BookFixture) -> None:
    id = house.record("one", name="old").record.id
    house.book.update(id, {"name": "new"})
    taken = house.record("two", name="old").record.id
    with pytest.raises(InvalidField, match=taken):
        house.book.undo(id)
    assert house.book.get(id).record.name == "new"
    house.book.delete(id)
    house.record("three", name="new")
    with pytest.raises(InvalidField, match="called “new”"):
        house.book.undo(id)


def _last_state(book: MemoryBook, id: str) -> tuple[str, str]:
    record = book.get(id).record
    return record.content, record.status


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("update"), st.sampled_from(["a", "b", "c"])),
        st.tuples(st.just("record"), st.sampled_from(["d", "e"])),
        st.tuples(st.sampled_from(["undo", "delete", "archive", "restore"]), st.just("")),
    ),
    max_size=14,
)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_undo_and_history_agree_with_a_model(
    new_house: Callable[[], BookFixture], steps: list[tuple[str, str]]
) -> None:
    """The model is a stack of states; each change pushes, an undo pops."""
    house = new_house()
    id = house.record("start", name="n").record.id
    stack: list[tuple[str, str] | None] = [("start", "active")]
    written = 1
    for step, text in steps:
        state = stack[-1] if stack else None
        if step == "undo":
            if not stack:
                with pytest.raises(InvalidField):
                    house.book.undo(id)
                continue
            stack.pop()
            house.book.undo(id)
        elif state is None and step == "restore":
            house.book.restore(id)
            stack.append(_last_state(house.book, id))
        elif state is None:
            with pytest.raises(MemoryNotFound):
                house.book.archive(id)
            continue
        elif step == "delete":
            house.book.delete(id)
            stack.append(None)
        elif step == "record":
            merged = house.record(text, name="n")
            if merged.status == "duplicate":
                continue
            stack.append((merged.record.content, "active"))
        else:
            after = {"update": (text, state[1]), "archive": (state[0], "archived"), "restore": (state[0], "active")}[
                step
            ]
            changes = {"content": text}
            changed = house.book.update(id, changes) if step == "update" else getattr(house.book, step)(id)
            assert changed.changed == (after != state)
            if after == state:
                continue
            stack.append(after)
        written += 1
        expected = stack[-1] if stack else None
        versions = house.book.history(id)
        assert len(versions) == written
        assert [version.version for version in versions] == list(range(written, 0, -1))
        if expected is None:
            assert house.workspace.get(id) is None
        else:
            record = house.book.get(id).record
            assert (record.content, record.status, record.version) == (*expected, written)
            assert versions[0].memory == record
