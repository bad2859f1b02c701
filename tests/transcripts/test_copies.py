"""Sessions that begin with a copy of another."""

from __future__ import annotations

from sidecar.learning.session_event import SessionEvent
from sidecar.transcripts.copies import split_prints, without_copies


def user(text: str, id: str = "") -> SessionEvent:
    return SessionEvent("user", 1, text, id)


def agent(text: str) -> SessionEvent:
    return SessionEvent("agent", 1, text)


def texts(events: list[SessionEvent], known: set[bytes], said: set[bytes] | None = None) -> list[str]:
    return [event.text for _, event in without_copies(events, known, set() if said is None else said)]


FIRST = [user("Use tabs."), agent("Yes."), user("Go on."), agent("Done.")]


def test_a_fork_gives_only_what_is_new() -> None:
    known: set[bytes] = set()
    assert texts(FIRST, set(), known) == ["Use tabs.", "Yes.", "Go on.", "Done."]
    fork = [*FIRST[:3], agent("Another answer."), user("Never push."), agent("Well.")]
    assert texts(fork, known) == ["Go on.", "Another answer.", "Never push.", "Well."]
    assert texts([*FIRST, user("More.")], known) == ["More."]
    assert split_prints(b"".join(known)) == known


def test_the_same_wish_answered_otherwise_is_said_again() -> None:
    known: set[bytes] = set()
    texts(FIRST, set(), known)
    assert texts([user("Use tabs."), agent("Certainly.")], known) == ["Use tabs.", "Certainly."]
    assert texts([user("Hello."), agent("Hello."), *FIRST], known) == ["Hello.", "Hello.", *[e.text for e in FIRST]]


def test_a_message_with_the_same_id_is_a_copy() -> None:
    known: set[bytes] = set()
    texts([user("Use tabs.", "u1"), agent("Yes.")], set(), known)
    resumed = [user("Use tabs.", "u1"), agent("Yes."), agent("More."), user("Never push.", "u2")]
    assert texts(resumed, known) == ["Never push."]
