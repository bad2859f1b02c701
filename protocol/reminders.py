"""Structs of `reminder/*`: what is due at a time, once or again and again."""

from typing import Annotated, Literal

import msgspec

from protocol.events import SessionId
from protocol.memories import AgentName
from protocol.wire import Limit, MemoryId, Millis, Result, WorkspaceParams

Recurrence = Literal["daily", "weekdays", "weekly", "monthly", "yearly"]
Zone = Annotated[
    str, msgspec.Meta(min_length=1, max_length=100, description="A name of the tz database: Europe/Berlin.")
]


class SetReminderParams(WorkspaceParams, frozen=True):
    """Set a reminder. `at`: an ISO time, `+2h`, `in 3 days`, `17:00`, `tomorrow 9am`, `friday 17:00`, `next monday`.

    Times are local to `timezone`, by default this machine's. When the clocks change, a recurring reminder keeps its
    local time; if that time is skipped, it comes as much later. In a month that is too short, it falls on the last day.
    """

    text: Annotated[str, msgspec.Meta(min_length=1)]
    at: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    recurrence: Recurrence | None = None
    timezone: Zone | None = None
    agent: AgentName | None = None
    session_id: SessionId | None = None
    memory_id: MemoryId | None = None


class ReminderParams(WorkspaceParams, frozen=True):
    """One reminder."""

    id: MemoryId


class ListRemindersParams(WorkspaceParams, frozen=True):
    """List reminders, the next due first. `due` lists only due ones, `all` also cleared ones.

    Where reminders are shared, one machine delivers each. A request with `due` makes this machine deliver what is due.
    """

    due: bool = False
    all: bool = False
    limit: Limit = 50


class Reminder(Result, frozen=True):
    """A reminder, which is next due at `at` (`local` in `timezone`). `due` means that this time has come.

    Of the machines that share a reminder, one delivers it each time. `deliveredTo` names that machine; it is absent if
    this machine or none has done so. `deliveredOffline` means that this was decided without the shared
    database. `author` set the reminder, if that was not the user.
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
    """The reminder. `created` is false if one with the same text and times waits already."""

    reminder: Reminder
    created: bool


class ListRemindersResult(Result, frozen=True):
    """Reminders, those due first at the front."""

    items: list[Reminder]
