"""Times as people write and read them. On the wire there are only epoch milliseconds."""

from __future__ import annotations

from datetime import datetime

import click

from sidecar.text.moments import parse_moment

_AGE_UNITS = (
    (60, 1, "second"),
    (3_600, 60, "minute"),
    (86_400, 3_600, "hour"),
    (14 * 86_400, 86_400, "day"),
    (60 * 86_400, 7 * 86_400, "week"),
    (730 * 86_400, 30 * 86_400, "month"),
)


def age(moment: int, now: int) -> str:
    """Return the time from `moment` to `now` in one unit, such as `3 days ago`."""
    seconds = (now - moment) // 1000
    if seconds < 0:
        return f"in {_span(-seconds)}" if seconds <= -60 else "just now"
    return "just now" if seconds < 10 else f"{_span(seconds)} ago"


def date(moment: int) -> str:
    return datetime.fromtimestamp(moment / 1000).strftime("%Y-%m-%d %H:%M")


def _span(seconds: int) -> str:
    for limit, size, unit in _AGE_UNITS:
        if seconds < limit:
            count = seconds // size
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{seconds // (365 * 86_400)} years"


class When(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3 only
    """A time that `parse_moment` can read, after now (`sign` 1) or before now (-1)."""

    name = "time"

    def __init__(self, sign: int) -> None:
        self.sign = sign

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return parse_moment(str(value), self.sign)
        except ValueError as error:
            self.fail(str(error), param, ctx)
