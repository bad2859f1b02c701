"""Days as text."""

from __future__ import annotations

import time


def utc_day(moment: int) -> str:
    """Return the UTC date of an epoch in milliseconds."""
    return time.strftime("%Y-%m-%d", time.gmtime(moment / 1000))
