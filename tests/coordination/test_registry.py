"""Sessions over a real store: start, heartbeat, end, expiry, and several processes at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.coordination import registry
from sidecar.runtime.errors import SessionNotActive
from sidecar.runtime.process_names import own_process_name
from sidecar.store.memory_store import MemoryStore

NOW = 1_700_000_000_000
MINUTE = 60_000
ROOT = Path(__file__).resolve().parents[2]


def reason(caught: pytest.ExceptionInfo[SessionNotActive]) -> str | None:
    return caught.value.data.reason


def test_a_session_starts_beats_and_ends(home: MemoryStore) -> None:
    started = registry.start(home, "a", NOW, agent="claude", working_on="the parser")
    assert (started.started_at, started.heartbeat_at, started.agent) == (NOW, NOW, "claude")
    assert registry.state_of(started, NOW) == "active"
    beaten = registry.heartbeat(home, "a", NOW + 29 * MINUTE)
    assert (beaten.heartbeat_at, beaten.working_on) == (NOW + 29 * MINUTE, "the parser")
    assert registry.heartbeat(home, "a", NOW + 30 * MINUTE, "the lexer").working_on == "the lexer"
    ended = registry.end(home, "a", NOW + 31 * MINUTE, "All parsed.")
    assert (ended.ended_at, ended.summary) == (NOW + 31 * MINUTE, "All parsed.")
    assert registry.state_of(ended, NOW + 31 * MINUTE) == "ended"


def test_unknown_ended_and_expired_are_told_apart(home: MemoryStore) -> None:
    with pytest.raises(SessionNotActive, match="No session 'x'") as caught:
        registry.heartbeat(home, "x", NOW)
    assert reason(caught) == "unknown"
    assert home.session("x") is None
    registry.start(home, "a", NOW)
    with pytest.raises(SessionNotActive, match="30 minutes") as caught:
        registry.heartbeat(home, "a", NOW + 30 * MINUTE + 1)
    assert reason(caught) == "expired"
    registry.end(home, "a", NOW + 40 * MINUTE)  # an expired one can still be ended
    for again in (registry.heartbeat, registry.end):
        with pytest.raises(SessionNotActive, match="has ended") as caught:
            again(home, "a", NOW)
        assert reason(caught) == "ended"
        assert "session/start" in (caught.value.data.hint or "")
    with pytest.raises(SessionNotActive) as caught:
        registry.end(home, "x", NOW)
    assert reason(caught) == "unknown"


def test_a_session_that_was_only_shown_something_was_not_started(home: MemoryStore) -> None:
    from sidecar.store.records import SessionRecord

    home.update_session("a", lambda before: SessionRecord(id="a", started_at=NOW, seen_at=NOW, shown=("m",)))
    with pytest.raises(SessionNotActive) as caught:
        registry.heartbeat(home, "a", NOW)
    assert reason(caught) == "unknown"
    assert not registry.list_sessions(home, NOW, all=True)
    started = registry.start(home, "a", NOW + MINUTE)
    assert (started.shown, started.started_at) == (("m",), NOW)  # what it was shown and its start time stay


def test_taking_a_session_up_again(home: MemoryStore) -> None:
    registry.start(home, "a", NOW, agent="claude", working_on="x")
    registry.end(home, "a", NOW + MINUTE, "done")
    again = registry.start(home, "a", NOW + 90 * MINUTE)
    assert again.ended_at is None
    assert (again.agent, again.working_on, again.started_at) == ("claude", "x", NOW)
    assert registry.start(home, "b", NOW).heartbeat_at == NOW


def test_a_heartbeat_never_goes_back(home: MemoryStore) -> None:
    registry.start(home, "a", NOW + MINUTE)
    assert registry.heartbeat(home, "a", NOW).heartbeat_at == NOW + MINUTE


def test_the_list_shows_the_active_ones_first_and_all_on_request(home: MemoryStore) -> None:
    registry.start(home, "old", NOW - 31 * MINUTE)
    registry.start(home, "one", NOW - MINUTE)
    registry.start(home, "two", NOW)
    registry.start(home, "over", NOW)
    registry.end(home, "over", NOW)
    assert [each.id for each in registry.list_sessions(home, NOW)] == ["two", "one"]
    assert {each.id for each in registry.list_sessions(home, NOW, all=True)} == {"old", "one", "two", "over"}


def test_secrets_in_what_a_session_says_of_itself_are_redacted(home: MemoryStore) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    started = registry.start(home, "a", NOW, working_on=f"token {key}")
    ended = registry.end(home, "a", NOW, f"used {key}")
    assert key not in repr((started, ended))


WORKER = """
import sys
from pathlib import Path
from sidecar.coordination import registry
from sidecar.store.memory_store import MemoryStore
home = MemoryStore.open(Path(sys.argv[1]))
now = int(sys.argv[2])
for step in range(40):
    registry.heartbeat(home, "a", now + step)
    home.update_session("a", lambda s: type(s)(**{**{f: getattr(s, f) for f in s.__struct_fields__},
                                                 "shown": (*s.shown, f"{sys.argv[2]}-{step}")}))
home.close()
"""


def test_heartbeats_of_several_processes_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    home = MemoryStore.open(folder)
    registry.start(home, "a", NOW, working_on="x")
    workers = [
        subprocess.Popen([sys.executable, "-c", WORKER, str(folder), str(NOW + n * 1_000)], cwd=ROOT) for n in range(3)
    ]
    assert [worker.wait(200) for worker in workers] == [0, 0, 0]
    found = home.session("a")
    home.close()
    assert found is not None
    assert len(found.shown) == 120
    assert (found.heartbeat_at, found.working_on) == (NOW + 2_039, "x")


def test_a_session_is_over_with_its_process_and_goes_on_with_another(home: MemoryStore) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    dead = own_process_name().replace(f" {os.getpid()} ", f" {gone.pid} ")
    registry.start(home, "a", NOW, process=dead)
    assert not registry.list_sessions(home, NOW)
    assert [registry.state_of(one, NOW) for one in registry.list_sessions(home, NOW, all=True)] == ["expired"]
    registry.heartbeat(home, "a", NOW + MINUTE, process=own_process_name())  # a session that asks is alive
    assert len(registry.list_sessions(home, NOW + MINUTE)) == 1
    assert not registry.list_sessions(home, NOW + 40 * MINUTE), "it lives, but was silent"
