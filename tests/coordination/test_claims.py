"""Claims over a real store: exclusive across processes, gone with their session, right when clocks are not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.coordination import claims, registry
from sidecar.runtime.errors import InvalidField, SessionNotActive
from sidecar.store.memory_store import MemoryStore

NOW = 1_700_000_000_000
MINUTE = 60_000
ROOT = Path(__file__).resolve().parents[2]


def standing(home: MemoryStore, now: int) -> dict[str, list[str]]:
    sessions = {each.id: each for each in registry.list_sessions(home, now, all=True)}
    return {id: [one.item for one in found] for id, found in claims.valid_claims(home, sessions, now).items()}


CONTENDER = """
import sys
from pathlib import Path
from sidecar.coordination import claims, registry
from sidecar.store.memory_store import MemoryStore
home, me, now = MemoryStore.open(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3])
registry.start(home, me, now)
print("ready", flush=True)
sys.stdin.readline()
for number in range(250):
    if claims.claim(home, me, f"item {number}", now).done:
        print(number)
home.close()
"""


def test_eight_processes_contend_for_hundreds_of_claims(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", CONTENDER, str(folder), f"s{n}", str(NOW)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(8)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    won: dict[str, list[str]] = {}
    readers = [
        threading.Thread(target=lambda w=worker, n=n: won.__setitem__(f"s{n}", w.communicate("go\n")[0].split()))
        for n, worker in enumerate(workers)
    ]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(300)
    assert [worker.returncode for worker in workers] == [0] * 8
    times = Counter(number for numbers in won.values() for number in numbers)
    assert set(times) == {str(number) for number in range(250)}
    assert set(times.values()) == {1}
    home = MemoryStore.open(folder)
    assert {id: len(items) for id, items in standing(home, NOW).items()} == {
        id: len(numbers) for id, numbers in won.items() if numbers
    }
    home.close()


HOLDER = """
import sys, time
from pathlib import Path
from sidecar.coordination import claims, registry
from sidecar.store.memory_store import MemoryStore
home, now = MemoryStore.open(Path(sys.argv[1])), int(sys.argv[2])
registry.start(home, "dead", now)
claims.claim(home, "dead", "the parser", now)
print("held", flush=True)
with home.coordination() as together:  # and dies in the middle of the next change
    together.free("dead")
    print("inside", flush=True)
    time.sleep(600)
