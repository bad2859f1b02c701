"""The order between lanes, on threads and without a server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from sidecar.runtime.lanes import Lanes, LaneTask

WAIT = 90.0


def waits(*steps: Callable[[], object]) -> LaneTask:
    def task() -> None:
        for step in steps:
            step()

    return task


@pytest.fixture
def lanes() -> Iterator[Lanes]:
    made = Lanes()
    yield made
    made.stop(WAIT)


def test_writes_run_one_after_another_in_order(lanes: Lanes) -> None:
    seen: list[int] = []
    running: list[int] = []

    def write(number: int) -> None:
        running.append(number)
        assert len(running) == 1
        seen.append(number)
        running.pop()

    for number in range(200):
        lanes.submit("write", lambda number=number: write(number))  # type: ignore[misc]
    assert lanes.drain(("write",), WAIT)
    assert seen == list(range(200))


@pytest.mark.parametrize("lane", ["read", "slow", "changes", "background"])
def test_everything_else_starts_after_earlier_writes(lanes: Lanes, lane: str) -> None:
    gate, later, seen = threading.Event(), threading.Event(), []
    lanes.submit("write", waits(lambda: gate.wait(WAIT), lambda: seen.append("write")))
    lanes.submit(lane, lambda: seen.append("other"))  # type: ignore[arg-type]
    lanes.submit("now", later.set)
    assert later.wait(WAIT), "what needs no write has run since"
    assert seen == []
    gate.set()
    assert lanes.drain(("write", lane), WAIT)  # type: ignore[arg-type]
    assert seen == ["write", "other"]


def test_a_read_does_not_wait_for_a_later_write_nor_for_a_read(lanes: Lanes) -> None:
    gate, done = threading.Event(), threading.Event()
    lanes.submit("read", waits(lambda: gate.wait(WAIT)))
    lanes.submit("read", done.set)
    lanes.submit("write", waits(lambda: gate.wait(WAIT)))
    assert done.wait(WAIT)
    gate.set()


def test_reads_run_in_parallel(lanes: Lanes) -> None:
    together = threading.Barrier(8)
    for _ in range(8):
        lanes.submit("read", waits(lambda: together.wait(WAIT)))
    assert lanes.drain(("read",), WAIT)
    assert not together.broken


def test_slow_work_takes_no_thread_of_the_reads(lanes: Lanes) -> None:
    gate, done = threading.Event(), threading.Event()
    for _ in range(60):
        lanes.submit("slow", waits(lambda: gate.wait(WAIT)))
    lanes.submit("read", done.set)
    assert done.wait(WAIT)
    assert lanes.queued()["slow"] == 60
    gate.set()


def test_a_failing_write_does_not_stop_the_lane(lanes: Lanes, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("x")

    done = threading.Event()
    lanes.submit("write", fail)
    lanes.submit("read", done.set)
    assert done.wait(WAIT)


def test_stop_drops_what_waits_and_tells_of_what_hangs() -> None:
    lanes, gate, seen = Lanes(), threading.Event(), []
    started = threading.Event()
    lanes.submit("write", waits(started.set, lambda: gate.wait(WAIT)))
    lanes.submit("write", lambda: seen.append(1))
    lanes.submit("read", lambda: seen.append(2))
    assert started.wait(WAIT)
    assert not lanes.stop(0.05)
    gate.set()
    assert lanes.stop(WAIT)
    assert seen == []


def test_a_lane_starts_threads_only_when_needed(lanes: Lanes) -> None:
    before = set(threading.enumerate())
    for _ in range(5):
        lanes.submit("read", lambda: None)
        assert lanes.drain(("read",), WAIT)
    assert len(set(threading.enumerate()) - before) == 1


def test_the_lane_called_now_waits_for_no_write(lanes: Lanes) -> None:
    gate, done = threading.Event(), threading.Event()
    lanes.submit("write", waits(lambda: gate.wait(WAIT)))
    lanes.submit("now", done.set)
    assert done.wait(WAIT)
    gate.set()


def test_items_that_wait_under_one_key_run_together_but_never_past_another_write(lanes: Lanes) -> None:
    gate, seen = threading.Event(), list[object]()
    lanes.submit("write", waits(lambda: gate.wait(WAIT)))
    for number in range(4):
        lanes.submit_joined("records", number, seen.append, most=3)
    lanes.submit("read", lambda: None)  # a read ends no batch
    lanes.submit_joined("records", 4, seen.append, most=3)
    lanes.submit("write", lambda: seen.append("write"))
    lanes.submit_joined("records", 5, seen.append, most=3)
    lanes.submit_joined("others", 6, seen.append, most=3)
    assert lanes.queued()["write"] == 9  # each of seven items counts, not only the tasks that they joined
    gate.set()
    assert lanes.drain(("write",), WAIT)
    assert lanes.queued()["write"] == 0
    assert seen == [[0, 1, 2], [3, 4], "write", [5], [6]]


def test_no_item_joins_a_task_that_has_begun(lanes: Lanes) -> None:
    begun, gate, seen = threading.Event(), threading.Event(), list[list[int]]()

    def work(items: list[int]) -> None:
        begun.set()
        gate.wait(WAIT)
        seen.append(list(items))

    lanes.submit_joined("records", 0, work, most=3)
    assert begun.wait(WAIT)
    lanes.submit_joined("records", 1, work, most=3)
    gate.set()
    assert lanes.drain(("write",), WAIT)
    assert seen == [[0], [1]]
