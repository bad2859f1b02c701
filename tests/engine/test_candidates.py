"""Candidates through the engine: which session should ask, expiry, and the way out and in again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.context import BootResult
from sidecar.engine.engine import Engine
from sidecar.runtime.errors import InvalidField, MemoryNotFound
from tests.client.calling import MethodCaller
from tests.client.hostile import acting, attacks, inside
from tests.clock import SATURDAY, Clock
from tests.engine.conftest import settings
from tests.engine.test_interchange import exported

Make = Callable[..., Engine]
DAY = 86_400_000
TRAIN = "Deploys to staging go through the release train on Thursday."
TOKENS = "Access tokens of the robot account are rotated by the platform team."
LOGS = "Logs of the nightly import are kept in the blue bucket."
MIRROR = "Packages come from the mirror in the basement."
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class ClockedSessions:
    """One engine with its clock, in which sessions say things."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self.engine, self.clock = engine, clock

    @property
    def ask(self) -> MethodCaller:
        return MethodCaller(self.engine)

    def said(self, session: str, *texts: str, scope: str = "project") -> None:
        """Have a compaction propose memories, then end the session."""
        lines = "".join(f"- **{text[:20]}** (project, {scope}): {text}\n" for text in texts)
        summary = f"## Memory Candidates\n{lines}"
        self.ask("event/compaction", sessionId=session, summary=summary)
        self.ask("session/end", sessionId=session)

    def begins(self, session: str) -> BootResult:
        self.ask("session/start", sessionId=session)
        return self.ask("context/boot", sessionId=session)

    def waiting(self) -> list[str]:
        return [candidate.content for candidate in self.ask("memory/candidates").items]


@pytest.fixture
def clock() -> Clock:
    return Clock(SATURDAY, step=1)


@pytest.fixture
def sessions_with(make_engine: Make, repository: Path, tmp_path: Path, clock: Clock) -> Callable[..., ClockedSessions]:
    def make(folder: Path = repository, store: str = "store", **memory: object) -> ClockedSessions:
        return ClockedSessions(make_engine(folder, settings=settings(tmp_path / store, **memory), clock=clock), clock)

    return make


@pytest.fixture
def proposing(sessions_with: Callable[..., ClockedSessions]) -> ClockedSessions:
    return sessions_with(learn="propose")


def test_a_session_begins_with_at_most_three_said_most_often_first(proposing: ClockedSessions) -> None:
    proposing.said("one", TRAIN, TOKENS, LOGS, MIRROR)
    proposing.said("two", LOGS)
    boot = proposing.begins("three")
    assert boot.waiting == 4
    assert len(boot.candidates) == 3
    assert boot.candidates[0].content == LOGS
    assert boot.text.count("[candidate ") == 3
    assert boot.text.startswith("<memory-notes>")
    assert boot.candidates[0].id in boot.text
    assert "update_memory" in boot.text
    assert "memory-sidecar review" in boot.text


def test_proposals_of_a_session_stay_the_same_until_decided(proposing: ClockedSessions) -> None:
    proposing.said("one", TRAIN, TOKENS)
    first = proposing.begins("now")
    proposing.said("other", TOKENS, LOGS, MIRROR)
    again = proposing.ask("context/boot", sessionId="now")
    assert (again.text, again.etag) == (first.text, first.etag)
    assert proposing.begins("later").candidates[0].content == TOKENS
    proposing.ask("memory/confirm", id=first.candidates[0].id)
    left = proposing.ask("context/boot", sessionId="now")
    assert [candidate.id for candidate in left.candidates] == [first.candidates[1].id]


def test_candidate_needs_two_sessions_where_two_confirm(sessions_with: Callable[..., ClockedSessions]) -> None:
    sessions = sessions_with()
    sessions.said("one", TRAIN)
    boot = sessions.begins("two")
    assert (boot.waiting, boot.candidates) == (1, [])
    assert "To Be Confirmed" not in boot.text


@pytest.mark.parametrize("memory", [{"ask": "stop"}, {"ask": "never"}, {"learn": "off"}])
def test_nothing_is_asked_where_the_settings_say_so(
    sessions_with: Callable[..., ClockedSessions], memory: dict[str, str]
) -> None:
    sessions_with(learn="propose").said("one", TRAIN)
    assert sessions_with(**{"learn": "propose", **memory}).begins("two").candidates == []


def test_a_block_without_room_for_them_does_not_say_what_to_do_with_them(proposing: ClockedSessions) -> None:
    proposing.said("one", TRAIN)
    proposing.ask("memory/record", content="Ship.", category="directive")
    boot = proposing.ask("context/boot", sessionId="two", budgetTokens=100)
    assert "Ship." in boot.text
    assert "update_memory" not in boot.text
    assert boot.omitted >= 1


def test_answer_to_a_proposal_may_repeat_its_words(proposing: ClockedSessions) -> None:
    proposing.said("one", TRAIN)
    proposing.begins("two")
    proposing.said("two", TRAIN)
    (found,) = proposing.ask("memory/candidates").items
    assert found.sessions == 2


def test_candidates_are_listed_by_session(proposing: ClockedSessions) -> None:
    proposing.said("one", TRAIN, TOKENS)
    proposing.said("two", TOKENS, LOGS)
    found = proposing.ask("memory/candidates", sessionId="two").items
    assert [each.content for each in found] == [TOKENS, LOGS]


