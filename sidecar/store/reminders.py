"""Rows of reminders, which are not memories: nothing merges, ranks or fades them."""

from __future__ import annotations

from collections.abc import Iterable

from sidecar.store.records import ReminderRecord
from sidecar.store.rows import Rows
from sidecar.store.tables import REMINDERS


class Reminders:
    """The reminders of one store; `put` and `drop` only inside a transaction."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def get(self, id: str) -> ReminderRecord | None:
        return REMINDERS.get(self._rows, id)

    def all(self) -> list[ReminderRecord]:
        """Return every reminder by id, cleared ones included."""
        return REMINDERS.all(self._rows)

    def put(self, record: ReminderRecord) -> None:
        REMINDERS.set(self._rows, record, record.id)

    def drop(self, ids: Iterable[str]) -> int:
        """Remove reminders; return how many there were."""
        return REMINDERS.drop(self._rows, ids)
