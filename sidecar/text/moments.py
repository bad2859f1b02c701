"""Times as people write them: `7d`, `last week`, `since March`, `2026-01-31`; local to this machine."""

from __future__ import annotations

import calendar
import re
from datetime import datetime, timedelta

# Each unit's seconds and calendar months.
_UNITS = {
    name: unit
    for names, unit in {
        "m min minute minutes": (60, 0),
        "h hour hours": (3_600, 0),
        "d day days": (86_400, 0),
        "w week weeks": (604_800, 0),
        "M mo month months": (0, 1),
        "y year years": (0, 12),
    }.items()
    for name in names.split()
}

_TIME_SPAN = re.compile(r"(?:in |\+)?(\d{1,6}) ?([A-Za-z]+)(?: ago)?")
_DAY_WORDS = {"today": 0, "yesterday": -1, "tomorrow": 1}
_STEP_WORDS = {"last": -1, "this": 0, "next": 1}
_WEEKDAYS = {day[:3]: day for day in "monday tuesday wednesday thursday friday saturday sunday".split()}
_MONTHS = {
    month[:3]: month
    for month in "january february march april may june july august september october november december".split()
}
_MOMENT_EXAMPLES = {1: "tomorrow, next week or next month", -1: "yesterday, last week or march"}


def parse_moment(spelling: str, sign: int) -> int:
    """Return the beginning of a time after (`sign` 1) or before (-1) now, in epoch ms. Raises `ValueError`."""
    text = " ".join(spelling.split())
    if re.fullmatch(r"\d{9,16}", text):
        return int(text)
    try:
        time = _span(text, sign) or _named_day(text.lower(), sign) or datetime.fromisoformat(text)
        return max(0, int(time.timestamp() * 1000))
    except (ValueError, OverflowError, OSError):
        raise ValueError(
            f"{text!r} is not a time. Write 7d, 12h, 30m, 2w or 1M, a date like 2026-01-31, "
            f"{_MOMENT_EXAMPLES[sign]}, or epoch milliseconds."
        ) from None


def _span(text: str, sign: int) -> datetime | None:
    match = _TIME_SPAN.fullmatch(text)
    unit = match and _UNITS.get(match[2] if match[2] == "M" else match[2].lower())
    if not match or not unit:
        return None
    size, months = unit
    now, count = datetime.now(), sign * int(match[1])
    return months_later(now, count * months) if months else now + timedelta(seconds=count * size)


def _named_day(text: str, sign: int) -> datetime | None:
    text = text.removeprefix("since ").removeprefix("until ")
    today = datetime.now().replace(hour=0, minute=0, second=0, microsecond=0)
    month = today.replace(day=1)
    if text in _DAY_WORDS:
        return today + timedelta(days=_DAY_WORDS[text])
    first, _, second = text.partition(" ")
    step = _STEP_WORDS.get(first)
    if step is not None and second in ("week", "month", "year"):
        if second == "week":
            return today + timedelta(weeks=step, days=-today.weekday())
        return months_later(month, step) if second == "month" else month.replace(month=1, year=month.year + step)
    if step is not None:  # last friday, next march
        first, second = second, ""
    if first[:3] in _WEEKDAYS and _WEEKDAYS[first[:3]].startswith(first) and not second:
        days = (today.weekday() - list(_WEEKDAYS).index(first[:3])) % 7
        return today - timedelta(days=days) if sign < 0 else today + timedelta(days=7 - days)
    if first[:3] in _MONTHS and _MONTHS[first[:3]].startswith(first):
        named = month.replace(month=list(_MONTHS).index(first[:3]) + 1)
        if second:
            return named.replace(year=int(second))
        return named if (named <= today) == (sign < 0) else months_later(named, sign * 12)
    whole = re.fullmatch(r"(\d{4})(?:-(\d\d))?", text)
    return datetime(int(whole[1]), int(whole[2] or 1), 1) if whole else None


def months_later(moment: datetime, months: int) -> datetime:
    """Return the same day of another month or, if that month is shorter, its last day."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    return moment.replace(year=year, month=month + 1, day=min(moment.day, calendar.monthrange(year, month + 1)[1]))
