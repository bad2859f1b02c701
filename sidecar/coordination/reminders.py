"""Reminders: texts that are due once or repeatedly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, get_args

import msgspec
import whenever

from sidecar.coordination import when
from sidecar.coordination.when import Every, check_zone, next_after, to_local
from sidecar.runtime.errors import InvalidField
from sidecar.store.memory_store import MemoryStore
from sidecar.store.reminders import ReminderRecord, Reminders
from sidecar.text.secrets import redact

# Changes one reminder: (store, id, now).
ReminderChange = Callable[[MemoryStore, str, int], ReminderRecord]
MAX_TEXT_CHARS = 1_000
# The limit of one workspace.
MAX_OPEN_REMINDERS = 1_000
MAX_CLEARED = 200
_TIMES: Final = ("at", "created_at", "updated_at", "cleared_at")


class NewReminder(msgspec.Struct, frozen=True):
    """A reminder to set."""

    text: str
    at: str  # in one of the forms that `when` reads
    zone: str
    every: Every | None = None
    agent: str | None = None
    session_id: str | None = None
    memory_id: str | None = None
    source: str = "agent"


def put(store: MemoryStore, new: NewReminder, id: str, now: int) -> tuple[ReminderRecord, bool]:
    """Store a reminder, unless one with the same text and times is open; return it and whether it is new.

    A recurring reminder may begin in the past; it is then due next after `now`. Raises InvalidField.
    """
    text = _reminder_text(new.text)
    zone = check_zone(new.zone)
    moment = when.read_moment(new.at, now, zone)
    at: int | None = moment.at
    if moment.at <= now or new.every == "weekdays":
        at = next_after(moment.local, new.every, zone, now)
    if at is None:
        raise InvalidField(
            "That time has passed.", path="$.at", reason="past", hint="Give a future time, or a recurrence."
        )
    record = ReminderRecord(
        id=id,
        text=text,
        at=at,
        first=moment.local.format_iso(),
        zone=zone,
        every=new.every,
        created_at=now,
        updated_at=now,
        agent=new.agent,
        session_id=new.session_id,
        memory_id=new.memory_id,
        source=new.source,
    )
    with store.reminders.changing() as reminders:
        waiting = [reminder for reminder in reminders.all() if reminder.cleared_at is None]
        for reminder in waiting:
            if (reminder.text, reminder.at, reminder.every) == (text, at, new.every):
                return reminder, False
        if len(waiting) >= MAX_OPEN_REMINDERS:
            raise InvalidField(
                f"{MAX_OPEN_REMINDERS:,} reminders are open already.",
                path="$.text",
                reason="tooMany",
                hint="Clear some first.",
            )
        reminders.put(record)
    return record, True


def check_record(record: ReminderRecord) -> ReminderRecord:
    """Return an exported reminder without secrets. Raises InvalidField if nobody could have set it."""
    max_chars = {"id": 64, "zone": 100, "author": 100}
    bad = [name for name, limit in max_chars.items() if len(getattr(record, name) or "") > limit]
    bad += [name for name in _TIMES if not 0 <= (getattr(record, name) or 0) < 2**53]
    if not record.id:
        bad.append("id")
    if record.every not in (None, *get_args(Every)):
        bad.append("every")
    try:
        whenever.PlainDateTime.parse_iso(record.first)
    except ValueError:
        bad.append("first")
    if bad:
        raise InvalidField(f"The reminder's `{bad[0]}` is invalid.", path="$.path", reason="malformed")
    return msgspec.structs.replace(record, text=_reminder_text(record.text))


def restore(reminders: Reminders, record: ReminderRecord) -> bool:
    """Store an exported reminder, unless the stored state is newer; return whether anything changed."""
    existing = reminders.get(record.id)
    if existing is not None and existing.updated_at >= record.updated_at:
        return False
    waits = existing is not None and existing.cleared_at is None
    if (
        record.cleared_at is None
        and not waits
        and sum(reminder.cleared_at is None for reminder in reminders.all()) >= MAX_OPEN_REMINDERS
    ):
        raise InvalidField(f"{MAX_OPEN_REMINDERS:,} reminders are open already.", path="$.path", reason="tooMany")
    reminders.put(record)
    if record.cleared_at is not None:
        drop_past(reminders)
    return True


def clear(store: MemoryStore, id: str, now: int) -> ReminderRecord:
    """Clear a reminder with all its occurrences; one already cleared stays as it is. Raises InvalidField."""
    with store.reminders.changing() as reminders:
        record = _get(reminders, id)
        if record.cleared_at is None:
            record = _mark_cleared(reminders, record, now)
    return record


def advance(store: MemoryStore, id: str, now: int) -> ReminderRecord:
    """Move a reminder to its next occurrence after `now`, or clear it if it does not recur. Raises InvalidField."""
    with store.reminders.changing() as reminders:
        record = _get(reminders, id)
        if record.cleared_at is not None:
            raise InvalidField("This reminder is cleared.", path="$.id", reason="cleared", hint="Set it again.")
        at = _next(record, max(now, record.at))
        if at is None:
            return _mark_cleared(reminders, record, now)
        record = msgspec.structs.replace(record, at=at, updated_at=now)
        reminders.put(record)
    return record


def list_reminders(store: MemoryStore, *, due_at: int | None = None, cleared: bool = False) -> list[ReminderRecord]:
    """Return the open reminders by due time and id.

    With `cleared`, return all; with `due_at`, only those due by then.
    """
    reminders = [reminder for reminder in store.reminders.all() if cleared or reminder.cleared_at is None]
    if due_at is not None:
        reminders = [reminder for reminder in reminders if reminder.at <= due_at and reminder.cleared_at is None]
    return sorted(reminders, key=lambda reminder: (reminder.at, reminder.id))


def _next(record: ReminderRecord, after: int) -> int | None:
    if record.every is None:
        return None
    check_zone(record.zone)  # an export may name a zone unknown here: raise rather than lose the reminder
    try:
        first = whenever.PlainDateTime.parse_iso(record.first)
    except ValueError:  # another program wrote a first time that is none: use the due time
        first = to_local(record.at, record.zone)
    return next_after(first, msgspec.convert(record.every, Every), record.zone, after)


def _mark_cleared(reminders: Reminders, record: ReminderRecord, now: int) -> ReminderRecord:
    record = msgspec.structs.replace(record, cleared_at=now, updated_at=now)
    reminders.put(record)
    drop_past(reminders)
    return record


def drop_past(reminders: Reminders) -> None:
    past = sorted((reminder.cleared_at, reminder.id) for reminder in reminders.all() if reminder.cleared_at is not None)
    reminders.drop(id for _, id in past[:-MAX_CLEARED])


def _get(reminders: Reminders, id: str) -> ReminderRecord:
    record = reminders.get(id)
    if record is None:
        raise InvalidField(
            f"No reminder has the id {id[:100]!r}.",
            path="$.id",
            reason="unknown",
            hint="reminder/list shows the open ones.",
        )
    return record


def _reminder_text(raw_text: str) -> str:
    text = redact(raw_text.strip())[0].strip()
    if not text:
        raise InvalidField("The reminder has no text.", path="$.text", hint="Say what to be reminded of.")
    if len(text) > MAX_TEXT_CHARS:
        raise InvalidField(
            f"The text has {len(text):,} characters; the limit is {MAX_TEXT_CHARS:,}.",
            path="$.text",
            reason="tooLong",
            hint="Shorten it, or record the details as a memory.",
        )
    return text
