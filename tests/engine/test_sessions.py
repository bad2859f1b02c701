"""`session/*` through the engine: what an end stores, and which error says what."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from protocol.methods import METHODS
from protocol.notifications import DidChangeMemories
from protocol.sessions import ListSessionsParams
from sidecar.runtime.errors import InvalidField, MemoryDisabled, SessionNotActive
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, MemorySettings, StoreSettings, WatchSettings
from tests.client.calling import EngineCalls, MethodCaller
from tests.clock import Clock
from tests.engine.conftest import MakeEngine, Told

MINUTE = 60_000


@pytest.fixture
def call(make_engine: MakeEngine, repository: Path, tmp_path: Path, clock: Clock) -> MethodCaller:
    slow = Settings(
        store=StoreSettings(folder=tmp_path / "store"),
        files=FileSettings(warm_up=False),
        watch=WatchSettings(mode="off"),
        memory=MemorySettings(learn_buffer_seconds=3_600.0),
    )
    engine = make_engine(repository, settings=slow, clock=clock)
    return MethodCaller(engine)


def test_an_end_stores_what_was_learned_and_the_summary_before_it_answers(call: MethodCaller, told: Told) -> None:
    call("session/start", sessionId="a", agent="claude", workingOn="the parser")
    call("event/userMessage", sessionId="a", text="Never rename the parser please.")
    assert not told.messages
    ended = call("session/end", sessionId="a", summary="Wrote the parser; the lexer is left.")
    assert (ended.state, ended.agent, ended.summary) == ("ended", "claude", "Wrote the parser; the lexer is left.")
    assert sum(len(params.changes) for params in told.of(DidChangeMemories)) == 2
    found = {memory.source: memory for memory in call("memory/list").items}
    assert set(found) == {"extractor:rule", "agent"}
    summary = found["agent"]
    assert (summary.category, summary.type, summary.scope, summary.session_id) == (
        "conversation",
        "project",
        "personal",
        "a",
    )


def test_a_first_event_starts_a_session(call: MethodCaller, clock: Clock) -> None:
    call("event/userMessage", sessionId="a", text="hello", agent="codex")
    (session,) = call("session/list").items
    assert (session.session_id, session.state, session.agent) == ("a", "active", "codex")
    clock.now += 29 * MINUTE
    call("event/userMessage", sessionId="a", text="still here")  # events are heartbeats
    clock.now += 29 * MINUTE
    assert call("session/heartbeat", sessionId="a").state == "active"
    clock.now += 31 * MINUTE
    assert not call("session/list").items
    assert [each.state for each in call("session/list", all=True).items] == ["expired"]
    call("event/userMessage", sessionId="a", text="back again")
    assert call("session/heartbeat", sessionId="a").state == "active"


def test_an_event_after_the_end_takes_the_session_up_again(call: MethodCaller) -> None:
    call("event/userMessage", sessionId="a", text="hello")
    call("session/end", sessionId="a")
    with pytest.raises(SessionNotActive):
        call("session/heartbeat", sessionId="a")
    call("event/userMessage", sessionId="a", text="one more thing")
    assert call("session/heartbeat", sessionId="a").ended_at is None


def test_a_summary_that_cannot_be_kept_does_not_end_the_session(call: MethodCaller) -> None:
    call("session/start", sessionId="a")
    with pytest.raises(InvalidField) as caught:
        call("session/end", sessionId="a", summary="x" * 16_001)
    assert (caught.value.data.path, caught.value.data.reason) == ("$.summary", "tooLong")
    assert call("session/heartbeat", sessionId="a").state == "active"


def test_a_summary_that_only_repeats_an_injected_block_is_none(call: MethodCaller) -> None:
    call("memory/record", content="The port is 4000.")
    block = call("memory/inject").text
    call("session/start", sessionId="a")
    assert call("session/end", sessionId="a", summary=block).summary is None
    assert len(call("memory/list").items) == 1


def test_the_end_of_an_unknown_session_is_an_error(call: MethodCaller) -> None:
    with pytest.raises(SessionNotActive) as caught:
        call("session/end", sessionId="nobody", summary="x")
    assert caught.value.data.reason == "unknown"
    assert not call("memory/list").items


def test_an_id_that_cannot_be_printed_is_refused(call: MethodCaller) -> None:
    with pytest.raises(InvalidField, match="printable"):
        call("session/start", sessionId="a\nb")


def test_switched_off_there_are_no_sessions(make_engine: MakeEngine, repository: Path, plain: Settings) -> None:
    off = msgspec.structs.replace(plain, memory=MemorySettings(enabled=False))
    engine = make_engine(repository, settings=off)
    for method in ("session/start", "session/heartbeat", "session/end"):
        with pytest.raises(MemoryDisabled):
            engine.call(method, msgspec.convert({"sessionId": "a"}, METHODS[method].params))
    with pytest.raises(MemoryDisabled):
        EngineCalls(engine).session_list(ListSessionsParams())
