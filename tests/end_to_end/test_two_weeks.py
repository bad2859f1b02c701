"""Two weeks of a project's life under an explicit clock: what each session is given, line by line.

The blocks stand in `two_weeks.md`, where they are read by people; `MEMORY_SIDECAR_REWRITE=1` writes them anew, to be
read again. What must hold of them whatever their wording is said here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from protocol.candidates import Candidate
from protocol.memories import InjectResult, Memory
from protocol.status import StatusParams
from sidecar.engine import housekeeping
from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, MemorySettings, StoreSettings, WatchSettings
from tests.client.calling import EngineCalls, MethodCaller
from tests.client.git import git
from tests.end_to_end import two_weeks

HERE = Path(__file__).parent
GOLDEN = HERE / "two_weeks.md"
BEGIN = 1_773_306_000_000  # Thursday 12 March 2026, 09:00 UTC
HOUR = 3_600_000
DAY = 24 * HOUR


class PlayedProject:
    """The repository, an engine over it, and the clock; plays sessions and keeps what each was given."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "ledger"
        for name, text in two_weeks.FILES.items():
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        git(self.folder, "init", "-q", "-b", "trunk")
        git(self.folder, "add", ".")
        git(self.folder, "commit", "-qm", "first")
        self.now = BEGIN
        self.given: list[InjectResult] = []
        self._numbers = iter(range(1, 1_000_000))
        self._settings = Settings(
            store=StoreSettings(folder=folder / "store"),
            files=FileSettings(warm_up=False),
            watch=WatchSettings(mode="off"),
            # Which files are likely depends on an index that is built in the background.
            memory=MemorySettings(inject_likely_files=False),
        )
        self.engine = self.start()

    def start(self) -> Engine:
        engine = Engine(self._settings, EngineOptions(clock=lambda: self.now, new_id=self._new_id))
        engine.lifecycle.add_workspace(self.folder)
        until = time.monotonic() + 100
        while True:  # blocks must not depend on how fast the model loads here
            status = EngineCalls(engine).sidecar_status(StatusParams())
            embedding = status.workspaces[0].embedding
            if embedding is not None and embedding.state == "ready":
                return engine
            assert time.monotonic() < until
            time.sleep(0.02)

    def restart(self) -> None:
        self.engine.close()
        self.engine = self.start()

    def _new_id(self, now: int) -> str:
        return f"{now >> 16:08x}-{now & 0xFFFF:04x}-7000-8000-{next(self._numbers):012x}"

    @property
    def call(self) -> MethodCaller:
        return MethodCaller(self.engine)

    def find(self, words: str) -> str:
        """The id of the memory that says these words."""
        found = [m.id for m in self.memories() if words in m.name or words in m.content]
        assert len(found) == 1, f"{len(found)} memories say {words!r}"
        return str(found[0])

    def memories(self) -> list[Memory]:
        items = self.call("memory/list", agent="*", limit=200, include=["archived", "resolved", "expired"]).items
        return list(items)

    def candidates(self, *status: str) -> list[Candidate]:
        return list(self.call("memory/candidates", status=list(status), limit=200).items)

    def texts(self) -> list[str]:
        """What memories and waiting candidates say."""
        return [one.content for one in self.memories()] + [one.content for one in self.candidates("waiting")]

    def play(self, number: int, session: Any) -> None:
        self.now = max(self.now + 60_000, BEGIN + session.day * DAY + (session.hour - 9) * HOUR)
        id = f"session-{number:02d}"
        self.call("session/start", sessionId=id, agent=session.agent, workingOn=session.prompt or "nothing yet")
        params = {"sessionId": id, "agent": session.agent, "files": list(session.files)}
        self.given.append(
            self.call("memory/inject", **params, **({"prompt": session.prompt} if session.prompt else {}))
        )
        for at, step in enumerate(session.steps):
            self.now += 60_000
            self.step(id, f"{id}-{at}", *step)
        again = self.call("memory/inject", **params, **({"prompt": session.prompt} if session.prompt else {}))
        if not session.steps:
            assert again.text == self.given[-1].text, "what was shown has changed what is shown"
        self.call("session/end", sessionId=id, **({"summary": session.summary} if session.summary else {}))

    def step(self, session: str, call: str, kind: str, *what: Any) -> None:
        if kind == "user":
            self.call("event/userMessage", sessionId=session, text=what[0])
        elif kind == "says":
            self.call("event/reasoning", sessionId=session, text=what[0])
        elif kind == "run":
            command, output, code = what
            self.call("event/toolCall", sessionId=session, tool="Bash", input={"command": command}, callId=call)
            self.call("event/toolResult", sessionId=session, tool="Bash", output=output, exitCode=code, callId=call)
        elif kind in ("edit", "write"):
            self._change_file(session, call, kind, *what)
        elif kind == "compact":
            self.call("event/compaction", sessionId=session, summary=what[0])
        elif kind in ("confirm", "reject"):
            (found,) = [one for one in self.candidates("waiting") if what[0] in one.content]
            asked = found.content in self.call("context/boot", sessionId=session).text
            assert asked == (found.sessions > 1), "the user is asked about what two sessions have said"
            self.call(f"memory/{kind}", id=found.id)
        elif kind == "record":
            self.call("memory/record", sessionId=session, **what[0])
        elif kind == "update":
            self.call("memory/update", id=self.find(what[0]), **what[1])
        elif kind == "resolve":
            self.call("memory/resolve", id=self.find(what[0]))
        elif kind == "forget":
            self.call("memory/delete", id=self.find(what[0]))
        elif kind == "hand":
            place = self.folder / ".agents" / "MEMORY.md"
            self.settle()
            assert what[0] in place.read_text()
            place.write_text(place.read_text().replace(what[0], what[1]))
        elif kind == "branch":
            git(self.folder, "stash", "-q")
            git(self.folder, "checkout", "-qb", what[0])
            git(self.folder, "stash", "pop", "-q")
        elif kind == "maintain":
            assert self.call("memory/maintain").state == "done"
            assert not self.call("memory/maintain").actions, "a second time changed something"

    def _change_file(self, session: str, call: str, kind: str, path: str, *what: str) -> None:
        place = self.folder / path
        tool, given = "Write", {"file_path": str(place), "content": what[-1]}
        if kind == "edit":
            assert what[0] in place.read_text()
            tool, given = "Edit", {"file_path": str(place), "old_string": what[0], "new_string": what[1]}
        self.call("event/toolCall", sessionId=session, tool=tool, input=given, callId=call)
        place.write_text(what[0] if kind == "write" else place.read_text().replace(what[0], what[1]))
        self.engine.files_changed([place.as_uri()])
        self.call("event/toolResult", sessionId=session, tool=tool, output="done", callId=call)

    def settle(self) -> None:
        """Have MEMORY.md written now."""
        workspace = self.engine.workspaces.all()[0]
        memory_file = workspace.open().memory_file
        self.call("memory/list")  # stores what was learned
        memory_file.sync()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayedProject]:
    with pytest.MonkeyPatch.context() as patched:
        # This clock leaps: maintenance unasked would come or not, as quick as the machine is.
        patched.setattr(housekeeping, "HOUSEKEEPING_CHECK_SECONDS", 86_400.0)
        made = PlayedProject(tmp_path_factory.mktemp("two-weeks"))
        for number, session in enumerate(two_weeks.SESSIONS, 1):
            made.play(number, session)
            if number % 10 == 0:
                made.restart()
        yield made
        made.engine.close()


