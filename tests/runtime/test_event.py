"""Listeners of an event, which may come while it is announced, and fail."""

from __future__ import annotations

from sidecar.runtime.event import Event


def test_a_listener_that_comes_during_an_announcement_hears_of_the_next_one() -> None:
    event, heard = Event[[int]](), list[tuple[str, int]]()

    def first(number: int) -> None:
        heard.append(("first", number))
        if number == 1:
            event.subscribe(lambda number: heard.append(("second", number)))

    event.subscribe(first)
    event.announce(1)
    event.announce(2)
    assert heard == [("first", 1), ("first", 2), ("second", 2)]


def test_a_listener_that_fails_stops_no_other_and_no_announcer() -> None:
    event, heard = Event[[int]](), list[int]()

    def fail(_: int) -> None:
        raise ValueError("x")

    event.subscribe(fail, heard.append)
    event.announce(1)
    assert heard == [1]
