"""Which words of a message change something that was said before."""

from __future__ import annotations

import pytest

from sidecar.learning.message_changes import MessageChanges, message_changes
from sidecar.learning.user_statements import user_statements


def changes_of(text: str) -> MessageChanges:
    return message_changes(text, "", user_statements(text))


def test_a_new_state_of_affairs_surely_changes_something() -> None:
    text = "we're off jenkins since monday, it's all gitlab ci. can you fix the login test?"
    assert changes_of(text).sure == ["we're off jenkins since monday, it's all gitlab ci."]


@pytest.mark.parametrize(
    "text",
    [
        "Okay, the server has started now and is running.",
        "the button is red now but the label is wrong",
        "Move the search bar to the right.",
    ],
)
def test_reports_on_the_work_at_hand_change_nothing(text: str) -> None:
    assert changes_of(text) == MessageChanges({}, [], [])


def test_words_that_take_a_rule_back_are_not_shown_by_themselves() -> None:
    changes = changes_of("forget what I said about tabs")
    assert list(changes.revised) == ["forget what I said about tabs"]
    assert changes.sure == []


def test_a_new_rule_is_learned_rather_than_shown_as_a_change() -> None:
    assert changes_of("From now on push to main only after CI is green.").sure == []
