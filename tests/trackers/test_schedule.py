"""When an item is due to be requested again."""

from __future__ import annotations

import pytest

from sidecar.store.records import TrackedRecord
from sidecar.trackers.schedule import DAY_MS, HOUR_MS, MINUTE_MS, MONTH_MS, WEEK_MS, due_at, failure_pause, is_paused
from tests.client.json_value import Json

NOW = 1_795_251_600_000


@pytest.mark.parametrize(
    ("named", "fields", "pause"),
    [
        (NOW, {"state": "open"}, HOUR_MS),
        (NOW - DAY_MS, {"state": "open"}, HOUR_MS),
        (NOW - DAY_MS - 1, {"state": "open"}, DAY_MS),
        (NOW - WEEK_MS, {"state": "open"}, DAY_MS),
        (NOW - WEEK_MS - 1, {"state": "open"}, WEEK_MS),
        (NOW - 400 * DAY_MS, {"state": "open"}, WEEK_MS),
        (NOW - 2 * HOUR_MS, {"state": "closed", "closed_at": NOW - HOUR_MS}, DAY_MS),
        (NOW, {"state": "merged", "closed_at": NOW - 400 * DAY_MS}, HOUR_MS),
        (NOW - 2 * DAY_MS, {"state": "merged", "closed_at": NOW - DAY_MS}, WEEK_MS),
        (NOW - 2 * DAY_MS, {"state": "closed", "closed_at": NOW - MONTH_MS}, MONTH_MS),
        (NOW - 2 * DAY_MS, {"state": "closed"}, WEEK_MS),
        (NOW, {"missing": "notFound", "failures": 1}, DAY_MS),
        (NOW, {"missing": "gone", "failures": 3}, 4 * DAY_MS),
        (NOW, {"missing": "forbidden", "failures": 99}, MONTH_MS),
    ],
)
def test_an_item_named_more_recently_is_requested_sooner(named: int, fields: Json, pause: int) -> None:
    record = TrackedRecord(key="a/b#1", checked_at=NOW - HOUR_MS, **fields)
    assert due_at(record, named, NOW) == NOW - HOUR_MS + pause


def test_new_issue_is_due_and_a_failed_one_waits() -> None:
    assert due_at(TrackedRecord(key="a/b#1"), NOW, NOW) == 0
    failed = TrackedRecord(key="a/b#1", state="open", checked_at=NOW - WEEK_MS, tried_at=NOW, failures=1)
    assert due_at(failed, NOW, NOW) == NOW + MINUTE_MS
    often = TrackedRecord(key="a/b#1", tried_at=NOW, failures=500)
    assert due_at(often, NOW, NOW) == NOW + DAY_MS
    assert [failure_pause(count) for count in (0, 1, 2, 3, 100)] == [
        MINUTE_MS,
        MINUTE_MS,
        2 * MINUTE_MS,
        4 * MINUTE_MS,
        HOUR_MS,
    ]


def test_time_noted_by_a_fast_clock_delays_nothing() -> None:
    now = 20_000 * DAY_MS
    ahead = now + 400 * DAY_MS
    known = (TrackedRecord(key="k", checked_at=ahead), TrackedRecord(key="k", checked_at=now - DAY_MS, tried_at=ahead))
    assert [due_at(each, now, now) for each in known] == [0, 0]
    assert due_at(TrackedRecord(key="k", checked_at=now + 1_000), now, now) > now  # clocks of two machines
    assert [is_paused(until, now) for until in (0, now, now + 1, now + DAY_MS, ahead)] == [
        False,
        False,
        True,
        True,
        False,
    ]
