"""Rows of reminders, which are never merged, ranked or faded as memories are."""

from __future__ import annotations

from typing import Final

from sidecar.store import keys
from sidecar.store.records import Record
from sidecar.store.tables import Table, TableRows


class ReminderRecord(Record, frozen=True, kw_only=True):
    """A text of which to remind somebody at the time `at`.

    `first` is the local time of the first occurrence (ISO without offset) in `zone` (an IANA name), `every` is `daily`,
    `weekdays`, `weekly`, `monthly`, `yearly` or None for once. Where reminders are shared, `author` is a colleague's
    role. The occurrence `delivered_for` was delivered by the machine `delivered_to`, None for this machine, or
    `delivered_offline`, without asking the database.
    """

    v: int = 1
    id: str
    text: str
    at: int
    first: str
    zone: str
    created_at: int
    updated_at: int
    every: str | None = None
    cleared_at: int | None = None
    agent: str | None = None
    session_id: str | None = None
    memory_id: str | None = None
    source: str = "agent"
    author: str | None = None
    delivered_for: int | None = None
    delivered_to: str | None = None
    delivered_offline: bool = False


REMINDERS: Final = Table(keys.REMINDER, ReminderRecord)


class Reminders(TableRows[ReminderRecord]):
    table = REMINDERS

    def put(self, record: ReminderRecord) -> None:
        REMINDERS.set(self._rows, record, record.id)
