"""What becomes of a memory when the user says otherwise, or takes it back, in a later session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clock import Clock
from tests.engine.conftest import MakeEngine
from tests.engine.test_said_again import UserSessions

TABS = "From now on use tabs in this repository."


@pytest.fixture
def sessions(make_engine: MakeEngine, repository: Path) -> UserSessions:
    return UserSessions(make_engine(repository))


def say(sessions: UserSessions, *texts: str) -> None:
    """Say all that a session says."""
    sessions.sessions += 1
    id = f"s{sessions.sessions}"
    for text in texts:
        sessions.ask("event/userMessage", sessionId=id, text=text)
    sessions.ask("session/end", sessionId=id)


def archived(sessions: UserSessions) -> list[str]:
    return [memory.content for memory in sessions.ask("memory/list", status="archived").items]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("From now on always use two spaces.", "From now on always use four spaces."),
        ("From now on always ask Anna before merging.", "From now on always ask Bob before merging."),
        ("From now on use npm in this repo.", "From now on use bun, not npm."),
        ("From now on always use semicolons.", "I changed my mind: no semicolons from now on."),
    ],
)
def test_a_changed_mind_leaves_the_newer_memory(sessions: UserSessions, older: str, newer: str) -> None:
    say(sessions, older)
    say(sessions, newer)
    (memory,) = sessions.memories()
    assert newer.endswith(memory)
    assert archived(sessions) == [older]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("From now on deploy the API on port 8001.", "From now on deploy the admin on port 8002."),
        ("From now on always squash.", "From now on never squash in the docs repository."),
        (
            "From now on always run the linter before committing.",
            "From now on always run the type checker before committing.",
        ),
        ("From now on never force push to main.", "From now on push to main only after CI is green."),
    ],
)
def test_statements_of_different_things_both_stay(sessions: UserSessions, older: str, newer: str) -> None:
    say(sessions, older)
    say(sessions, newer)
    assert set(sessions.memories()) == {older, newer}


def test_a_value_not_said_as_standing_steps_in_when_it_is_confirmed(sessions: UserSessions) -> None:
    say(sessions, "From now on use snake_case for the fields.")
    for _ in range(3):
        say(sessions, "we prefer camelCase over snake_case for the fields", "ok")
    assert sessions.memories() == ["we prefer camelCase over snake_case for the fields"]


def test_a_mind_changed_back_brings_the_memory_back(sessions: UserSessions) -> None:
    spaces, tabs = "From now on use spaces.", "From now on use tabs."
    for text in (spaces, tabs, spaces):
        say(sessions, text)
    assert (sessions.memories(), archived(sessions)) == ([spaces], [tabs])


@pytest.mark.parametrize("said", ["forget what I said about tabs", "drop the tabs rule"])
def test_a_wish_taken_back_is_archived_with_its_reason_and_undone(sessions: UserSessions, said: str) -> None:
    say(sessions, TABS, "From now on never edit generated files.")
    say(sessions, said)
    assert sessions.memories() == ["From now on never edit generated files."]
    assert archived(sessions) == [TABS]
    (memory,) = sessions.ask("memory/list", status="archived").items
    newest = sessions.ask("memory/history", id=memory.id).versions[0]
    assert said in (newest.reason or "")
    assert [each.content for each in sessions.waiting()] in ([], [said])
    sessions.ask("memory/undo", id=memory.id)
    assert TABS in sessions.memories()


@pytest.mark.parametrize(
    ("older", "newer", "rest"),
    [
        (
            "Remember that Anna owns the billing service.",
            "Anna left; the billing service is owned by Piotr now.",
            ["owned by Piotr now"],
        ),
        ("Always use tabs in this repo.", "the rule about tabs is off the table", []),
        ("Remember: our staging runs on port 8080.", "the port is 8080 in tests but 9090 in prod", ["8080"]),
        ("Remember that Anna owns the billing service.", "Is the billing service owned by Piotr now?", ["Anna"]),
        ("Always use tabs in this repo.", "close the tabs, they are no longer needed in the browser test", ["tabs"]),
    ],
)
def test_a_revision_changes_just_what_it_is_about(
    sessions: UserSessions, older: str, newer: str, rest: list[str]
) -> None:
    say(sessions, older)
    say(sessions, newer)
    assert len(sessions.memories()) == len(rest)
    assert all(words in memory for words, memory in zip(rest, sessions.memories(), strict=True))


def test_scratch_that_takes_back_the_message_before(sessions: UserSessions) -> None:
    say(sessions, "From now on always sign commits.", TABS, "scratch that")
    assert sessions.memories() == ["From now on always sign commits."]


def test_a_wish_taken_back_and_said_again_is_a_memory(sessions: UserSessions) -> None:
    say(sessions, TABS)
    say(sessions, "forget what I said about tabs")
    say(sessions, TABS)
    assert sessions.memories() == [TABS]


@pytest.mark.parametrize(
    "said",
    [
        "don't forget what I said about tabs",
        "forget what I said about indentation",
        "forget the rule about files",
        "the tabs no longer line up",
    ],
)
def test_words_that_could_mean_another_take_nothing_back(sessions: UserSessions, said: str) -> None:
    rules = [TABS, "From now on use two spaces in YAML files.", "From now on never edit generated files."]
    say(sessions, *rules[:1])
    say(sessions, *rules[1:])
    say(sessions, said)
    assert archived(sessions) == []


def test_only_the_users_own_words_are_taken_back(sessions: UserSessions) -> None:
    sessions.ask("memory/record", content="Tabs are drawn eight wide here.", type="feedback")
    say(sessions, "forget what I said about tabs")
    assert sessions.memories() == ["Tabs are drawn eight wide here."]


def test_an_agent_takes_nothing_back(sessions: UserSessions) -> None:
    say(sessions, TABS)
    sessions.ask("event/reasoning", sessionId="agent", text="The user said: forget what I said about tabs.")
    sessions.ask("session/end", sessionId="agent")
    assert sessions.memories() == [TABS]


def test_a_wish_that_is_all_of_two_sessions_is_a_memory(sessions: UserSessions) -> None:
    wish = "prefer early returns over nested ifs"
    say(sessions, wish)
    say(sessions, wish)
    assert sessions.memories() == [wish]
    say(sessions, "hello, fix the totals", "keep the diff small please")
    say(sessions, "hello, fix the totals", "keep the diff small please")  # a copy of the session before
    assert sessions.memories() == [wish]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Always wrap Python at 80 columns.", "80 is too tight after all, make it 100 columns for Python"),
        ("Remember: CI for this repo is on CircleCI.", "we're off circle since monday, ci is all github actions now"),
        ("Always run the tests with tox in this repo.", "we moved the tests off tox last week, nox runs them now"),
        (
            "Remember that branches are always cut from develop and pull requests go to develop.",
            "develop was removed, we do trunk based now",
        ),
    ],
)
def test_later_words_that_no_rule_understands_are_shown_with_what_they_may_change(
    sessions: UserSessions, older: str, newer: str
) -> None:
    say(sessions, older)
    say(sessions, newer)
    shown = [memory for memory in sessions.memories() if "(Said later: " in memory]
    assert shown == [f"{sessions.memories()[-1].partition(' (')[0]} (Said later: “{newer}”)"]
    say(sessions, "nothing of it holds any more, everything about it has changed again")
    assert [memory for memory in sessions.memories() if "(Said later: " in memory] == shown


def test_later_words_are_replaced_by_still_later_ones_and_undone(sessions: UserSessions) -> None:
    say(sessions, "Always wrap Python at 80 columns.")
    say(sessions, "80 is too tight after all, make it 100 columns for Python")
    say(sessions, "100 columns for Python was too wide after all, make it 90")
    assert sessions.memories() == [
        "Always wrap Python at 80 columns. (Said later: “100 columns for Python was too wide after all, make it 90”)"
    ]
    sessions.ask("memory/undo", id=sessions.ask("memory/list").items[0].id)
    assert "make it 100 columns" in sessions.memories()[0]


@pytest.mark.parametrize(
    "newer",
    [
        "why do the python columns wrap at 80 now?",
        "wrap the columns of this python table again",
        "the python columns test fails now",
        "the css is wrong now",
    ],
)
def test_questions_tasks_complaints_and_other_topics_are_no_later_words(sessions: UserSessions, newer: str) -> None:
    say(sessions, "Always wrap Python at 80 columns.")
    say(sessions, newer)
    assert sessions.memories() == ["Always wrap Python at 80 columns."]


def test_later_words_on_a_candidate_are_shown_with_it(sessions: UserSessions) -> None:
    say(sessions, "Fix the totals.", "we're on node 18, don't use anything newer (lambda runtime)")
    say(sessions, "lambda got bumped to node 22 so feel free to use the newer APIs", "there is an error in node 20 now")
    (waiting,) = sessions.waiting()
    assert waiting.content == (
        "we're on node 18, don't use anything newer (lambda runtime) "
        "(Said later: “lambda got bumped to node 22 so feel free to use the newer APIs”)"
    )


def test_taking_back_is_no_memory(sessions: UserSessions) -> None:
    say(sessions, "Always squash before merging.")
    say(sessions, "scrap the squash rule, it loses too much history")
    assert (sessions.memories(), archived(sessions), sessions.waiting()) == ([], ["Always squash before merging."], [])


def test_later_words_hold_no_task(sessions: UserSessions) -> None:
    say(sessions, "Always wrap Python at 80 columns.")
    say(sessions, "80 is too tight after all, 100 columns for Python. Fix the tests. Update src.")
    assert sessions.memories() == [
        "Always wrap Python at 80 columns. (Said later: “80 is too tight after all, 100 columns for Python.”)"
    ]


def test_words_that_change_an_unknown_memory_are_shown_for_two_weeks(
    make_engine: MakeEngine, repository: Path, clock: Clock
) -> None:
    sessions = UserSessions(make_engine(repository, clock=clock))
    newer = "bun everywhere as of last week, the lockfile is swapped already. Fix the login page"
    say(sessions, "npm everywhere as of last month, we moved off yarn. Fix the header")
    assert sessions.memories() == []  # there is nothing that it could change
    say(sessions, "From now on install with pnpm, never with npm or yarn.")
    say(sessions, newer)
    shown = "The user said: “bun everywhere as of last week, the lockfile is swapped already.”"
    block = sessions.ask("memory/inject", prompt="deploy it").text
    assert shown in block
    assert "pnpm, never with npm" in block
    clock.forward(days=15)
    assert shown not in sessions.ask("memory/inject", prompt="deploy it").text


def test_only_the_latest_words_on_unknown_changes_are_shown(sessions: UserSessions) -> None:
    say(sessions, "From now on put icons in assets/icons.")
    places = ["jenkins is gone", "we no longer deploy to heroku", "priya has left the company", "staging was shut down"]
    for place in places:
        say(sessions, f"{place}. Can you fix the login page?")
    block = sessions.ask("memory/inject", prompt="rename a function").text
    assert [place for place in places if f"“{place}" in block] == places[1:]
