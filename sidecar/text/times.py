"""Parse times that other programs write, and write days."""

from __future__ import annotations

import time
from datetime import UTC, datetime

# Smaller numbers are seconds since 1970: as milliseconds, they would be before 1973.
_MIN_MILLIS = 1e11
# Later than any time.
_MAX_MILLIS = 1e14


def millis(value: object, *, local: bool = False, seconds: bool = True) -> int | None:
    """Return a number or ISO 8601 time as epoch ms; None for anything else.

    A time without zone is UTC or, if `local`, local. If `seconds`, a small number is seconds.
    """
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value.strip())
            at = (time if time.tzinfo or local else time.replace(tzinfo=UTC)).timestamp() * 1_000
        elif isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            at = value * 1_000 if seconds and value < _MIN_MILLIS else value
        else:
            return None
        return int(at) if 0 <= at < _MAX_MILLIS else None
    except (ValueError, OverflowError, OSError):
        return None


def utc_day(moment: int) -> str:
    """Return the UTC date of an epoch in milliseconds."""
    return time.strftime("%Y-%m-%d", time.gmtime(moment / 1000))
