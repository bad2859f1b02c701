"""How people write times, and recurrences: forms, month ends, clock changes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import get_args
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whenever import PlainDateTime

from sidecar.coordination.when import Every, check_zone, format_local, next_after, read_moment
from sidecar.runtime.errors import InvalidField

BERLIN = "Europe/Berlin"
NEW_YORK = "America/New_York"


@pytest.fixture(autouse=True)
def _no_deprecated_use() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def at(text: str, zone: str = BERLIN) -> int:
    """Return epoch milliseconds of a local time, by the standard library."""
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()) * 1_000


def shown(ms: int, zone: str = BERLIN) -> str:
    return datetime.fromtimestamp(ms / 1_000, ZoneInfo(zone)).isoformat(" ", "minutes")


SUNDAY = at("2026-11-22 10:30")  # in winter


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2026-12-01T10:00", "2026-12-01 10:00"),
        ("2026-12-01 10:00:30", "2026-12-01 10:00:30"),
        ("2026-12-01", "2026-12-01 09:00"),
        ("20261201", "2026-12-01 09:00"),
        ("2026-12-01 9am", "2026-12-01 09:00"),
        ("2026-12-01 at 9:00", "2026-12-01 09:00"),
        ("17:00 on 2026-12-01", "2026-12-01 17:00"),
        ("2026-12-01T10:00Z", "2026-12-01 11:00"),
        ("2026-12-01t10:00-05:00", "2026-12-01 16:00"),
        ("+2h", "2026-11-22 12:30"),
        ("+1h30m", "2026-11-22 12:00"),
        ("+ 45 min", "2026-11-22 11:15"),
        ("in 20 minutes", "2026-11-22 10:50"),
        ("in an hour", "2026-11-22 11:30"),
        ("in 1 hour and 5 minutes", "2026-11-22 11:35"),
        ("+3d", "2026-11-25 10:30"),
        ("in 3 days", "2026-11-25 10:30"),
        ("in 3 days at 9am", "2026-11-25 09:00"),
        ("in 2 weeks", "2026-12-06 10:30"),
        ("in a month", "2026-12-22 10:30"),
        ("+1M", "2026-12-22 10:30"),
        ("+2 M", "2027-01-22 10:30"),
        ("+1m", "2026-11-22 10:31"),
        ("+1y", "2027-11-22 10:30"),
        ("17:00", "2026-11-22 17:00"),
        ("9am", "2026-11-23 09:00"),
        ("10:30", "2026-11-23 10:30"),
        ("12am", "2026-11-23 00:00"),
        ("12 pm", "2026-11-22 12:00"),
        ("noon", "2026-11-22 12:00"),
        ("at 5:15 p.m.", "2026-11-22 17:15"),
        ("today 17:00", "2026-11-22 17:00"),
        ("tonight", "2026-11-22 20:00"),
        ("tonight 9pm", "2026-11-22 21:00"),
        ("tomorrow", "2026-11-23 09:00"),
        ("Tomorrow  9AM", "2026-11-23 09:00"),
        ("tomorrow at 17:30", "2026-11-23 17:30"),
        ("9am tomorrow", "2026-11-23 09:00"),
        ("the day after tomorrow noon", "2026-11-24 12:00"),
        ("monday", "2026-11-23 09:00"),
        ("next monday", "2026-11-23 09:00"),
        ("sunday", "2026-11-29 09:00"),
        ("sunday 17:00", "2026-11-22 17:00"),
        ("sunday 9am", "2026-11-29 09:00"),
        ("next sunday 17:00", "2026-11-29 17:00"),
        ("friday 17:00", "2026-11-27 17:00"),
        ("on Fri, 17:00", "2026-11-27 17:00"),
        ("this friday", "2026-11-27 09:00"),
        ("17:00 on friday", "2026-11-27 17:00"),
        ("next week", "2026-11-29 09:00"),
        ("next month", "2026-12-22 09:00"),
    ],
)
def test_a_time_in_words_is_understood(text: str, meant: str) -> None:
    assert read_moment(text, SUNDAY, BERLIN).at == at(meant)


@pytest.mark.parametrize(
    "text",
    "|soon|9|tomorrow 9|25:00|13pm|0am|friday 24:00|in|in days|+|+2|+2x|+1h1h|in 2 hours at 9am|next|next year 9am"
    "|2026-02-30|2026-02-30 9am|2026-13-01|2026-12-01T25:00|yesterday|monday monday|9am 10am|today|\u0663d"
    "|+999999y|in 999999 months".split("|"),
)
def test_time_not_understood_is_an_error(text: str) -> None:
    if text == "today":  # 09:00 today, which `put` rejects as past
        assert read_moment(text, SUNDAY, BERLIN).at < SUNDAY
        return
    with pytest.raises(InvalidField) as caught:
        read_moment(text, SUNDAY, BERLIN)
    assert caught.value.data.path == "$.at"
    assert caught.value.data.hint


def test_recurrence_keeps_to_the_ends_of_months() -> None:
    assert read_moment("in a month", at("2026-01-31 08:00"), BERLIN).at == at("2026-02-28 08:00")
    assert read_moment("in 1 year", at("2028-02-29 08:00"), BERLIN).at == at("2029-02-28 08:00")
    first = PlainDateTime(2026, 1, 31, 9)
    due, days = at("2026-01-01 00:00"), []
    for _ in range(14):
        found = next_after(first, "monthly", BERLIN, due)
        assert found is not None
        due = found
        days.append(shown(due)[5:10])
    assert days == ("01-31 02-28 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-31 01-31 02-28".split())
    leap = PlainDateTime(2028, 2, 29, 9)
    assert shown(next_after(leap, "yearly", BERLIN, at("2028-03-01 00:00")) or 0)[:10] == "2029-02-28"
    assert shown(next_after(leap, "yearly", BERLIN, at("2031-03-01 00:00")) or 0)[:10] == "2032-02-29"


def test_the_clocks_change() -> None:
    """2026-03-29 02:00 -> 03:00 and 2026-10-25 03:00 -> 02:00 in Berlin."""
    before = at("2026-03-28 12:00")
    assert shown(read_moment("tomorrow 2:30am", before, BERLIN).at) == "2026-03-29 03:30+02:00"  # there is no 02:30
    assert shown(read_moment("tomorrow 9am", before, BERLIN).at) == "2026-03-29 09:00+02:00"
    assert shown(read_moment("+24h", before, BERLIN).at) == "2026-03-29 13:00+02:00"  # a day of 23 hours
    assert shown(read_moment("+1d", before, BERLIN).at) == "2026-03-29 12:00+02:00"
    assert shown(read_moment("2026-10-25T02:30", before, BERLIN).at) == "2026-10-25 02:30+02:00"  # the first of two
    first = PlainDateTime(2026, 3, 27, 2, 30)
    due, times = at("2026-03-27 00:00"), []
    for _ in range(4):
        due = next_after(first, "daily", BERLIN, due) or 0
        times.append(shown(due))
    assert times == [
        "2026-03-27 02:30+01:00",
        "2026-03-28 02:30+01:00",
        "2026-03-29 03:30+02:00",
        "2026-03-30 02:30+02:00",  # one odd day does not move the following ones
    ]
    autumn = next_after(PlainDateTime(2026, 10, 24, 2, 30), "daily", BERLIN, at("2026-10-24 12:00"))
    assert shown(autumn or 0) == "2026-10-25 02:30+02:00"
    again = next_after(PlainDateTime(2026, 10, 24, 2, 30), "daily", BERLIN, autumn or 0)
    assert shown(again or 0) == "2026-10-26 02:30+01:00"  # not twice in one night


def test_weekdays_pass_over_the_weekend() -> None:
    friday = next_after(PlainDateTime(2026, 11, 20, 9), "weekdays", NEW_YORK, at("2026-11-20 08:00", NEW_YORK))
    assert shown(friday or 0, NEW_YORK) == "2026-11-20 09:00-05:00"
    monday = next_after(PlainDateTime(2026, 11, 20, 9), "weekdays", NEW_YORK, friday or 0)
    assert shown(monday or 0, NEW_YORK) == "2026-11-23 09:00-05:00"
    begun = next_after(PlainDateTime(2026, 11, 21, 9), "weekdays", NEW_YORK, at("2026-11-01 00:00", NEW_YORK))
    assert shown(begun or 0, NEW_YORK) == "2026-11-23 09:00-05:00"


def test_zones_and_how_times_are_shown() -> None:
    assert format_local(at("2026-07-01 09:00"), BERLIN) == "2026-07-01 09:00+02:00"
    assert check_zone("UTC") == "UTC"
    for bad in ("Mars/Olympus", "", "../../etc/passwd", "Europe/Berlin\0"):
        with pytest.raises(InvalidField) as caught:
            check_zone(bad)
        assert caught.value.data.path == "$.timezone"


def test_nothing_lies_beyond_the_last_year() -> None:
    first = PlainDateTime(9999, 12, 31, 23)
    late = int(datetime(9999, 12, 31, 23, 30, tzinfo=UTC).timestamp() * 1_000)
    assert next_after(first, "yearly", "UTC", late) is None
    assert next_after(first, None, "UTC", late) is None


TIMES = st.datetimes(min_value=datetime(2020, 1, 1), max_value=datetime(2040, 12, 31))
ZONES = st.sampled_from([BERLIN, NEW_YORK, "UTC", "Australia/Lord_Howe", "Asia/Kolkata", "America/Sao_Paulo"])


@given(TIMES, st.sampled_from(get_args(Every)), ZONES, st.integers(-400, 4_000))
def test_occurrences_follow_each_other(first: datetime, every: Every, zone: str, days: int) -> None:
    """Each is later than the previous one by at most what the rule allows, and is the first after any time."""
    first = first.replace(microsecond=0)
    start = PlainDateTime(first)
    after = int((first.replace(tzinfo=UTC) + timedelta(days=days)).timestamp() * 1_000)
    found: list[int] = []
    for _ in range(5):
        following = next_after(start, every, zone, after if not found else found[-1])
        assert following is not None
        found.append(following)
    assert found[0] > after
    most = {"daily": 1, "weekdays": 3, "weekly": 7, "monthly": 31, "yearly": 366}[every]
    for one, two in pairwise(found):
        assert 0 < two - one <= (most * 24 + 2) * 3_600_000
    if days > 2:
        assert found[0] - after <= (most * 24 + 2) * 3_600_000
    assert next_after(start, every, zone, found[1] - 1) == found[1]
    assert next_after(start, every, zone, found[1]) == found[2]


@given(st.text(max_size=60) | st.from_regex(r"(in |\+|next |on )?[0-9a-z: +-]{0,20}", fullmatch=True))
def test_any_text_is_a_time_or_a_clear_error(text: str) -> None:
    try:
        moment = read_moment(text, SUNDAY, BERLIN)
    except InvalidField as error:
        path = error.data.path
    else:
        path, at = "$.at", moment.at
        assert at % 1_000 == 0
    assert path == "$.at"
