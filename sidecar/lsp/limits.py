"""How long each part of ending may take, in seconds. Together the parts after `shutdown` stay under one second,
but for what was learned and has to be stored."""

from __future__ import annotations

# Requests in flight when the client says `shutdown`, and when it closed its end or said `exit`.
SHUTDOWN_SECONDS = 1.0
LEAVE_SECONDS = 1.0

# A script may write all that it has to ask, close its end and read: so long it is answered, request after request.
ANSWERING_SECONDS = 20.0

# What was learned and not stored yet: takes no time at all when there is nothing.
SETTLE_SECONDS = 3.0

# Events that were told and not served yet are written down, unless a busy store holds the lane up for so long.
NOTE_SECONDS = 2.0

# Then: writes that run, the engine, the worker threads, the last frames.
DRAIN_SECONDS = 0.15
CLOSE_SECONDS = 0.35
JOIN_SECONDS = 0.05
FLUSH_SECONDS = 0.1
