"""Rows of reminders. Unlike memories, reminders are never merged, ranked or faded."""

from __future__ import annotations

from typing import Final

from sidecar.store import keys
from sidecar.store.records import Record
from sidecar.store.tables import Table, TableRows


class ReminderRecord(Record, frozen=True, kw_only=True):
    """A text of which to remind somebody."""

    v: int = 1
    id: str
    text: str
    at: int  # when it is due next
    first: str  # local time of the first occurrence (ISO without offset)
    zone: str  # IANA name
    created_at: int
    updated_at: int
    every: str | None = None  # `daily`, `weekdays`, `weekly`, `monthly`, `yearly`; None: once
    cleared_at: int | None = None
    agent: str | None = None
    session_id: str | None = None
    memory_id: str | None = None
    source: str = "agent"
    author: str | None = None  # a colleague's role, if reminders are shared
    delivered_for: int | None = None  # the occurrence that was delivered last
    delivered_to: str | None = None  # the machine that delivered it; None: this one
    delivered_offline: bool = False  # it was delivered without asking the database


REMINDERS: Final = Table(keys.REMINDER, ReminderRecord)


class Reminders(TableRows[ReminderRecord]):
    table = REMINDERS

    def put(self, record: ReminderRecord) -> None:
        REMINDERS.set(self._rows, record, record.id)
