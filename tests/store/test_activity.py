"""Access counts and sessions."""

from __future__ import annotations

import pytest

from sidecar.store import activity, coordination
from sidecar.store.memory_store import MemoryStore
from sidecar.store.records import SessionRecord


def session(id: str, seen_at: int, shown: tuple[str, ...] = ()) -> SessionRecord:
    return SessionRecord(id=id, started_at=1, seen_at=seen_at, shown=shown)


def test_counts_as_they_stood(store: MemoryStore) -> None:
    store.record_access(["a", "b"], 10)
    store.record_access(["a"], 20)
    store.record_access(["a", "a"], 30)
    assert store.access_counts() == {"a": 3, "b": 1}
    assert store.access_counts(9) == {}
    assert store.access_counts(20) == store.access_counts(29) == {"a": 2, "b": 1}


def test_only_the_last_times_are_kept_and_none_is_lost(store: MemoryStore) -> None:
    total = activity.MAX_TIMES + 36
    for at in range(1, total + 1):
        store.record_access(["a"], at)
    assert store.access_counts() == {"a": total}
    assert store.access_counts(total - 10) == {"a": total - 10}
    assert store.access_counts(36) == {"a": 36}
    # Times before the kept ones are folded into one number.
    assert store.access_counts(1) == {"a": 36}


def test_times_that_arrive_out_of_order_are_sorted(store: MemoryStore) -> None:
    for at in (30, 10, 20):
        store.record_access(["a"], at)
    assert [store.access_counts(at).get("a", 0) for at in (9, 10, 20, 30)] == [0, 1, 2, 3]


def test_many_ids_at_once(store: MemoryStore) -> None:
    ids = [f"m{number}" for number in range(1700)]
    store.record_access(ids, 1)
    assert store.access_counts() == dict.fromkeys(ids, 1)


def test_all_that_were_ever_shown(store: MemoryStore) -> None:
    assert store.access_counts() == {}
    store.record_access(["a", "b"], 10)
    store.record_access(["a"], 20)
    assert store.access_counts() == {"a": 2, "b": 1}
    assert store.access_counts(10) == store.access_counts(19) == {"a": 1, "b": 1}
    assert store.access_counts(9) == {}
    total = activity.MAX_TIMES + 6
    store.record_access(["b"], 5)
    for at in range(30, 30 + total):
        store.record_access(["c"], at)
    assert store.access_counts()["c"] == total
    # Times before the kept ones are folded into one number.
    assert store.access_counts(9) == {"b": 1, "c": 6}


def test_uses_tell_how_often_and_when_last(store: MemoryStore) -> None:
    store.record_access(["a", "b"], 30)
    store.record_access(["a"], 20)
    assert store.uses(["a", "b", "none"]) == {"a": (2, 30), "b": (1, 30)}
    for at in range(40, 41 + activity.MAX_TIMES):
        store.record_access(["b"], at)
    assert store.uses(["b"]) == {"b": (2 + activity.MAX_TIMES, 40 + activity.MAX_TIMES)}
    assert store.uses([]) == {}


def test_a_session_is_replaced_by_its_change(store: MemoryStore) -> None:
    assert store.session("s") is None
    seen: list[SessionRecord | None] = []

    def change(old: SessionRecord | None) -> SessionRecord:
        seen.append(old)
        return session("s", 5, ("a",) if old is None else (*old.shown, "b"))

    store.update_session("s", change)
    assert store.update_session("s", change) == session("s", 5, ("a", "b")) == store.session("s")
    assert seen == [None, session("s", 5, ("a",))]


def test_a_change_that_fails_changes_nothing(store: MemoryStore) -> None:
    store.update_session("s", lambda old: session("s", 1))

    def fail(old: SessionRecord | None) -> SessionRecord:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.update_session("s", fail)
    assert store.session("s") == session("s", 1)


def test_the_longest_idle_session_goes_first(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordination, "SESSIONS_KEPT", 3)
    for seen_at, id in enumerate(["a", "b", "c"]):
        store.update_session(id, lambda old, id=id, seen_at=seen_at: session(id, seen_at))  # type: ignore[misc]
    store.update_session("a", lambda old: session("a", 100))
    store.update_session("d", lambda old: session("d", 50))
    assert [id for id in "abcd" if store.session(id)] == ["a", "c", "d"]
    # The newcomer stays even if its clock is behind.
    store.update_session("e", lambda old: session("e", 0))
    assert store.session("e") is not None
    assert store.session("a") is not None


def test_activity_is_no_change_of_the_memories(store: MemoryStore) -> None:
    store.record_access(["a"], 1)
    store.update_session("s", lambda old: session("s", 1))
    assert store.seq() == 0


def test_the_state_differs_whenever_an_access_was_noted(store: MemoryStore) -> None:
    other = MemoryStore.open(store.directory)
    seen = [store.access_state()]
    for at, writer in enumerate([store, other, other, store]):
        writer.record_access(["a"], at)
        assert store.access_state() == other.access_state()
        seen.append(store.access_state())
    other.close()
    assert len({repr(state) for state in seen}) == len(seen)
    store.record_access([], 9)
    store.update_session("s", lambda old: session("s", 1))
    assert store.access_state() == seen[-1]
