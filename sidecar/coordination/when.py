"""Parse the time at which a person wants to be reminded, and compute the occurrences of recurring reminders.

| form | means |
|---|---|
| `2026-12-01T10:00`, with or without `Z` or an offset | that time; without an offset it is local |
| `2026-12-01`, `2026-12-01 9am` | that day, by default at 09:00 |
| `+2h`, `+1h30m`, `in 20 minutes`, `in an hour` | that much later, whatever the clocks do meanwhile |
| `+3d`, `+1M`, `in 3 days`, `in 2 weeks at 8am`, `in a month` | that day, at the present time of day or the one given |
| `17:00`, `9am`, `noon` | the next occurrence of that time |
| `today 17:00`, `tonight` (20:00), `tomorrow 9am`, `the day after tomorrow` | that day, at 09:00 by default |
| `friday`, `friday 17:00`, `this friday` | the coming Friday; today if the given time is still ahead |
| `next monday`, `next monday noon` | the first Monday after today |
| `next week`, `next month` | a week or a month from today, at 09:00 if no time is given |

The time may also come first (`9am tomorrow`). A time that a clock change skips moves forward by the gap; of a time that
a clock change repeats, the first counts. Months and years are counted from the first occurrence: 31 January, 28
February, 31 March.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Literal, NamedTuple

import whenever  # loads its parts on first use

from sidecar.runtime.errors import InvalidField

MORNING = (9, 0)
EVENING = (20, 0)
MAX_AHEAD_MS = 100 * 366 * 86_400_000

_HINT = "Write 2026-12-01T10:00, +2h, in 3 days, 17:00, tomorrow 9am, friday 17:00 or next monday."
_ISO = re.compile(r"\d{4}-?\d\d-?\d\d(?:[t ]\d\d.*)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_DAY_NAMES = {name: at for at, day in enumerate(_DAYS, 1) for name in (day, day[:3])} | {
    "tues": 2,
    "thur": 4,
    "thurs": 4,
}
_UNITS = {
    name: unit
    for unit, names in {
        "minutes": "m min mins minute minutes",
        "hours": "h hr hrs hour hours",
        "days": "d day days",
        "weeks": "w week weeks",
        "months": "mo month months",
        "years": "y year years",
    }.items()
    for name in names.split()
}
_STEP = re.compile(r"(?P<count>\d{1,6}|an?)\s*(?P<unit>[a-z]+)\s*(?:(?:,|and)\s*)?")
# `+1M` means a month, `+1m` a minute.
_MONTHS = re.compile(r"(?<=\d)\s?M\b")
_CLOCK = r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>[ap]\.?m\.?)?|(?P<noon>noon)"
_TIME = re.compile(rf"(?:at\s+)?(?:{_CLOCK})\Z")
_DAY_FIRST = re.compile(rf"(?P<day>.+?)(?:\s*,\s*|\s+)(?P<time>(?:at\s+)?(?:{_CLOCK}))\Z")
_TIME_FIRST = re.compile(rf"(?P<time>(?:at\s+)?(?:{_CLOCK}))\s+(?:on\s+)?(?P<day>.+)\Z")

Every = Literal["daily", "weekdays", "weekly", "monthly", "yearly"]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SATURDAY = 6


class Moment(NamedTuple):
    """A point in time."""

    at: int  # epoch milliseconds
    local: whenever.PlainDateTime  # the local time that was meant


def read_moment(spelling: str, now: int, zone: str) -> Moment:
    """Return the time that `spelling` means at `now` in a time zone; it may be past. Raises InvalidField."""
    text = " ".join(_MONTHS.sub("mo", spelling).lower().split())
    try:
        moment = _iso(text, zone) or _phrase(text, now, zone)
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        shown = spelling.strip()[:100]
        raise InvalidField(f"{shown!r} is not a time.", path="$.at", hint=_HINT)
    if moment.at - now > MAX_AHEAD_MS:
        raise InvalidField("The time is more than 100 years ahead.", path="$.at", hint=_HINT)
    return moment


def _iso(text: str, zone: str) -> Moment | None:
    if not _ISO.fullmatch(text):
        return None
    try:
        parsed = datetime.fromisoformat(text.upper())
    except ValueError:  # perhaps a day and a time: `2026-12-01 9am`
        return None
    if parsed.tzinfo is not None:
        at = int(parsed.timestamp()) * 1_000
        return Moment(at, to_local(at, zone))
    local = whenever.PlainDateTime(parsed.replace(microsecond=0))
    if len(text) <= len("2026-12-01"):
        local = local.replace(hour=MORNING[0], minute=MORNING[1])
    return _moment(local, zone)


def _phrase(text: str, now: int, zone: str) -> Moment | None:
    local_now = to_local(now, zone)
    if text.startswith("+"):
        return _add_duration(text[1:].strip(), now, zone)
    if text.startswith("in "):
        return _add_duration(text[3:], now, zone)
    if (clock := _time(text)) is not None:
        today = _moment(local_now.date().at(clock), zone)
        return today if today.at > now else _moment(local_now.date().add(days=1).at(clock), zone)
    if (day := _day(text, local_now, None)) is not None:
        return _moment(day.at(whenever.Time(*(EVENING if text == "tonight" else MORNING))), zone)
    for form in (_DAY_FIRST, _TIME_FIRST):
        if (match := form.fullmatch(text)) is not None:
            clock = _time(match["time"])
            if clock is not None and (day := _day(match["day"], local_now, clock)) is not None:
                return _moment(day.at(clock), zone)
    return None


def _add_duration(text: str, now: int, zone: str) -> Moment | None:
    """Add a duration to `now`: days and longer units by the calendar, hours and minutes as elapsed time."""
    counts: dict[str, int] = {}
    position = 0
    while (step := _STEP.match(text, position)) is not None and step["unit"] in _UNITS:
        unit = _UNITS[step["unit"]]
        if unit in counts:
            return None
        counts[unit] = int(step["count"]) if step["count"].isdigit() else 1
        position = step.end()
    if not counts:
        return None
    passing = 60_000 * (counts.pop("minutes", 0) + 60 * counts.pop("hours", 0))
    clock = _time(text[position:].strip()) if position < len(text) else None
    if position < len(text) and (clock is None or passing or not counts):
        return None
    at = now - now % 1_000
    if counts:
        local_now = to_local(now, zone)
        day = local_now.date().add(
            years=counts.get("years", 0),
            months=counts.get("months", 0),
            weeks=counts.get("weeks", 0),
            days=counts.get("days", 0),
        )
        at = to_epoch(day.at(clock if clock is not None else local_now.time()), zone)
    at += passing
    return Moment(at, to_local(at, zone))


def _day(text: str, local_now: whenever.PlainDateTime, clock: whenever.Time | None) -> whenever.Date | None:
    today = local_now.date()
    words = text.removeprefix("on ").removeprefix("the ").split()
    match words:
        case [date] if _DATE.fullmatch(date):
            return whenever.Date.parse_iso(date)
        case ["today" | "tonight"]:
            return today
        case ["tomorrow"]:
            return today.add(days=1)
        case ["day", "after", "tomorrow"]:
            return today.add(days=2)
        case ["next", "week"]:
            return today.add(days=7)
        case ["next", "month"]:
            return today.add(months=1)
        case ["next", name] if name in _DAY_NAMES:
            return _next_weekday(today, _DAY_NAMES[name])
        case [name] | ["this", name] if name in _DAY_NAMES:
            is_today = today.day_of_week().value == _DAY_NAMES[name]
            if is_today and clock is not None and today.at(clock) > local_now:
                return today
            return _next_weekday(today, _DAY_NAMES[name])
        case _:
            return None


def _next_weekday(today: whenever.Date, weekday: int) -> whenever.Date:
    """Return the first date after today that is this weekday; Monday is 1."""
    return today.add(days=(weekday - today.day_of_week().value - 1) % 7 + 1)


def _time(text: str) -> whenever.Time | None:
    """Parse a time of day; a bare number is not a time."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    if match["noon"]:
        return whenever.Time(12, 0)
    if match["minute"] is None and match["half"] is None:
        return None
    hour, minute, half = int(match["hour"]), int(match["minute"] or 0), match["half"]
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    return whenever.Time(hour, minute) if hour < 24 and minute < 60 else None


