"""A part that is created once, on first access, by whichever thread comes first."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from sidecar.runtime.made_once import made_once


class _Room:
    def __init__(self, entered: threading.Event, finish: threading.Event) -> None:
        self.entered, self.finish, self.times = entered, finish, 0

    @made_once
    def part(self) -> object:
        self.times += 1
        self.entered.set()
        assert self.finish.wait(60)
        return object()


def test_a_slow_part_does_not_delay_the_part_of_another_instance() -> None:
    entered, finish, done = threading.Event(), threading.Event(), threading.Event()
    done.set()
    slow, quick = _Room(entered, finish), _Room(threading.Event(), done)
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(lambda: slow.part)
        assert entered.wait(60)
        try:
            assert pool.submit(lambda: quick.part).result(60) is quick.part
        finally:
            finish.set()
        assert waiting.result(60) is slow.part


def test_two_threads_get_the_same_part_which_is_created_once() -> None:
    room = _Room(threading.Event(), threading.Event())
    with ThreadPoolExecutor(3) as pool:
        parts = [pool.submit(lambda: room.part) for _ in range(2)]
        assert room.entered.wait(60)
        existing = pool.submit(lambda: _Room.part.existing(room))
        room.finish.set()
        assert {id(each.result(60)) for each in (*parts, existing)} == {id(room.part)}
    assert room.times == 1


def test_existing_creates_nothing() -> None:
    room = _Room(threading.Event(), threading.Event())
    assert _Room.part.existing(room) is None
    assert room.times == 0


def test_ready_does_not_wait_for_a_part_that_is_being_created() -> None:
    room = _Room(threading.Event(), threading.Event())
    with ThreadPoolExecutor(1) as pool:
        creating = pool.submit(lambda: room.part)
        assert room.entered.wait(60)
        assert _Room.part.ready(room) is None
        room.finish.set()
        assert creating.result(60) is _Room.part.ready(room)
