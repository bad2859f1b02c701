"""`reminder/*`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from protocol import reminders as api
from sidecar.coordination import reminders
from sidecar.coordination.when import check_zone, format_local
from sidecar.engine.mapping import to_wire
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.options import SourceOf
from sidecar.memories.recording import checks
from sidecar.runtime.cancellation import Context
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField
from sidecar.store.reminders import ReminderRecord

_LOCALTIME = Path("/etc/localtime")


class RemindersHandler:
    def __init__(self, clock: Clock, new_id: Callable[[int], str], source: SourceOf) -> None:
        self._clock, self._new_id, self._source = clock, new_id, source

    def reminder_set(
        self, params: api.SetReminderParams, workspace: OpenWorkspace, context: Context
    ) -> api.SetReminderResult:
        now = self._clock()
        if params.memory_id is not None:
            workspace.book.searcher.get(params.memory_id)  # raises MemoryNotFound
        reminder = reminders.NewReminder(
            text=params.text,
            at=params.at,
            zone=params.timezone or local_zone(os.environ),
            every=params.recurrence,
            agent=checks.check_agent(params.agent),
            session_id=checks.check_session(params.session_id),
            memory_id=params.memory_id,
            source=self._source(context),
        )
        record, created = reminders.put(workspace.memory_store, reminder, self._new_id(now), now)
        _share_soon(workspace)
        return api.SetReminderResult(reminder=reminder_struct(record, now), created=created)

    def reminder_clear(self, params: api.ReminderParams, workspace: OpenWorkspace, context: Context) -> api.Reminder:
        return self._change(params, workspace, reminders.clear)

    def reminder_advance(self, params: api.ReminderParams, workspace: OpenWorkspace, context: Context) -> api.Reminder:
        return self._change(params, workspace, reminders.advance)

    def reminder_list(
        self, params: api.ListRemindersParams, workspace: OpenWorkspace, context: Context
    ) -> api.ListRemindersResult:
        now = self._clock()
        listed = (
            due_reminders(workspace, now)
            if params.due
            else reminders.list_reminders(workspace.memory_store, cleared=params.all)
        )
        return api.ListRemindersResult(items=[reminder_struct(reminder, now) for reminder in listed[: params.limit]])

    def _change(
        self, params: api.ReminderParams, workspace: OpenWorkspace, change: reminders.ReminderChange
    ) -> api.Reminder:
        now = self._clock()
        changed = change(workspace.memory_store, params.id, now)
        _share_soon(workspace)
        return reminder_struct(changed, now)


def due_reminders(workspace: OpenWorkspace, now: int) -> list[ReminderRecord]:
    """Return the reminders that are due and that no other machine delivers."""
    delivered = None if workspace.team is None else workspace.team.due_reminders(now)
    return reminders.list_reminders(workspace.memory_store, due_at=now) if delivered is None else delivered


def _share_soon(workspace: OpenWorkspace) -> None:
    if workspace.team is not None:
        workspace.team.push_soon()


def reminder_struct(record: ReminderRecord, now: int) -> api.Reminder:
    delivered_to = record.delivered_to if record.delivered_for == record.at else None
    return to_wire(
        api.Reminder,
        record,
        local=_local(record),
        timezone=record.zone,
        due=(record.at <= now or record.delivered_for == record.at) and record.cleared_at is None,
        recurrence=record.every,
        delivered_offline=record.delivered_offline or None,
        delivered_to=delivered_to.partition("/")[0][:100] if delivered_to is not None else None,
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
        return format_local(record.at, check_zone(record.zone))
    except InvalidField:  # set on a machine that knows more zones
        return format_local(record.at, "UTC")
