"""Days as text."""

from __future__ import annotations

import time


def utc_day(at: int) -> str:
    """Return the UTC date of an epoch in milliseconds."""
    return time.strftime("%Y-%m-%d", time.gmtime(at / 1000))
