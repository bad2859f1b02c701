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


def test_set_due_advance_clear(call: MethodCaller, clock: Clock) -> None:
    made = call(
        "reminder/set", text="stand-up", at="tomorrow 9:30", recurrence="weekdays", timezone="Europe/Berlin", agent="a"
    )
    reminder = made.reminder
    assert (made.created, reminder.due, reminder.local) == (True, False, "2026-11-23 09:30+01:00")
    assert (reminder.recurrence, reminder.timezone, reminder.agent) == ("weekdays", "Europe/Berlin", "a")
    assert not call("reminder/set", text="stand-up", at="2026-11-23T09:30+01:00", recurrence="weekdays").created
    once = call("reminder/set", text="call", at="+2h").reminder
    assert [each.text for each in call("reminder/list").items] == ["call", "stand-up"]
    assert call("reminder/list", due=True).items == []
    clock.now += 72 * HOUR
    assert [each.text for each in call("reminder/list", due=True).items] == ["call", "stand-up"]
    assert call("reminder/advance", id=reminder.id).local == "2026-11-25 09:30+01:00"
    assert call("reminder/advance", id=once.id).cleared_at == clock.now
    assert call("reminder/clear", id=reminder.id).cleared_at == clock.now
    assert call("reminder/list").items == []
    assert len(call("reminder/list", all=True).items) == 2


def test_errors_name_the_field(call: MethodCaller) -> None:
    for params, path in [
        ({"text": "x", "at": "one day"}, "$.at"),
        ({"text": "x", "at": "2020-01-01"}, "$.at"),
        ({"text": "x", "at": "+2h", "timezone": "Nowhere"}, "$.timezone"),
        ({"text": " ", "at": "+2h"}, "$.text"),
    ]:
        with pytest.raises(InvalidField) as caught:
            call("reminder/set", **params)
        assert caught.value.data.path == path
    with pytest.raises(InvalidField) as caught:
        call("reminder/clear", id="no-such-id")
    assert caught.value.data.path == "$.id"


def test_the_zone_of_this_machine() -> None:
    assert local_zone({"TZ": "Europe/Berlin"}) == "Europe/Berlin"
    assert local_zone({"TZ": ":/usr/share/zoneinfo/Asia/Kolkata"}) == "Asia/Kolkata"
    assert local_zone({"TZ": "not a zone"}) == local_zone({})


def test_two_servers_share_them(spawn: Callable[..., StdioClient], repository: Path) -> None:
    first, second = spawn(), spawn()
    for client in (first, second):
        client.initialize(repository)
    made = first.call("reminder/set", {"text": "release", "at": "+1d", "recurrence": "daily"})
    first.kill()  # acknowledged, so it is kept
    assert [one["id"] for one in second.call("reminder/list")["items"]] == [made["reminder"]["id"]]
    moved = second.call("reminder/advance", {"id": made["reminder"]["id"]})
    assert moved["at"] > made["reminder"]["at"]
    second.close()
