"""Decide when to request an item again: the more recently memories named it, the sooner.

| last named | open | closed or merged |
|---|---|---|
| within a day | every hour | every day; after an hour if it was named since the last request |
| within a week | every day | every week |
| earlier | every week | every week, every 30 days once it has been closed for 30 days |

An item that does not exist, or that the token may not see, is retried after a day, then twice as long each time, up to
30 days. After an unusable answer the first retry comes after a minute, then twice as long each time, up to a day.
"""

from __future__ import annotations

from typing import Final

from sidecar.store.records import TrackedRecord

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS
WEEK_MS: Final = 7 * DAY_MS
MONTH_MS: Final = 30 * DAY_MS


def request_interval(record: TrackedRecord, named_at: int, now: int) -> int:
    """Return the milliseconds between two requests for an item that memories last named at `named_at` (epoch ms)."""
    if record.missing is not None:
        return int(min(MONTH_MS, DAY_MS * 2 ** min(max(0, record.failures - 1), 10)))
    age = now - named_at
    if record.state in ("closed", "merged"):
        if age <= DAY_MS:
            return HOUR_MS if named_at > (record.checked_at or 0) else DAY_MS
        return MONTH_MS if now - (record.closed_at or now) >= MONTH_MS else WEEK_MS
    return HOUR_MS if age <= DAY_MS else DAY_MS if age <= WEEK_MS else WEEK_MS


def due_at(record: TrackedRecord, named_at: int, now: int) -> int:
    """Return when to request an item, in epoch milliseconds; 0 if it was never requested."""
    if max(record.tried_at or 0, record.checked_at or 0) > now + DAY_MS:  # written by a wrong clock
        return 0
    if record.tried_at is not None:
        return record.tried_at + int(min(DAY_MS, MINUTE_MS * 2 ** min(max(0, record.failures - 1), 12)))
    if record.checked_at is None:
        return 0
    return record.checked_at + request_interval(record, named_at, now)


def is_paused(until: int, now: int) -> bool:
    """Return whether requests are paused at `now` (epoch ms). A pause of over a day comes from a wrong clock."""
    return now < until <= now + DAY_MS


def failure_pause(failures: int) -> int:
    """Return for how long (ms) to pause requests after consecutive failures: a minute, doubled up to an hour."""
    return int(min(HOUR_MS, MINUTE_MS * 2 ** min(max(0, failures - 1), 10)))
