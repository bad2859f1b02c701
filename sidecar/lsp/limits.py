"""Time limits for the steps of ending, in seconds.

The steps after `shutdown` together stay under three seconds, apart from storing lessons.
"""

from __future__ import annotations

IN_FLIGHT_CHECK_SECONDS = 0.005
"""Interval between two checks for requests that are still in flight."""

# For requests in flight at `shutdown`, and at the end of stdin or `exit`.
SHUTDOWN_SECONDS = 1.0
END_OF_INPUT_SECONDS = 1.0

ANSWERING_SECONDS = 20.0
"""Time to answer the requests of a script that writes all of them, closes its end and then reads."""

STORE_LESSONS_SECONDS = 3.0
"""Time to store pending lessons."""

WRITE_EVENTS_SECONDS = 2.0
"""Time to write down events that were not served because a busy store held up the lane."""

# Then: running writes, the engine, the worker threads, the last frames.
DRAIN_LANES_SECONDS = 0.15
CLOSE_ENGINE_SECONDS = 0.35
JOIN_WORKERS_SECONDS = 0.05
FLUSH_OUTPUT_SECONDS = 0.1
