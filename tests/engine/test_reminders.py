"""`reminder/*` through the engine, and over stdio with two servers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.engine.handlers.reminders import local_zone
from sidecar.runtime.errors import InvalidField
from tests.client.calling import MethodCaller
from tests.client.stdio_client import StdioClient
from tests.clock import Clock

HOUR = 3_600_000


def test_a_reminder_keeps_its_words_its_zone_and_its_agent(call: MethodCaller) -> None:
    result = call(
        "reminder/set", text="stand-up", at="tomorrow 9:30", recurrence="weekdays", timezone="Europe/Berlin", agent="a"
    )
    reminder = result.reminder
    assert (result.created, reminder.due, reminder.local) == (True, False, "2026-11-23 09:30+01:00")
    assert (reminder.recurrence, reminder.timezone, reminder.agent) == ("weekdays", "Europe/Berlin", "a")


def test_the_same_reminder_is_not_set_twice(call: MethodCaller) -> None:
    assert call("reminder/set", text="stand-up", at="2026-11-23T09:30+01:00", recurrence="weekdays").created
    assert not call("reminder/set", text="stand-up", at="2026-11-23T09:30+01:00", recurrence="weekdays").created


def test_reminders_are_listed_by_their_time(call: MethodCaller) -> None:
    call("reminder/set", text="pay", at="+3h")
    call("reminder/set", text="call", at="+2h")
    assert [reminder.text for reminder in call("reminder/list").items] == ["call", "pay"]


def test_a_reminder_is_due_once_its_time_has_come(call: MethodCaller, clock: Clock) -> None:
    call("reminder/set", text="call", at="+2h")
    clock.now += 2 * HOUR - 1
    assert call("reminder/list", due=True).items == []
    clock.now += 1
    assert [reminder.text for reminder in call("reminder/list", due=True).items] == ["call"]


def test_advancing_goes_to_the_next_occurrence_in_the_future(call: MethodCaller, clock: Clock) -> None:
    reminder = call(
        "reminder/set", text="stand-up", at="2026-11-23 9:30", recurrence="weekdays", timezone="Europe/Berlin"
    ).reminder
    clock.now += 72 * HOUR
    assert call("reminder/advance", id=reminder.id).local == "2026-11-25 09:30+01:00"


def test_advancing_clears_what_does_not_recur(call: MethodCaller, clock: Clock) -> None:
    reminder = call("reminder/set", text="call", at="+2h").reminder
    assert call("reminder/advance", id=reminder.id).cleared_at == clock.now


def test_a_cleared_reminder_is_listed_only_among_all(call: MethodCaller, clock: Clock) -> None:
    reminder = call("reminder/set", text="call", at="+2h", recurrence="daily").reminder
    assert call("reminder/clear", id=reminder.id).cleared_at == clock.now
    assert call("reminder/list").items == []
    assert [reminder.text for reminder in call("reminder/list", all=True).items] == ["call"]


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"text": "x", "at": "one day"}, "$.at"),
        ({"text": "x", "at": "2020-01-01"}, "$.at"),
        ({"text": "x", "at": "+2h", "timezone": "Nowhere"}, "$.timezone"),
        ({"text": " ", "at": "+2h"}, "$.text"),
    ],
)
def test_a_refusal_names_the_field(call: MethodCaller, params: dict[str, str], path: str) -> None:
    with pytest.raises(InvalidField) as caught:
        call("reminder/set", **params)
    assert caught.value.data.path == path


def test_an_unknown_id_is_refused(call: MethodCaller) -> None:
    with pytest.raises(InvalidField) as caught:
        call("reminder/clear", id="no-such-id")
    assert caught.value.data.path == "$.id"


def test_the_zone_of_this_machine_is_read_from_tz() -> None:
    assert local_zone({"TZ": "Europe/Berlin"}) == "Europe/Berlin"
    assert local_zone({"TZ": ":/usr/share/zoneinfo/Asia/Kolkata"}) == "Asia/Kolkata"
    assert local_zone({"TZ": "not a zone"}) == local_zone({})


def test_a_reminder_outlives_the_server_that_set_it(spawn: Callable[..., StdioClient], repository: Path) -> None:
    first, second = spawn(), spawn()
    for client in (first, second):
        client.initialize(repository)
    reminder = first.call("reminder/set", {"text": "release", "at": "+1d", "recurrence": "daily"})["reminder"]
    first.kill()  # what is acknowledged is kept
    assert [listed["id"] for listed in second.call("reminder/list")["items"]] == [reminder["id"]]
    assert second.call("reminder/advance", {"id": reminder["id"]})["at"] > reminder["at"]
    second.close()
