"""One item is one session's, whichever machine it works on; without the database nothing is claimed."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from sidecar.runtime.errors import StoreUnavailable
from tests.team.conftest import Database, Proxy
from tests.team.desks import Desk, Desks, claim, is_shared
from tests.waiting import eventually


def shared(*machines: Desk) -> None:
    machines[0].team.join(None, dry_run=False)
    for number, machine in enumerate(machines):
        machine.call("session/start", sessionId=f"s{number}", agent=f"agent{number}", workingOn=f"work {number}")
    for machine in machines:
        eventually(partial(is_shared, machine))


def test_a_claim_holds_on_every_machine_until_it_is_released_or_its_session_ends(desks: Desks) -> None:
    laptop, desktop = desks(), desks()
    shared(laptop, desktop)
    assert claim(laptop, "s0").claimed
    refused = claim(desktop, "s1")
    assert (refused.claimed, refused.owner, refused.agent, refused.working_on) == (False, "s0", "agent0", "work 0")
    assert str(refused.elsewhere).startswith("memory on ")
    assert refused.age is not None
    assert refused.age < 60_000
    assert claim(laptop, "s0").claimed, "who has it has it"
    eventually(
        lambda: [
            session for session in desktop.call("session/list").items if session.session_id == "s0" and session.claims
        ]
    )
    assert laptop.call("session/release", sessionId="s0", item="app.py").released
    assert claim(desktop, "s1").claimed
    assert not claim(laptop, "s0").claimed
    desktop.call("session/end", sessionId="s1")
    eventually(lambda: claim(laptop, "s0").claimed)


def test_an_item_claimed_by_many_sessions_at_once_goes_to_a_single_session(desks: Desks) -> None:
    machines = [desks() for _ in range(4)]
    shared(*machines)
    won: list[int] = []

    def work(number: int, desk: Desk) -> None:
        if claim(desk, f"s{number}", "the release").claimed:
            won.append(number)

    threads = [threading.Thread(target=work, args=each) for each in enumerate(machines)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(won) == 1


def test_without_the_database_a_claim_is_refused_and_not_kept(database: Database, desks: Desks, proxy: Proxy) -> None:
    laptop, desktop = desks(database.url(port=proxy.port)), desks()
    shared(laptop, desktop)
    proxy.cut()
    with pytest.raises(StoreUnavailable, match="Nothing was claimed"):
        claim(laptop, "s0")
    assert [session.claims for session in laptop.call("session/list").items if session.session_id == "s0"] == [[]]
    assert claim(desktop, "s1").claimed
    proxy.heal()
    assert not claim(laptop, "s0").claimed


def test_a_silent_machine_loses_its_claims_by_the_database_s_clock(database: Database, desks: Desks) -> None:
    laptop, desktop = desks(), desks()
    shared(laptop, desktop)
    assert claim(laptop, "s0").claimed
    laptop.close()
    database.sql("UPDATE memory_sidecar.sessions SET seen_at = now() - interval '29 minutes' WHERE id = 's0'")
    assert not claim(desktop, "s1").claimed
    database.sql("UPDATE memory_sidecar.sessions SET seen_at = now() - interval '31 minutes' WHERE id = 's0'")
    assert claim(desktop, "s1").claimed


def test_claims_of_an_unshared_workspace_need_no_database(desks: Desks) -> None:
    alone = desks()
    alone.call("session/start", sessionId="s0")
    assert claim(alone, "s0").claimed
    assert alone.call("session/release", sessionId="s0", item="app.py").released
