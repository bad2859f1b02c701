"""Structs of `reminder/*`: what is due at a time, once or again and again."""

from typing import Annotated, Literal

import msgspec

from protocol.events import SessionId
from protocol.memories import AgentName
from protocol.wire import Limit, MemoryId, Millis, Params, Result

Recurrence = Literal["daily", "weekdays", "weekly", "monthly", "yearly"]
Zone = Annotated[
    str, msgspec.Meta(min_length=1, max_length=100, description="A name of the tz database: Europe/Berlin.")
]


class SetReminderParams(Params, frozen=True):
    """Keep a reminder. `at`: an ISO time, `+2h`, `in 3 days`, `17:00`, `tomorrow 9am`, `friday 17:00`, `next monday`.

    Times are local to `timezone`, which is this machine's unless it is given. What recurs keeps its local time when the
    clocks change (a time that they skip comes as much later), and falls on the last day of a month that is too short.
    """

    text: Annotated[str, msgspec.Meta(min_length=1)]
    at: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    recurrence: Recurrence | None = None
    timezone: Zone | None = None
    agent: AgentName | None = None
    session_id: SessionId | None = None
    memory_id: MemoryId | None = None


class ReminderParams(Params, frozen=True):
    """One reminder."""

    id: MemoryId


class ListRemindersParams(Params, frozen=True):
    """Reminders by the time at which they are due; `due`: only those that are, `all`: cleared ones, too.

    Where reminders are shared, one machine delivers each: asking with `due` takes on what is due.
    """

    due: bool = False
    all: bool = False
    limit: Limit = 50


class Reminder(Result, frozen=True):
    """A reminder and when it is next due: `at`, which is `local` in `timezone`. `due`: that is now or past.

    Among machines that share it, one delivers each time: `deliveredTo`, absent if that is this one or none yet.
    `deliveredOffline`: without asking the others' database. `author`: who set it, if somebody else.
    """

    id: str
    text: str
    at: Millis
    local: str
    timezone: str
    due: bool
    created_at: Millis
    recurrence: Recurrence | None = None
    cleared_at: Millis | None = None
    agent: str | None = None
    session_id: str | None = None
    memory_id: str | None = None
    author: str | None = None
    delivered_to: str | None = None
    delivered_offline: bool | None = None


class SetReminderResult(Result, frozen=True):
    """`created` is false for what waits already, with the same text and times."""

    reminder: Reminder
    created: bool


class ListRemindersResult(Result, frozen=True):
    """Reminders, those due first at the front."""

    items: list[Reminder]
