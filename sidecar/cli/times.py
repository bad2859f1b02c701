"""Times as people write and read them; the wire has epoch milliseconds only."""

from __future__ import annotations

import re
import time
from datetime import datetime

import click

_UNITS_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_STEPS = (
    (60, 1, "second"),
    (3_600, 60, "minute"),
    (86_400, 3_600, "hour"),
    (14 * 86_400, 86_400, "day"),
    (60 * 86_400, 7 * 86_400, "week"),
    (730 * 86_400, 30 * 86_400, "month"),
)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def age(then: int, now: int) -> str:
    """Return how long ago `then` was, in one unit: `3 days ago`."""
    seconds = (now - then) // 1000
    if seconds < 0:
        return f"in {_span(-seconds)}" if seconds <= -60 else "just now"
    return "just now" if seconds < 10 else f"{_span(seconds)} ago"


def date(at: int) -> str:
    """Return a time as local date and minute."""
    return datetime.fromtimestamp(at / 1000).strftime("%Y-%m-%d %H:%M")


def _span(seconds: int) -> str:
    for limit, size, unit in _STEPS:
        if seconds < limit:
            count = seconds // size
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{seconds // (365 * 86_400)} years"


class When(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3 only
    """A time: `7d`, `12h`, `30m`, `2w` from now (`sign` 1) or before now (-1), a date, or epoch milliseconds."""

    name = "time"

    def __init__(self, sign: int) -> None:
        self.sign = sign

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return epoch milliseconds."""
        text = str(value).strip()
        span = re.fullmatch(r"\+?(\d{1,6})([mhdw])", text)
        if span:
            return max(0, now_ms() + self.sign * int(span[1]) * _UNITS_MS[span[2]])
        if re.fullmatch(r"\d{9,16}", text):
            return int(text)
        try:
            return max(0, int(datetime.fromisoformat(text).timestamp() * 1000))
        except (ValueError, OverflowError, OSError):
            self.fail(
                f"{text!r} is no time. Write 7d, 12h, 30m or 2w, a date like 2026-01-31, or epoch milliseconds.",
                param,
                ctx,
            )