def _moment(local: whenever.PlainDateTime, zone: str) -> Moment:
    return Moment(to_epoch(local, zone), local)


def check_zone(zone: str) -> str:
    """Return the time zone. Raises InvalidField if it is unknown."""
    try:
        to_local(0, zone)
    except (whenever.TimeZoneNotFoundError, ValueError):
        hint = "Give a name of the tz database, such as Europe/Berlin or UTC."
        raise InvalidField(f"No time zone is called {zone[:100]!r}.", path="$.timezone", hint=hint) from None
    return zone


def to_local(moment: int, zone: str) -> whenever.PlainDateTime:
    return whenever.Instant(_EPOCH + timedelta(seconds=moment // 1_000)).to_tz(zone).to_plain()


def to_epoch(local: whenever.PlainDateTime, zone: str) -> int:
    zoned = local.assume_tz(zone, disambiguation="compatible")
    return round(zoned.to_stdlib().timestamp()) * 1_000


def format_local(moment: int, zone: str) -> str:
    """Format a time for people in that zone, to the minute and with its offset: `2026-11-23 09:00+01:00`."""
    shown = whenever.Instant(_EPOCH + timedelta(seconds=moment // 1_000)).to_tz(zone).to_stdlib()
    return shown.isoformat(" ", "minutes")


def next_after(first: whenever.PlainDateTime, every: Every | None, zone: str, after: int) -> int | None:
    """Return the first occurrence later than `after`; None if there is none. Both are epoch milliseconds."""
    if every is None:
        at = to_epoch(first, zone)
        return at if at > after else None
    time = first.time()
    try:
        for day in _days(first.date(), every, to_local(after, zone).date()):
            at = to_epoch(day.at(time), zone)
            if at > after:
                return at
    except (ValueError, OverflowError):  # the next occurrence is beyond the last representable year
        pass
    return None


def _days(first: whenever.Date, every: Every, near: whenever.Date) -> Iterator[whenever.Date]:
    """Yield the days on which it recurs, from shortly before `near` on."""
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
