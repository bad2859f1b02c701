"""`remind` and `reminders`: set a reminder; list, advance and clear them."""

from __future__ import annotations

from pathlib import Path

import click

from protocol.reminders import ListRemindersResult, Recurrence, Reminder, SetReminderResult
from sidecar.cli.options import choice, command, text_or_stdin
from sidecar.cli.output import Row, one_line, print_json, print_note, print_table, short_id
from sidecar.cli.session import Session, opened
from sidecar.runtime.errors import InvalidField

_SHORTEST = 4


@command(
    "remind",
    "reminder/set",
    "WHEN is 2026-12-01T10:00, +2h, 'in 3 days', 17:00, 'tomorrow 9am', 'friday 17:00', 'next monday'; TEXT is words.",
)
@click.argument("when", metavar="WHEN")
@click.argument("text", nargs=-1)
@click.option("--every", type=choice(Recurrence), help="Again and again.")
@click.option("--timezone", metavar="ZONE", help="Such as Europe/Berlin. Default: this machine's.")
def remind_command(
    when: str,
    text: tuple[str, ...],
    every: str | None,
    timezone: str | None,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Set a reminder."""
    params = {"at": when, "text": text_or_stdin(text, "TEXT"), "recurrence": every, "timezone": timezone}
    with opened(workspace) as session:
        result: SetReminderResult = session.call("reminder/set", params)
    if as_json:
        print_json(result)
        return
    known = "" if result.created else " (as it was set before)"
    click.echo(f"{short_id(result.reminder.id)}  {_due(result.reminder)}{known}")


@command("reminders", "reminder/list", "Those due are marked; an ID may be shortened to its last characters.")
@click.option("--due", is_flag=True, help="Only what is due now.")
@click.option("--all", "every", is_flag=True, help="Also what was cleared.")
@click.option("--clear", metavar="ID", help="This one is done with.")
@click.option("--advance", metavar="ID", help="On to its next time.")
@click.option("--limit", type=click.IntRange(1, 200), help="At most so many.")
def reminders_command(
    due: bool,
    every: bool,
    clear: str | None,
    advance: str | None,
    limit: int | None,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """List reminders."""
    if clear is not None and advance is not None:
        raise click.UsageError("--clear and --advance cannot be given together.")
    with opened(workspace) as session:
        given = clear if clear is not None else advance
        if given is not None:
            _change(session, "reminder/clear" if clear is not None else "reminder/advance", given, as_json)
            return
        result: ListRemindersResult = session.call(
            "reminder/list", {"due": due, "all": every, "limit": limit}
        )
    if as_json:
        print_json(result)
        return
    if not result.items:
        print_note("Nothing is due." if due else "No reminder waits here.")
        return
    print_table(
        ("id", "text", "when", "every", "state"),
        [
            Row((short_id(one.id), one.text, one.local, one.recurrence or "", _state(one)))
            for one in result.items
        ],
    )


def _change(session: Session, method: str, given: str, as_json: bool) -> None:
    result: Reminder = session.call(method, {"id": _resolve(session, given)})
    if as_json:
        print_json(result)
    elif result.cleared_at is not None:
        click.echo(f"Cleared {short_id(result.id)}  {one_line(result.text)}")
    else:
        click.echo(f"{short_id(result.id)}  {_due(result)}")


def _resolve(session: Session, given: str) -> str:
    """The full id of a reminder given by the end of its id. Raises InvalidField."""
    listed: ListRemindersResult = session.call("reminder/list", {"all": True, "limit": 200})
    fits = [
        one.id
        for one in listed.items
        if one.id == given or (len(given) >= _SHORTEST and one.id.endswith(given.lower()))
    ]
    if len(fits) > 1:
        raise InvalidField(f"{len(fits)} reminders fit {given!r}.", path="$.id", hint="Give more of the id.")
    return fits[0] if fits else given


def _state(one: Reminder) -> str:
    return "cleared" if one.cleared_at is not None else "due" if one.due else ""


def _due(one: Reminder) -> str:
    again = f", then {one.recurrence}" if one.recurrence is not None else ""
    return f"{one.local} {one.timezone}{again}: {one_line(one.text)}"
