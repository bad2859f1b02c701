"""`reminder/*`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from protocol import reminders as wire
from sidecar.coordination import reminders
from sidecar.coordination.zoned import check_zone, iso
from sidecar.engine.handlers.family import Family
from sidecar.engine.wire_mapping import struct
from sidecar.memories import limits
from sidecar.runtime.cancellation import Call
from sidecar.runtime.errors import InvalidField
from sidecar.store.records import ReminderRecord

_LOCALTIME = Path("/etc/localtime")


class RemindersHandler(Family):
    def reminder_set(self, params: wire.SetReminderParams, call: Call) -> wire.SetReminderResult:
        _, opened = self._services.find(params.workspace_uri)
        opened.require_enabled()
        now = self._services.clock()
        if params.memory_id is not None:
            opened.book.get(params.memory_id)  # raises if there is no such memory
        reminder = reminders.NewReminder(
            text=params.text,
            at=params.at,
            zone=params.timezone or local_zone(os.environ),
            every=params.recurrence,
            agent=limits.agent(params.agent),
            session_id=limits.session(params.session_id),
            memory_id=params.memory_id,
            source=self._services.source(call),
        )
        record, created = reminders.put(opened.memories, reminder, self._services.new_id(now), now)
        return wire.SetReminderResult(reminder=shown(record, now), created=created)

    def reminder_clear(self, params: wire.ReminderParams, call: Call) -> wire.Reminder:
        return self._change(params, reminders.clear)

    def reminder_advance(self, params: wire.ReminderParams, call: Call) -> wire.Reminder:
        return self._change(params, reminders.advance)

    def reminder_list(self, params: wire.ListRemindersParams, call: Call) -> wire.ListRemindersResult:
        _, opened = self._services.find(params.workspace_uri)
        opened.require_enabled()
        now = self._services.clock()
        listed = reminders.listed(opened.memories, due_at=now if params.due else None, cleared=params.all)
        return wire.ListRemindersResult(items=[shown(reminder, now) for reminder in listed[: params.limit]])

    def _change(self, params: wire.ReminderParams, change: reminders.ReminderChange) -> wire.Reminder:
        _, opened = self._services.find(params.workspace_uri)
        opened.require_enabled()
        now = self._services.clock()
        return shown(change(opened.memories, params.id, now), now)


def shown(record: ReminderRecord, now: int) -> wire.Reminder:
    return struct(
        wire.Reminder,
        record,
        local=_local(record),
        timezone=record.zone,
        due=record.at <= now and record.cleared_at is None,
        recurrence=record.every,
    )


def local_zone(environ: Mapping[str, str]) -> str:
    """Return the time zone of this machine: `TZ`, else the target of /etc/localtime, else UTC."""
    names = [environ.get("TZ", "").lstrip(":")]
    names.append(os.path.realpath(_LOCALTIME))
    for name in names:
        name = re.sub(r"^.*/zoneinfo/", "", name)
        if name and not name.startswith("/"):
            try:
                return check_zone(name)
            except InvalidField:
                continue
    return "UTC"


def _local(record: ReminderRecord) -> str:
    try:
        return iso(record.at, check_zone(record.zone))
    except InvalidField:  # set on a machine that knows more zones
        return iso(record.at, "UTC")
