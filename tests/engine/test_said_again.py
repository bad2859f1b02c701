"""What becomes of a wish that users repeat: a memory, a candidate still, or a memory after all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.candidates import Candidate
from sidecar.engine.engine import Engine
from tests.client.calling import MethodCaller
from tests.engine.conftest import MakeEngine

Say = Callable[..., None]
MOCKS = "I don't want mocks of the ledger in our tests."


class UserSessions:
    """One engine in which users say things, each in a session of its own."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.sessions = engine, 0

    @property
    def ask(self) -> MethodCaller:
        return MethodCaller(self.engine)

    def said(self, *texts: str) -> None:
        for text in texts:
            self.sessions += 1
            id = f"s{self.sessions}"
            self.ask("event/userMessage", sessionId=id, text=f"Hello {id}.")
            self.ask("event/userMessage", sessionId=id, text=text)
            self.ask("session/end", sessionId=id)

    def failed(self, command: str, remedy: str, error: str) -> None:
        self.sessions += 1
        id = f"s{self.sessions}"
        for run, output, code in ((command, error, 1), (remedy, "done", 0), (command, "3 passed", 0)):
            given = {"command": run}
            self.ask("event/toolResult", sessionId=id, tool="Bash", input=given, output=output, exitCode=code)
        self.ask("session/end", sessionId=id)

    def memories(self) -> list[str]:
        return [each.content for each in self.ask("memory/list").items]

    def waiting(self) -> list[Candidate]:
        return list(self.ask("memory/candidates").items)


@pytest.fixture
def sessions(make_engine: MakeEngine, repository: Path) -> UserSessions:
    return UserSessions(make_engine(repository))


def test_much_the_same_words_in_two_sessions_are_a_memory(sessions: UserSessions) -> None:
    sessions.said(MOCKS, "we dont want any mocks of the ledger in the tests")
    assert sessions.memories() == [MOCKS]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The dropdown should be simple in the admin section.", "only show it in the admin section please"),
        ("Make sure that partially paid orders can be paid.", "avoid changing paid orders"),
    ],
)
def test_two_wishes_that_name_the_same_thing_are_none(sessions: UserSessions, first: str, second: str) -> None:
    sessions.said(first, second)
    assert sessions.memories() == []


def test_pasted_text_is_not_said_again(sessions: UserSessions) -> None:
    long = "We keep the display of the totals in the report as it was in the old report of the ledger."
    sessions.said(long, long)
    assert sessions.memories() == []
    assert [each.sessions for each in sessions.waiting()] == [1]


def test_wish_within_a_task_is_a_memory_when_another_session_repeats_it(sessions: UserSessions) -> None:
    sessions.said("Fix the totals of last year. We do not want writes to the ledger tables.")
    assert sessions.memories() == []
    assert [each.content for each in sessions.waiting()] == ["We do not want writes to the ledger tables."]
    sessions.said("Fix the totals of this year. We do not want writes to the ledger tables.")
    assert sessions.memories() == ["We do not want writes to the ledger tables."]


def test_a_statement_that_does_not_say_that_it_lasts_is_shown_when_it_is_said_again(sessions: UserSessions) -> None:
    sessions.said("Keep the ledger tables locked by the importer before the totals are computed.")
    assert sessions.waiting() == []
    sessions.said("Ensure that the importer keeps the ledger tables locked before it computes the totals.")
    assert len([*sessions.waiting(), *sessions.memories()]) == 1


def test_a_rejected_wish_comes_back_when_it_is_said_as_standing(sessions: UserSessions) -> None:
    sessions.said(MOCKS)
    (waiting,) = sessions.waiting()
    sessions.ask("memory/reject", id=waiting.id)
    sessions.said(MOCKS, "we dont want any mocks of the ledger in the tests")
    assert sessions.memories() == []
    sessions.said("Fix the totals. From now on we don't want mocks of the ledger in our tests.")
    assert (len(sessions.waiting()), sessions.memories()) == (1, [])
    sessions.said("From now on we don't want mocks of the ledger in our tests.")
    assert len(sessions.memories()) == 1


def test_remedy_is_one_memory_whatever_it_is_for(sessions: UserSessions) -> None:
    sessions.failed("npm run lint", "npm ci", "sh: 1: eslint: not found")
    sessions.failed("npm run build", "npm install", "Error: Cannot find module 'vite'")
    assert len(sessions.memories()) == 1


def test_why_follows_a_memory_to_its_promoted_copy(sessions: UserSessions) -> None:
    sessions.said("Never touch the ledger tables.")
    (memory,) = sessions.ask("memory/list").items
    promoted = sessions.ask("memory/promote", id=memory.id, scope="global").memory
    (came,) = sessions.ask("memory/candidates", memoryId=promoted.id).items
    assert came.content == memory.content
