"""Time limits for the steps of ending, in seconds.

Those after `shutdown` together stay under one second, apart from storing what was learned.
"""

from __future__ import annotations

LOOK_SECONDS = 0.005
"""Between two checks for requests that are still in flight."""

# For requests in flight at `shutdown`, and at the end of stdin or `exit`.
SHUTDOWN_SECONDS = 1.0
LEAVE_SECONDS = 1.0

ANSWERING_SECONDS = 20.0
"""A script may write all its requests, close its end and read: its requests are answered in turn for this long."""

SETTLE_SECONDS = 3.0
"""For storing lessons; it takes no time if none are pending."""

NOTE_SECONDS = 2.0
"""For writing down events not yet served, in case a busy store holds up the lane."""

# Then: running writes, the engine, the worker threads, the last frames.
DRAIN_SECONDS = 0.15
CLOSE_SECONDS = 0.35
JOIN_SECONDS = 0.05
FLUSH_SECONDS = 0.1