"""


def test_a_process_killed_while_it_holds_a_claim_keeps_it_until_its_session_expires(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder), str(NOW)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert [holder.stdout.readline(), holder.stdout.readline()] == ["held\n", "inside\n"]
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait(100)
    home = MemoryStore.open(folder)
    registry.start(home, "b", NOW + 29 * MINUTE)
    lost = claims.claim(home, "b", "the parser", NOW + 30 * MINUTE)
    assert (lost.done, lost.owner.id if lost.owner else None) == (False, "dead")
    assert lost.claim is not None
    assert lost.claim.at == NOW
    won = claims.claim(home, "b", "the parser", NOW + 30 * MINUTE + 1)
    assert won.done
    assert standing(home, NOW + 31 * MINUTE) == {"b": ["the parser"]}
    home.close()


def test_a_busy_store_makes_a_claim_wait_and_not_fail(home: MemoryStore) -> None:
    registry.start(home, "a", NOW)
    inside, done = threading.Event(), threading.Event()

    def occupy() -> None:
        with home.coordination():
            inside.set()
            done.wait(100)

    threads = [threading.Thread(target=occupy)]
    threads[0].start()
    inside.wait(100)
    outcome: list[claims.ClaimOutcome] = []
    threads.append(threading.Thread(target=lambda: outcome.append(claims.claim(home, "a", "x", NOW))))
    threads[1].start()
    threads[1].join(0.2)
    assert not outcome
    done.set()
    for thread in threads:
        thread.join(100)
    assert [each.done for each in outcome] == [True]


def test_a_failed_change_changes_nothing(home: MemoryStore) -> None:
    registry.start(home, "a", NOW)
    claims.claim(home, "a", "x", NOW)

    def fail() -> None:
        with home.coordination() as together:
            together.free("a")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert standing(home, NOW) == {"a": ["x"]}


def test_claiming_again_keeps_the_first_time_and_counts_as_a_heartbeat(home: MemoryStore) -> None:
    registry.start(home, "a", NOW)
    claims.claim(home, "a", "x", NOW)
    again = claims.claim(home, "a", "x", NOW + 20 * MINUTE)
    assert again.done
    assert again.claim is not None
    assert again.claim.at == NOW
    assert standing(home, NOW + 45 * MINUTE) == {"a": ["x"]}


def test_release_gives_back_what_is_ones_own_only(home: MemoryStore) -> None:
    for id in "ab":
        registry.start(home, id, NOW)
    claims.claim(home, "a", "x", NOW)
    refused = claims.release(home, "b", "x", NOW)
    assert (refused.done, refused.owner.id if refused.owner else None) == (False, "a")
    assert claims.release(home, "a", "x", NOW).done
    nobody = claims.release(home, "a", "x", NOW)
    assert (nobody.done, nobody.claim, nobody.owner) == (False, None, None)
    assert claims.claim(home, "b", "x", NOW).done


@pytest.mark.parametrize("act", [claims.claim, claims.release])
def test_unknown_ended_and_expired_sessions_are_told_apart(home: MemoryStore, act: object) -> None:
    assert callable(act)
    registry.start(home, "late", NOW)
    registry.start(home, "over", NOW)
    registry.end(home, "over", NOW)
    for id, now, reason in [("x", NOW, "unknown"), ("over", NOW, "ended"), ("late", NOW + 31 * MINUTE, "expired")]:
        with pytest.raises(SessionNotActive) as caught:
            act(home, id, "item", now)
        assert caught.value.data.reason == reason
        assert caught.value.data.path == "$.sessionId"
    assert home.claims() == []


def test_an_end_frees_and_a_return_does_not_bring_claims_back(home: MemoryStore) -> None:
    for id in "ab":
        registry.start(home, id, NOW)
    claims.claim(home, "a", "x", NOW)
    registry.end(home, "a", NOW)
    assert home.claims() == []
    registry.start(home, "a", NOW)
    assert claims.claim(home, "b", "x", NOW).done
    # expired, and nobody has claimed it meanwhile
    claims.claim(home, "a", "y", NOW)
    registry.start(home, "a", NOW + 40 * MINUTE)
    assert standing(home, NOW + 40 * MINUTE) == {}


def test_a_clock_that_jumped_ahead_does_not_hold_a_claim_for_ever(home: MemoryStore) -> None:
    year = 365 * 24 * 60 * MINUTE
    for id in "ab":
        registry.start(home, id, NOW)
    registry.start(home, "a", NOW + year)
    claims.claim(home, "a", "x", NOW + year)
    # the clock is right again
    registry.start(home, "b", NOW)
    assert claims.claim(home, "b", "x", NOW).done
    with pytest.raises(SessionNotActive, match="expired"):
        registry.heartbeat(home, "a", NOW)
    assert registry.start(home, "a", NOW).heartbeat_at == NOW
    assert registry.heartbeat(home, "a", NOW + MINUTE).heartbeat_at == NOW + MINUTE


def test_a_clock_that_is_a_little_behind_keeps_what_it_has(home: MemoryStore) -> None:
    registry.start(home, "a", NOW)
    claims.claim(home, "a", "x", NOW)
    assert claims.claim(home, "a", "y", NOW - 5 * MINUTE).done
    assert standing(home, NOW - 5 * MINUTE) == {"a": ["y", "x"]}


def test_a_session_has_a_thousand_claims_at_most(home: MemoryStore) -> None:
    registry.start(home, "a", NOW)
    with home.coordination() as together:
        from sidecar.store.records import ClaimRecord

        for number in range(claims.MAX_CLAIMS_OF_SESSION):
            together.put_claim(ClaimRecord(item=f"item {number}", session_id="a", at=NOW))
    with pytest.raises(InvalidField, match="1,000 claims"):
        claims.claim(home, "a", "one more", NOW)
    assert claims.claim(home, "a", "item 3", NOW).done


def test_items_are_normalised_and_bad_ones_refused() -> None:
    assert claims.normalise_item("  fix \n the\tparser ") == "fix the parser"
    assert claims.normalise_item("e\u0301") == "\u00e9"
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    assert key not in claims.normalise_item(f"rotate {key}")
    for bad in ("", " \n", "x" * 1_001, "a\0b"):
        with pytest.raises(InvalidField) as caught:
            claims.normalise_item(bad)
        assert caught.value.data.path == "$.item"


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["start", "end", "claim", "release", "wait"]),
        st.sampled_from("abc"),
        st.sampled_from("xyz"),
        st.integers(0, 40),
    ),
    max_size=40,
)


@given(STEPS)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_history_gives_each_item_one_owner(home: MemoryStore, steps: list[tuple[str, str, str, int]]) -> None:
    """Compare with a model in which claims are a dictionary and a session is its last sign of life."""
    with home.coordination() as together:
        for id in "abc":
            together.free(id)
    now = max([NOW, *((one.heartbeat_at or 0) + 61 * MINUTE for one in home.sessions())])
    beats: dict[str, int] = {}
    owners: dict[str, str] = {}

    def alive(id: str) -> bool:
        return id in beats and now - beats[id] <= 30 * MINUTE

    for step, id, item, minutes in steps:
        if step == "wait":
            now += minutes * MINUTE
        elif step == "start":
            if not alive(id):
                owners = {what: who for what, who in owners.items() if who != id}
            registry.start(home, id, now)
            beats[id] = now
        elif step == "end" and id in beats:
            registry.end(home, id, now)
            del beats[id]
            owners = {what: who for what, who in owners.items() if who != id}
        elif step in ("claim", "release"):
            act = claims.claim if step == "claim" else claims.release
            if not alive(id):
                with pytest.raises(SessionNotActive):
                    act(home, id, item, now)
                continue
            owner = owners.get(item)
            owner = owner if owner is not None and alive(owner) else None
            outcome = act(home, id, item, now)
            beats[id] = now
            if step == "claim":
                assert outcome.done == (owner in (None, id))
                owners[item] = owner or id
            else:
                assert outcome.done == (owner == id)
                if owner == id:
                    del owners[item]
        stand = {(what, who) for what, who in owners.items() if alive(who)}
        assert {(what, who) for who, items in standing(home, now).items() for what in items} == stand
