"""Parse times that other programs write."""

from __future__ import annotations

from datetime import UTC, datetime


def millis(value: object) -> int | None:
    """Return the epoch milliseconds of an ISO 8601 time or date (UTC by default); None for anything else."""
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        time = datetime.fromisoformat(value.strip())
        moment = time if time.tzinfo else time.replace(tzinfo=UTC)
        at = int(moment.timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None
    return at if at >= 0 else None
