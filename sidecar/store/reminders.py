"""Rows of reminders. They are no memories: nothing merges, ranks or fades them."""

from __future__ import annotations

from collections.abc import Iterable

from sidecar.store import keys
from sidecar.store.codec import Codec, encode
from sidecar.store.database import Rows, after
from sidecar.store.records import ReminderRecord

_reminders = Codec(ReminderRecord)


class Reminders:
    """The reminders of one store; what changes them only inside a transaction."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def get(self, id: str) -> ReminderRecord | None:
        """One reminder."""
        key = keys.of_parts(keys.REMINDER, id)
        return _reminders.one(key, self._rows.get(key))

    def all(self) -> list[ReminderRecord]:
        """Every reminder, cleared ones too, by id."""
        return [one for _, one in _reminders.readable(self._rows.range(keys.REMINDER, after(keys.REMINDER)))]

    def put(self, record: ReminderRecord) -> None:
        """Stores a reminder."""
        self._rows.set(keys.of_parts(keys.REMINDER, record.id), encode(record))

    def drop(self, ids: Iterable[str]) -> int:
        """Removes reminders; how many there were."""
        return self._rows.delete_many(keys.of_parts(keys.REMINDER, id) for id in ids)
