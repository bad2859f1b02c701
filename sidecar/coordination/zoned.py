"""Local times and recurrences, over the `whenever` library, which handles clock changes.

A time that a clock change skips moves forward by the gap (02:30 becomes 03:30); of a repeated one, the first counts.
Months and years are counted from the first occurrence, to the last day of a short month: 31 January, 28 February.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Literal

from sidecar.runtime.errors import InvalidField

if TYPE_CHECKING:
    from whenever import Date, PlainDateTime

Every = Literal["daily", "weekdays", "weekly", "monthly", "yearly"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SATURDAY = 6


def check_zone(zone: str) -> str:
    """Return the zone. Raises InvalidField if it is unknown."""
    from whenever import TimeZoneNotFoundError

    try:
        to_local(0, zone)
    except (TimeZoneNotFoundError, ValueError):
        hint = "Give a name of the tz database, such as Europe/Berlin or UTC."
        raise InvalidField(f"No time zone is called {zone[:100]!r}.", path="$.timezone", hint=hint) from None
    return zone


def to_local(at: int, zone: str) -> PlainDateTime:
    """Return the local time of epoch milliseconds, to the second."""
    from whenever import Instant

    return Instant(_EPOCH + timedelta(seconds=at // 1_000)).to_tz(zone).to_plain()


def to_epoch(local: PlainDateTime, zone: str) -> int:
    zoned = local.assume_tz(zone, disambiguation="compatible")
    return round(zoned.to_stdlib().timestamp()) * 1_000


def iso(at: int, zone: str) -> str:
    """Format a time for people in that zone, to the minute and with its offset: `2026-11-23 09:00+01:00`."""
    from whenever import Instant

    shown = Instant(_EPOCH + timedelta(seconds=at // 1_000)).to_tz(zone).to_stdlib()
    return shown.isoformat(" ", "minutes")


def next_after(first: PlainDateTime, every: Every | None, zone: str, after: int) -> int | None:
    """Return the first occurrence after `after` in epoch milliseconds; None if there is none."""
    if every is None:
        at = to_epoch(first, zone)
        return at if at > after else None
    time = first.time()
    try:
        for day in _days(first.date(), every, to_local(after, zone).date()):
            at = to_epoch(day.at(time), zone)
            if at > after:
                return at
    except (ValueError, OverflowError):  # beyond the last representable year
        pass
    return None


def _days(first: Date, every: Every, near: Date) -> Iterator[Date]:
    """Yield the days of recurrence, from shortly before `near` on."""
    days = (near.to_stdlib() - first.to_stdlib()).days
    months = (near.year - first.year) * 12 + near.month - first.month
    passed, after = {
        "weekly": (days // 7, lambda number: first.add(days=7 * number)),
        "monthly": (months, lambda number: first.add(months=number)),
        "yearly": (months // 12, lambda number: first.add(years=number)),
    }.get(every, (days, lambda number: first.add(days=number)))
    for day in map(after, count(max(0, passed - 2))):
        if every != "weekdays" or day.day_of_week().value < _SATURDAY:
            yield day