def test_hostile_candidates_stay_in_the_fence(proposing: ClockedSessions) -> None:
    for number, (_, text) in enumerate(attacks()[:60]):
        own = " ".join(f"{word}{number}" for word in ("depot", "harbour", "canteen", "orchard", "ferry"))
        proposing.said(f"s{number}", f"The places are {own}: {' '.join(text.split())[:200]}")
    seen = 0
    for _ in range(20):
        boot = proposing.begins(f"look-{proposing.clock.now}")
        if not boot.candidates:
            break
        assert not acting(inside(boot.text)), boot.text
        for candidate in boot.candidates:
            seen += 1
            proposing.ask("memory/reject", id=candidate.id)
    assert seen > 10


def test_maintenance_forgets_what_nobody_confirmed(proposing: ClockedSessions) -> None:
    proposing.said("one", TRAIN)
    proposing.clock.now += 20 * DAY
    proposing.said("two", LOGS)
    proposing.clock.now += 11 * DAY
    assert proposing.ask("memory/maintain", dryRun=True).state == "done"
    assert proposing.begins("three").waiting == 2, "a dry run writes nothing"
    assert proposing.ask("sidecar/status").workspaces[0].candidates == 1, "nor counts what is over"
    proposing.ask("memory/maintain")
    assert proposing.ask("memory/candidates").waiting == 1
    assert proposing.waiting() == [LOGS]
    proposing.ask("memory/maintain")
    assert proposing.waiting() == [LOGS]


def test_faded_candidate_comes_back_when_said_again(sessions_with: Callable[..., ClockedSessions]) -> None:
    sessions = sessions_with()
    wish = "From now on always use pnpm rather than npm."
    sessions.ask("event/userMessage", sessionId="one", text=wish)
    sessions.ask("session/end", sessionId="one")
    (memory,) = sessions.ask("memory/list").items
    sessions.clock.now += 400 * DAY
    sessions.ask("memory/maintain")
    assert sessions.ask("memory/get", id=memory.id).status == "archived"
    sessions.ask("event/userMessage", sessionId="two", text=wish)
    sessions.ask("session/end", sessionId="two")
    assert sessions.ask("memory/get", id=memory.id).status == "active"


def test_an_export_restores_candidates_exactly(
    sessions_with: Callable[..., ClockedSessions], make_repository: Callable[[str], Path]
) -> None:
    here = sessions_with(learn="propose")
    here.said("one", TRAIN, TOKENS, LOGS)
    here.said("two", TOKENS, "Something of mine alone stays in the attic.", scope="personal")
    for candidate in here.ask("memory/candidates").items:
        if candidate.content == TRAIN:
            here.ask("memory/confirm", id=candidate.id)
        elif candidate.content == LOGS:
            here.ask("memory/reject", id=candidate.id)
    text = exported(here.engine)
    there = sessions_with(make_repository("there"), store="elsewhere", learn="propose")
    assert there.ask("memory/import", text=text, dryRun=True).candidates == 4
    assert there.waiting() == []
    assert there.ask("memory/import", text=text).candidates == 4
    assert exported(there.engine) == text
    assert there.ask("memory/import", text=text).candidates == 0
    there.said("three", LOGS)
    assert LOGS not in there.waiting(), "rejected there, rejected here"
    shared = exported(here.engine, scopes=["project"])
    assert TOKENS in shared
    assert "attic" not in shared
    older = text.replace('"version":3', '"version":2')
    assert there.ask("memory/import", text=older).candidates == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"speaker":"tool"', '"speaker":"system"'),
        ('"rule":"compaction"', '"rule":""'),
        ('"scope":"project"', '"scope":"everyone"'),
        ('"kind":"candidate"', '"status":"done","kind":"candidate"'),
        ('"kind":"candidate"', '"files":["../etc/passwd"],"kind":"candidate"'),
    ],
)
def test_unstorable_candidate_is_refused(
    sessions_with: Callable[..., ClockedSessions], make_repository: Callable[[str], Path], old: str, new: str
) -> None:
    here = sessions_with(learn="propose")
    here.said("one", TRAIN)
    text = exported(here.engine)
    if old not in text:  # the rules decide who speaks in a compaction
        old = next(f'"speaker":"{one}"' for one in ("agent", "user", "model") if f'"speaker":"{one}"' in text)
    there = sessions_with(make_repository("there"), store="elsewhere")
    with pytest.raises(InvalidField):
        there.ask("memory/import", text=text.replace(old, new))
    assert there.waiting() == []


def test_an_export_cannot_bring_secrets_in(
    sessions_with: Callable[..., ClockedSessions], make_repository: Callable[[str], Path]
) -> None:
    here = sessions_with(learn="propose")
    here.said("one", TRAIN)
    there = sessions_with(make_repository("there"), store="elsewhere")
    there.ask("memory/import", text=exported(here.engine).replace("staging", SECRET))
    (found,) = there.ask("memory/candidates").items
    assert SECRET not in str(found)


def test_purged_memory_is_gone_with_its_evidence(proposing: ClockedSessions) -> None:
    proposing.said("one", TRAIN)
    (found,) = proposing.ask("memory/candidates").items
    id = proposing.ask("memory/confirm", id=found.id).memory.id
    proposing.ask("memory/delete", id=id, purge=True)
    assert proposing.ask("memory/candidates", memoryId=id).items == []
    assert proposing.ask("memory/candidates", status=["confirmed"]).items == []
    with pytest.raises(MemoryNotFound):
        proposing.ask("memory/confirm", id=found.id)