def rendered(project: PlayedProject) -> str:
    parts = ["# What 40 sessions were given\n"]
    for number, (session, result) in enumerate(zip(two_weeks.SESSIONS, project.given, strict=True), 1):
        asked = f"“{session.prompt}”" if session.prompt else "nothing"
        files = f", with {', '.join(session.files)}" if session.files else ""
        parts.append(f"## {number}. Day {session.day}, {session.hour}:00, {session.agent}: {asked}{files}\n")
        parts.append(f"````\n{result.text}````\n" if result.text else "Nothing.\n")
    return "\n".join(parts)


def test_there_are_forty_sessions_of_three_agents() -> None:
    assert len(two_weeks.SESSIONS) == 40
    assert {session.agent for session in two_weeks.SESSIONS} == {"claude", "codex", "opencode"}


def test_every_block_line_by_line(project: PlayedProject) -> None:
    now = rendered(project)
    if os.environ.get("MEMORY_SIDECAR_REWRITE"):
        GOLDEN.write_text(now)
    assert now.splitlines() == GOLDEN.read_text().splitlines()


def lines(project: PlayedProject, title: str, words: str) -> list[str]:
    """Return the lines with these words that the session of this title was given."""
    return [line for line in given(project, title).splitlines() if words in line]


def given(project: PlayedProject, title: str) -> str:
    return project.given[place_of(title)].text


def given_before(project: PlayedProject, title: str) -> str:
    """Return all that the sessions before this one were given."""
    return "".join(result.text for result in project.given[: place_of(title)])


