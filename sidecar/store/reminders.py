"""Rows of reminders. They are no memories: nothing merges, ranks or fades them."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from sidecar.store import keys
from sidecar.store.codec import Codec, encode
from sidecar.store.database import Rows, after
from sidecar.store.faults import Undecodable
from sidecar.store.records import ReminderRecord

_log = logging.getLogger(__name__)
_reminders = Codec(ReminderRecord)


class Reminders:
    """The reminders of one store; what changes them only inside a transaction."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def get(self, id: str) -> ReminderRecord | None:
        """One reminder."""
        key = keys.of_parts(keys.REMINDER, id)
        value = self._rows.get(key)
        return None if value is None else next(iter(_decoded([(key, value)])), None)

    def all(self) -> list[ReminderRecord]:
        """Every reminder, cleared ones too, by id."""
        return _decoded(self._rows.range(keys.REMINDER, after(keys.REMINDER)))

    def put(self, record: ReminderRecord) -> None:
        """Stores a reminder."""
        self._rows.set(keys.of_parts(keys.REMINDER, record.id), encode(record))

    def drop(self, ids: Iterable[str]) -> int:
        """Removes reminders; how many there were."""
        return self._rows.delete_many(keys.of_parts(keys.REMINDER, id) for id in ids)


def _decoded(found: Iterable[tuple[str, object]]) -> list[ReminderRecord]:
    records = []
    for key, value in found:
        try:
            records.append(_reminders.decode(value))
        except Undecodable as error:
            _log.error("Row %.80s is damaged and was left out: %s.", key, error)
    return records
