"""Shares of a match for what was recorded beside it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sidecar.memories.index.memory_index import SessionOrders
from sidecar.memories.retrieval.matching import NEIGHBOURS_SHARE, SHARE_DECAY, share_with_neighbours

ROW = ["a", "b", "c", "d", "e", "f"]


def in_a_row(session: str = "s") -> SessionOrders:
    sessions = SessionOrders()
    for at, id in enumerate(ROW):
        sessions.add(session, at, id)
    return sessions


def test_two_places_before_and_after_get_less_with_the_distance() -> None:
    sessions = in_a_row()
    raised, beside = share_with_neighbours({"c": 1.0}, lambda id: sessions.neighbours("s", ROW.index(id), id), set(ROW))
    far = NEIGHBOURS_SHARE * SHARE_DECAY
    assert raised == {"c": 1.0, "b": NEIGHBOURS_SHARE, "d": NEIGHBOURS_SHARE, "a": far, "e": far}
    assert beside == dict.fromkeys("abde", "c")


def test_only_what_may_be_answered_takes_part() -> None:
    sessions = in_a_row()
    raised, beside = share_with_neighbours(
        {"c": 1.0}, lambda id: sessions.neighbours("s", ROW.index(id), id), {"b", "c"}
    )
    assert set(raised) == {"b", "c"}
    assert set(beside) == {"b"}


def test_a_match_of_its_own_is_beside_nothing() -> None:
    sessions = in_a_row()
    raised, beside = share_with_neighbours(
        {"c": 1.0, "d": 0.4}, lambda id: sessions.neighbours("s", ROW.index(id), id), set(ROW)
    )
    assert raised["d"] == 0.4 + NEIGHBOURS_SHARE
    assert "d" not in beside
    assert beside["e"] == "c"  # the better of the two that gave


def test_sessions_are_apart_and_follow_what_goes() -> None:
    sessions = in_a_row()
    sessions.add("other", 2, "x")
    assert sessions.neighbours("other", 2, "x") == []
    sessions.remove("s", 1, "b")
    assert sessions.neighbours("s", 2, "c") == [("a", 1), ("d", 1), ("e", 2)]
    for at, id in enumerate(ROW):
        if id != "b":
            sessions.remove("s", at, id)
    sessions.add("s", 9, "z")
    assert sessions.neighbours("s", 9, "z") == []


@given(st.dictionaries(st.sampled_from(ROW), st.floats(0.01, 1), min_size=1), st.randoms())
def test_the_order_of_scores_changes_nothing(scores: dict[str, float], chance: object) -> None:
    sessions = in_a_row()

    def around(id: str) -> list[tuple[str, int]]:
        return sessions.neighbours("s", ROW.index(id), id)

    backwards = dict(reversed(scores.items()))
    assert share_with_neighbours(scores, around, set(ROW)) == share_with_neighbours(backwards, around, set(ROW))
