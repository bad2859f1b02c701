"""Threads that do everything at once never wait for locks in a circle, whatever happens when."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sidecar.settings import Settings
from tests.client.calling import MethodCaller
from tests.client.git import git
from tests.client.lock_order import LockOrder, WatchedLock
from tests.engine.conftest import MakeEngine, at_rest

ROUNDS = 4
MAP = Path(__file__).parents[2] / "sidecar" / "README.md"


def test_two_locks_taken_in_both_orders_are_a_cycle() -> None:
    order = LockOrder()
    first, second = (WatchedLock(order, threading.RLock(), name, reentrant=True) for name in ("first", "second"))
    with first, second, first:
        pass
    assert order.cycles() == []
    with second, first:
        pass
    assert order.cycles() == [["first", "second", "first"]]


def test_a_condition_lets_go_of_a_watched_lock_while_it_waits() -> None:
    order = LockOrder()
    outer, inner = (WatchedLock(order, threading.RLock(), name, reentrant=True) for name in ("outer", "inner"))
    waiting = threading.Condition(inner)  # type: ignore[arg-type]
    with outer, waiting:
        assert not waiting.wait(0.01)
        assert [lock.name for lock in order.held()] == ["outer", "inner"]
    assert order.held() == []
    assert order.waits == {"outer": {"inner"}}


def test_all_locks_are_taken_in_one_order(
    make_engine: MakeEngine, repository: Path, plain: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = LockOrder()
    warming = msgspec.structs.replace(plain, files=msgspec.structs.replace(plain.files, warm_up=True))
    with order.watching(monkeypatch):
        engine = make_engine(repository, settings=warming, keeps_journals=True, listens=True)
        call = MethodCaller(engine)
        source, memory_file = repository / "app" / "client.py", repository / "MEMORY.md"

        def remember(round: int) -> None:
            port = f"Port {9000 + round} belongs to app/client.py"
            id = call("memory/record", content=port, files=[str(source)]).memory.id
            call("memory/update", id=id, content=f"{port}, and {9100 + round}")
            rule = call("memory/record", content=f"Rule {round}: be brief").memory.id
            call("memory/link", **{"from": id, "to": rule}, kind="related")
            call("memory/record", content=f"I prefer tabs, {round}", scope="global", type="user")
            call("memory/undo", id=id)

        def recall(round: int) -> None:
            call("memory/inject", sessionId=f"s{round}", prompt="which port?", files=[str(source)])
            call("memory/search", query="port of the client")
            call("context/boot", sessionId=f"s{round}")
            call("sidecar/status")

        def edit(round: int) -> None:
            source.write_text(f"{source.read_text()}\n\ndef added_{round}(port):\n    return port\n")
            engine.files_changed([source.as_uri()])
            memory_file.write_text(
                f"{memory_file.read_text() if memory_file.exists() else ''}\n- Note {round} by hand\n"
            )
            call("memory/file")
            git(repository, "commit", "-qam", f"Round {round}")

        def explore(round: int) -> None:
            call("file/summary", path="app/client.py")
            call("file/search", query=f"added_{round}")
            call("workspace/repoMap", budgetTokens=500)
            fact = f"`fetch` is called {round} times before it gives up."
            call("file/observe", sessionId=f"s{round}", text=fact, paths=["app/client.py"])

        def learn(round: int) -> None:
            session = f"s{round}"
            call("session/start", sessionId=session)
            call("event/userMessage", sessionId=session, text="Always use tabs from now on.")
            call("session/claim", sessionId=session, item="app/client.py")
            call("reminder/set", text="Look again", at="2030-01-01T10:00:00Z")
            call("session/end", sessionId=session, summary="Counted ports.")
            call("memory/candidates")

        def upkeep(round: int) -> None:
            call("memory/maintain")
            call("memory/stats")
            changed = msgspec.structs.replace(warming.files, max_file_bytes=1_000_000 + round)
            engine.lifecycle.reconfigure(msgspec.structs.replace(warming, files=changed))
            engine.warm_up(cause="test")

        _together([remember, recall, edit, explore, learn, upkeep])
        at_rest(engine)
        engine.close()
    assert len(order.waits) > 20, "nothing was watched"
    assert order.cycles() == []
    assert against_the_map(order) == []


def test_a_lock_taken_against_the_order_of_the_map_is_found() -> None:
    order = LockOrder()
    order.waits = {"StoreCache._guard": {"Catalogue._lock"}, "Lanes._changed": {"files/files.lock"}}
    assert against_the_map(order) == [
        "Lanes._changed, which is not on the map, is held while files/files.lock is taken",
        "StoreCache._guard is held while Catalogue._lock is taken",
    ]


def against_the_map(order: LockOrder) -> list[str]:
    """Say which locks are taken against the order of the map's table; locks of parts are on it as one row."""
    table = MAP.read_text(encoding="utf-8").partition("## Locks")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    places = {name: place for place, name in enumerate(re.findall(r"`([\w./-]+)`", "".join(rows)))}
    assert len(places) > 15, "the map has no table of locks"

    def place_of(lock: str) -> int | None:
        return places.get(lock, places.get(lock.rpartition("/")[2]))

    wrong: list[str] = []
    for held, taken in ((held, taken) for held, waits in sorted(order.waits.items()) for taken in sorted(waits)):
        outer, inner, is_part = place_of(held), place_of(taken), held.partition(".")[2][:1] not in ("_", "")
        if inner is None or (outer is None and is_part and "/" not in held):
            continue
        if outer is None:
            wrong.append(f"{held}, which is not on the map, is held while {taken} is taken")
        elif outer > inner:
            wrong.append(f"{held} is held while {taken} is taken")
    return wrong


def _together(works: list[Callable[[int], None]]) -> None:
    """Run each work in a thread of its own, `ROUNDS` times, and raise the first error."""
    errors: list[BaseException] = []

    def repeat(work: Callable[[int], None]) -> None:
        try:
            for round in range(ROUNDS):
                work(round)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=repeat, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
