"""When an item is due to be requested again."""

from __future__ import annotations

import pytest

from sidecar.store.records import TrackedRecord
from sidecar.trackers.schedule import DAY, HOUR, MINUTE, MONTH, WEEK, due_at, failure_pause, is_paused
from tests.client.json_value import Json

NOW = 1_795_251_600_000


@pytest.mark.parametrize(
    ("named", "fields", "pause"),
    [
        (NOW, {"state": "open"}, HOUR),
        (NOW - DAY, {"state": "open"}, HOUR),
        (NOW - DAY - 1, {"state": "open"}, DAY),
        (NOW - WEEK, {"state": "open"}, DAY),
        (NOW - WEEK - 1, {"state": "open"}, WEEK),
        (NOW - 400 * DAY, {"state": "open"}, WEEK),
        (NOW - 2 * HOUR, {"state": "closed", "closed_at": NOW - HOUR}, DAY),
        (NOW, {"state": "merged", "closed_at": NOW - 400 * DAY}, HOUR),
        (NOW - 2 * DAY, {"state": "merged", "closed_at": NOW - DAY}, WEEK),
        (NOW - 2 * DAY, {"state": "closed", "closed_at": NOW - MONTH}, MONTH),
        (NOW - 2 * DAY, {"state": "closed"}, WEEK),
        (NOW, {"missing": "notFound", "failures": 1}, DAY),
        (NOW, {"missing": "gone", "failures": 3}, 4 * DAY),
        (NOW, {"missing": "forbidden", "failures": 99}, MONTH),
    ],
)
def test_an_item_named_more_recently_is_requested_sooner(named: int, fields: Json, pause: int) -> None:
    record = TrackedRecord(key="a/b#1", checked_at=NOW - HOUR, **fields)
    assert due_at(record, named, NOW) == NOW - HOUR + pause


def test_new_issue_is_due_and_a_failed_one_waits() -> None:
    assert due_at(TrackedRecord(key="a/b#1"), NOW, NOW) == 0
    failed = TrackedRecord(key="a/b#1", state="open", checked_at=NOW - WEEK, tried_at=NOW, failures=1)
    assert due_at(failed, NOW, NOW) == NOW + MINUTE
    often = TrackedRecord(key="a/b#1", tried_at=NOW, failures=500)
    assert due_at(often, NOW, NOW) == NOW + DAY
    assert [failure_pause(count) for count in (0, 1, 2, 3, 100)] == [MINUTE, MINUTE, 2 * MINUTE, 4 * MINUTE, HOUR]


def test_time_noted_by_a_fast_clock_delays_nothing() -> None:
    now = 20_000 * DAY
    ahead = now + 400 * DAY
    known = (TrackedRecord(key="k", checked_at=ahead), TrackedRecord(key="k", checked_at=now - DAY, tried_at=ahead))
    assert [due_at(each, now, now) for each in known] == [0, 0]
    assert due_at(TrackedRecord(key="k", checked_at=now + 1_000), now, now) > now  # clocks of two machines
    assert [is_paused(until, now) for until in (0, now, now + 1, now + DAY, ahead)] == [False, False, True, True, False]