def place_of(title: str) -> int:
    return [session.title for session in two_weeks.SESSIONS].index(title)


def test_no_block_is_larger_than_its_budget(project: PlayedProject) -> None:
    assert max(result.tokens for result in project.given) <= 5_000


def test_a_fix_is_told_when_the_same_trouble_comes_back(project: PlayedProject) -> None:
    assert lines(project, "the rates fail again", "KeyError: 'EUR'")


def test_irrelevant_memories_are_not_injected(project: PlayedProject) -> None:
    assert not lines(project, "the login page", "KeyError")


def test_a_correction_to_one_agent_reaches_the_others(project: PlayedProject) -> None:
    assert lines(project, "a dependency of the web app", "pnpm")


def test_a_blocker_is_told_until_it_is_resolved(project: PlayedProject) -> None:
    assert lines(project, "what blocks the release", "blocked by the missing certificate")
    assert not lines(project, "a release without the blocker", "blocked by the missing certificate")


def test_a_directive_comes_first(project: PlayedProject) -> None:
    block = given(project, "a push after the directive")
    assert "Never push to the branch called main." in block
    assert block.index("## Directives") < block.index("## User Preferences")


def test_a_memory_of_a_changed_function_is_marked_and_one_of_an_unchanged_is_not(project: PlayedProject) -> None:
    (before,) = lines(project, "validate before its change", "must stay free of I/O")
    assert "older version" not in before
    (after,) = lines(project, "validate after its change", "must stay free of I/O")
    assert "recorded against an older version of src/ledger/booking.py" in after
    (restored,) = lines(project, "validate as it was", "must stay free of I/O")
    assert "older version" not in restored


def test_an_edit_by_hand_is_told_from_then_on(project: PlayedProject) -> None:
    assert lines(project, "the first preview host", "preview.ledger.example")
    assert lines(project, "the edited preview host", "stage.ledger.example")
    assert not lines(project, "the edited preview host", "preview.ledger.example")


def test_forgotten_memories_are_not_injected(project: PlayedProject) -> None:
    assert not lines(project, "the forgotten preview host", "ledger.example")


def test_memories_of_one_agent_reach_no_other(project: PlayedProject) -> None:
    assert not lines(project, "release notes by codex", "past tense")
    assert lines(project, "release notes by claude", "past tense")


def test_a_new_value_replaces_the_old_one(project: PlayedProject) -> None:
    assert lines(project, "the changed port", "9090")
    assert not lines(project, "the changed port", "8080")


def test_candidates_are_shown_to_nobody(project: PlayedProject) -> None:
    left = [one.content for one in project.candidates("waiting", "rejected")]
    assert any("password of the season" in content for content in left)
    assert not [content for content in left for result in project.given if content in result.text]


def test_a_wish_is_told_once_two_sessions_have_said_it(project: PlayedProject) -> None:
    assert "imperative mood" not in given_before(project, "after the second wish")
    assert lines(project, "after the second wish", "imperative mood")


def test_a_decision_is_told_once_it_is_confirmed(project: PlayedProject) -> None:
    assert "integers of cents" not in given_before(project, "a push after the directive")
    assert lines(project, "the decision about amounts", "integers of cents")


def test_rejected_candidates_never_come_back(project: PlayedProject) -> None:
    assert [one.content for one in project.candidates("rejected")] == ["I want docstrings on every function."]
    assert not [said for said in project.texts() if "docstring" in said]


def test_unconfirmed_candidates_expire(project: PlayedProject) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(project, "now", project.now + 31 * DAY)
        assert not project.candidates("waiting")


def test_a_command_of_three_sessions_is_a_procedure(project: PlayedProject) -> None:
    assert "frequently used" not in given_before(project, "validate after its change")
    assert lines(project, "the tests after three sessions", f"`{two_weeks.TEST}` is a frequently used command")


def test_prose_configuration_and_edits_taught_nothing(project: PlayedProject) -> None:
    for said in project.texts():
        for words in ("on Sundays", "dates as text", "click", "README"):
            assert words not in said


def test_thanks_hypotheticals_and_logs_taught_nothing(project: PlayedProject) -> None:
    for said in project.texts():
        for words in ("--force", "looks great", "tabs"):
            assert words not in said
    assert not [memory for memory in project.memories() if "worry" in memory.content]


def test_the_same_lesson_is_kept_once(project: PlayedProject) -> None:
    assert len([m for m in project.memories() if "leaves out every line" in m.content]) == 1
