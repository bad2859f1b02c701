"""`session/claim` and `session/release` through the engine, and over stdio with two servers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.sessions import ClaimParams
from sidecar.runtime.errors import InvalidField, MemoryDisabled, SessionNotActive
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, MemorySettings, StoreSettings, WatchSettings
from tests.client.calling import EngineCalls, MethodCaller
from tests.client.json_value import fields
from tests.client.stdio_client import StdioClient
from tests.clock import Clock
from tests.engine.conftest import MakeEngine

MINUTE = 60_000


def test_a_conflict_names_owner_and_age(call: MethodCaller, clock: Clock) -> None:
    call("session/start", sessionId="a", agent="claude", workingOn="the parser")
    call("session/start", sessionId="b")
    won = call("session/claim", sessionId="a", item="issue  7")
    assert (won.claimed, won.item, won.owner, won.claimed_at) == (True, "issue 7", None, clock.now)
    clock.now += 5 * MINUTE
    lost = call("session/claim", sessionId="b", item=" issue 7\n")
    assert (lost.claimed, lost.owner, lost.age) == (False, "a", 5 * MINUTE)
    assert (lost.agent, lost.working_on) == ("claude", "the parser")
    kept = call("session/release", sessionId="b", item="issue 7")
    assert (kept.released, kept.owner, kept.age) == (False, "a", 5 * MINUTE)
    assert call("session/release", sessionId="a", item="issue 7").released
    assert call("session/claim", sessionId="b", item="issue 7").claimed


def test_file_is_one_item_however_it_is_spelt(call: MethodCaller, repository: Path) -> None:
    call("session/start", sessionId="a")
    spelt = [
        "app/client.py",
        "./app/client.py",
        "app//client.py",
        "app/../app/client.py",
        str(repository / "app" / "client.py"),
        (repository / "app" / "client.py").as_uri(),
    ]
    assert {call("session/claim", sessionId="a", item=each).item for each in spelt} == {"app/client.py"}
    new = str(repository / "app" / "new.py")
    assert call("session/claim", sessionId="a", item=new).item == "app/new.py"
    for other in ("/etc/hosts", "https://forge.example/a/b//issues/3", "fix // and ..", "#12"):
        assert call("session/claim", sessionId="a", item=other).item == other


def test_the_list_shows_claims_of_active_sessions(call: MethodCaller, clock: Clock) -> None:
    call("session/start", sessionId="a")
    call("session/claim", sessionId="a", item="x")
    clock.now += 1
    call("session/claim", sessionId="a", item="a second one")
    call("session/start", sessionId="b")
    shown = {session.session_id: session for session in call("session/list").items}
    assert [claim.item for claim in shown["a"].claims] == ["x", "a second one"]
    assert shown["b"].claims == []
    call("session/end", sessionId="a")
    assert call("session/claim", sessionId="b", item="x").claimed
    (ended,) = [session for session in call("session/list", all=True).items if session.session_id == "a"]
    assert ended.claims == []


def test_errors_say_why_a_session_cannot_claim(call: MethodCaller, clock: Clock) -> None:
    call("session/start", sessionId="late")
    call("session/start", sessionId="over")
    call("session/end", sessionId="over")
    clock.now += 31 * MINUTE
    said = {}
    for id in ("nobody", "over", "late"):
        with pytest.raises(SessionNotActive) as caught:
            call("session/claim", sessionId=id, item="x")
        said[id] = caught.value.data.reason, caught.value.message
    assert [reason for reason, _ in said.values()] == ["unknown", "ended", "expired"]
    assert len({message.replace(id, "") for id, (_, message) in said.items()}) == 3
    call("session/start", sessionId="late")
    with pytest.raises(InvalidField) as blank:
        call("session/claim", sessionId="late", item="  ")
    assert blank.value.data.path == "$.item"


def test_nothing_is_claimed_where_memory_is_off(make_engine: MakeEngine, repository: Path, tmp_path: Path) -> None:
    off = Settings(
        store=StoreSettings(folder=tmp_path / "off"),
        files=FileSettings(warm_up=False),
        watch=WatchSettings(mode="off"),
        memory=MemorySettings(enabled=False),
    )
    engine = make_engine(repository, settings=off)
    with pytest.raises(MemoryDisabled):
        EngineCalls(engine).session_claim(ClaimParams(session_id="a", item="x"))


def test_two_servers_and_a_killed_one(spawn: Callable[..., StdioClient], repository: Path) -> None:
    first, second = spawn(), spawn()
    for client in (first, second):
        client.initialize(repository)
    first.call("session/start", {"sessionId": "a", "agent": "one"})
    second.call("session/start", {"sessionId": "b", "agent": "two"})
    assert first.call("session/claim", {"sessionId": "a", "item": "app/client.py"})["claimed"]
    lost = second.call("session/claim", {"sessionId": "b", "item": (repository / "app" / "client.py").as_uri()})
    assert fields(lost, "claimed", "owner", "agent") == (False, "a", "one")
    first.kill()
    # its session expired with its process, and can still be ended
    assert second.call("session/claim", {"sessionId": "b", "item": "app/client.py"})["claimed"]
    assert second.call("session/end", {"sessionId": "a"})["state"] == "ended"
    second.close()
