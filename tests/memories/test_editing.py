"""Update, archive, restore, delete and undo, with versions of all of them."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Filters
from sidecar.runtime.errors import InvalidField, MemoryNotFound, VersionConflict
from tests.memories.conftest import BookRig


def _texts(book: MemoryBook, id: str) -> list[str | None]:
    return [version.memory.content if version.memory else None for version in book.searcher.history(id)]


def test_an_update_keeps_the_earlier_version(rig: BookRig) -> None:
    id = rig.record("one", name="n", description="d").record.id
    rig.clock.forward(days=1)
    updated = rig.book.editing.update(id, {"content": "two", "description": None, "tags": ["a"], "pinned": True})
    assert updated.changed
    record = updated.record
    assert (record.content, record.description, record.tags, record.pinned) == ("two", None, ("a",), True)
    assert (record.version, record.updated_at) == (2, rig.clock.now)
    assert _texts(rig.book, id) == ["two", "one"]
    assert rig.reopen().searcher.get(id).record == record


def test_an_update_that_changes_nothing_writes_nothing(rig: BookRig) -> None:
    record = rig.record("one", name="n", tags=("a",)).record
    rig.clock.forward(days=1)
    before = rig.workspace.seq()
    for changes in ({}, {"content": " one "}, {"tags": ["a", "a"], "name": "n", "category": None}):
        updated = rig.book.editing.update(record.id, changes, expected_version=1)
        assert (updated.changed, updated.record) == (False, record)
    assert rig.workspace.seq() == before


def test_a_conditional_update_of_what_moved_on_is_refused(rig: BookRig) -> None:
    id = rig.record("one", name="n").record.id
    rig.book.editing.update(id, {"content": "two"}, expected_version=1)
    with pytest.raises(VersionConflict, match="version 2, not 1") as caught:
        rig.book.editing.update(id, {"content": "three"}, expected_version=1)
    assert caught.value.data.path == "$.expectedVersion"
    assert rig.book.searcher.get(id).record.content == "two"


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"content": ""}, "$.content"),
        ({"content": "x" * 16_001}, "$.content"),
        ({"name": "other"}, "$.name"),
        ({"type": "note"}, "$.type"),
        ({"expires_at": 5}, "$.expiresAt"),
        ({"scope": "global"}, "$.scope"),
    ],
)
def test_a_refused_update_changes_nothing(rig: BookRig, changes: dict[str, object], path: str) -> None:
    other = rig.record("two", name="other").record
    record = rig.record("one", name="n").record
    with pytest.raises(InvalidField) as caught:
        rig.book.editing.update(record.id, {**changes})
    assert caught.value.data.path == path
    if "name" in changes:
        assert other.id in caught.value.message
    assert rig.book.searcher.get(record.id).record == record


def test_a_renamed_memory_is_found_under_its_new_key_only(rig: BookRig) -> None:
    id = rig.record("one", name="old").record.id
    rig.book.editing.update(id, {"name": "new"})
    assert rig.record("two", name="new").record.id == id
    assert rig.record("three", name="old").status == "created"


def test_archive_hides_and_restore_brings_back(rig: BookRig) -> None:
    id = rig.record("one", name="n").record.id
    assert rig.book.editing.archive(id).record.status == "archived"
    assert not rig.book.editing.archive(id).changed
    assert rig.book.searcher.list(Filters()).items == ()
    assert [found.record.id for found in rig.book.searcher.list(Filters(include=("archived",))).items] == [id]
    assert [found.record.id for found in rig.book.searcher.list(Filters(status=("archived",))).items] == [id]
    restored = rig.book.editing.restore(id)
    assert (restored.changed, restored.record.status, restored.record.version) == (True, "active", 3)
    assert not rig.book.editing.restore(id).changed


def test_restore_gives_the_status_of_before_back(rig: BookRig) -> None:
    record = rig.record("one", name="n").record
    import msgspec

    with rig.workspace.transaction() as transaction:
        resolved = msgspec.structs.replace(record, status="resolved", version=2)
        transaction.put(resolved, "updated", rig.clock.now)
    rig.book.editing.archive(record.id)
    assert rig.book.editing.restore(record.id).record.status == "resolved"


def test_a_deleted_memory_is_gone_and_can_be_brought_back(rig: BookRig) -> None:
    record = rig.record("one", name="n").record
    assert rig.book.editing.delete(record.id) is True
    with pytest.raises(MemoryNotFound) as caught:
        rig.book.searcher.get(record.id)
    assert "restore" in str(caught.value.data.hint)
    with pytest.raises(MemoryNotFound):
        rig.book.editing.delete(record.id)
    assert [version.memory for version in rig.book.searcher.history(record.id)] == [None, record]
    back = rig.book.undoing.undo(record.id).record
    assert (back.content, back.id, back.version) == ("one", record.id, 3)
    assert rig.record("one", name="n").record.id == record.id


def test_purge_leaves_nothing_of_a_kept_or_a_deleted_memory(rig: BookRig) -> None:
    kept = rig.record("one", name="n").record.id
    deleted = rig.record("two", name="m").record.id
    rig.book.editing.delete(deleted)
    for id in (kept, deleted):
        assert rig.book.editing.delete(id, purge=True) is False
        for call in (rig.book.searcher.history, rig.book.undoing.undo, rig.book.searcher.get):
            with pytest.raises(MemoryNotFound):
                call(id)


@pytest.mark.parametrize(
    "name", "searcher.get searcher.history editing.archive editing.restore editing.delete undoing.undo".split()
)
def test_an_unknown_id_is_named_with_a_hint(rig: BookRig, name: str) -> None:
    with pytest.raises(MemoryNotFound, match="nothing-here") as caught:
        attrgetter(name)(rig.book)("nothing-here")
    assert caught.value.data.hint
    with pytest.raises(MemoryNotFound):
        rig.book.editing.update("nothing-here", {"content": "x"})


def test_everything_works_on_the_user_store_too(rig: BookRig) -> None:
    id = rig.record("one", name="n", type="user", scope="global").record.id
    rig.book.editing.update(id, {"content": "two"})
    assert rig.book.undoing.undo(id).record.content == "one"
    rig.book.editing.archive(id)
    rig.book.editing.restore(id)
    assert rig.book.searcher.counts() == {"personal": 0, "project": 0, "global": 1}
    rig.book.editing.delete(id)
    assert rig.book.undoing.undo(id).record.content == "one"
    assert rig.user.get(id) is not None
    assert rig.workspace.all() == []


def test_undo_walks_back_step_by_step(rig: BookRig) -> None:
    id = rig.record("one", name="n").record.id
    for text in ("two", "three"):
        rig.book.editing.update(id, {"content": text})
    assert rig.book.undoing.undo(id).record.content == "two"
    assert rig.book.undoing.undo(id).record.content == "one"
    rig.book.editing.update(id, {"content": "four"})
    assert rig.book.undoing.undo(id).record.content == "one"
    assert _texts(rig.book, id) == ["one", "four", "one", "two", "three", "two", "one"]
    assert rig.book.undoing.undo(id).record.status == "deleted"
    with pytest.raises(InvalidField, match="nothing left"):
        rig.book.undoing.undo(id)


def test_undo_takes_a_merge_back(rig: BookRig) -> None:
    id = rig.record("one", name="n").record.id
    rig.record("two", name="n")
    assert rig.book.undoing.undo(id).record.content == "one"
    assert rig.record("three", name="n").record.content == "one\nthree"


def test_undo_onto_a_name_that_is_taken_is_refused(rig: BookRig) -> None:
    id = rig.record("one", name="old").record.id
    rig.book.editing.update(id, {"name": "new"})
    taken = rig.record("two", name="old").record.id
    with pytest.raises(InvalidField, match=taken):
        rig.book.undoing.undo(id)
    assert rig.book.searcher.get(id).record.name == "new"
    rig.book.editing.delete(id)
    rig.record("three", name="new")
    with pytest.raises(InvalidField, match="called “new”"):
        rig.book.undoing.undo(id)


def _last_state(book: MemoryBook, id: str) -> tuple[str, str]:
    record = book.searcher.get(id).record
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
def test_undo_and_history_agree_with_a_model(new_rig: Callable[[], BookRig], steps: list[tuple[str, str]]) -> None:
    """The model is a stack of states; each change pushes, an undo pops."""
    rig = new_rig()
    id = rig.record("start", name="n").record.id
    stack: list[tuple[str, str] | None] = [("start", "active")]
    written = 1
    for step, text in steps:
        state = stack[-1] if stack else None
        if step == "undo":
            if not stack:
                with pytest.raises(InvalidField):
                    rig.book.undoing.undo(id)
                continue
            stack.pop()
            rig.book.undoing.undo(id)
        elif state is None and step == "restore":
            rig.book.editing.restore(id)
            stack.append(_last_state(rig.book, id))
        elif state is None:
            with pytest.raises(MemoryNotFound):
                rig.book.editing.archive(id)
            continue
        elif step == "delete":
            rig.book.editing.delete(id)
            stack.append(None)
        elif step == "record":
            merged = rig.record(text, name="n")
            if merged.status == "duplicate":
                continue
            stack.append((merged.record.content, "active"))
        else:
            after = {"update": (text, state[1]), "archive": (state[0], "archived"), "restore": (state[0], "active")}[
                step
            ]
            changes = {"content": text}
            editing = rig.book.editing
            changed = editing.update(id, changes) if step == "update" else getattr(editing, step)(id)
            assert changed.changed == (after != state)
            if after == state:
                continue
            stack.append(after)
        written += 1
        expected = stack[-1] if stack else None
        versions = rig.book.searcher.history(id)
        assert len(versions) == written
        assert [version.version for version in versions] == list(range(written, 0, -1))
        if expected is None:
            assert rig.workspace.get(id) is None
        else:
            record = rig.book.searcher.get(id).record
            assert (record.content, record.status, record.version) == (*expected, written)
            assert versions[0].memory == record
