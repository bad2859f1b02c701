"""`boot`, `entity`, `sessions`, `remind`, `reminders`: what to know at the start, who works here, what is due."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from protocol.context import BootResult, CloseResult, EntityResult, Part
from protocol.memories import Memory
from protocol.reminders import ListRemindersResult, Recurrence, Reminder, SetReminderResult
from protocol.sessions import ListSessionsResult
from sidecar.cli.memory_id import one_of, resolve
from sidecar.cli.options import Here, choice, command, limit_option, text_or_stdin
from sidecar.cli.output import TableRow, one_line, print_note, print_table, print_text, short_id, title, waiting
from sidecar.cli.session import CommandSession
from sidecar.cli.times import age, now_ms


@command("boot")
@click.option("--budget-tokens", "--budget", type=click.IntRange(min=1), help="Tokens at most. Default: 2000.")
@click.option("--agent", metavar="NAME", help="The agent that will read it.")
@click.option("--session-id", metavar="ID", help="The session that asks, which is not listed itself.")
@click.option("--include", multiple=True, type=choice(Part), help="Only these parts.")
def boot_command(here: Here, **given: Any) -> None:
    """Show what an agent is told when a session starts.

    Standing instructions, blockers, reminders, and who works on what.
    """
    result: BootResult = here.ask("context/boot", here.wire(given))
    if result.text:
        print_text(result.text)
    elif not result.omitted:
        print_note("Nothing to tell yet.")
    if result.omitted:
        print_note(f"{result.omitted} items had no room: --budget-tokens gives more.")
    if result.waiting:
        print_note(f"{waiting(result.waiting)}: memory-sidecar review")


@command("entity")
@click.argument("entity")
@click.option("--closed", is_flag=True, help="It was closed or merged: resolve blockers that name nothing else.")
@limit_option
def entity_command(here: Here, entity: str, closed: bool, limit: int | None) -> None:
    """List memories about an issue, user, file or symbol.

    ENTITY is #12, !3, &4, group/project!12, @user, a URL, a file, or a symbol. Quote it from the shell.
    """
    named = here.path(entity) if Path(entity).is_file() else entity
    if closed:
        _print_closed(here.ask("context/close", {"entity": named}))
        return
    result: EntityResult = here.ask("context/entity", {"entity": named, "limit": limit})
    if result.tracked is not None:
        labels = f" [{', '.join(result.tracked.labels)}]" if result.tracked.labels else ""
        by = f", by {result.tracked.author}" if result.tracked.author else ""
        click.echo(one_line(f"{result.tracked.state}: {result.tracked.title}{labels}{by}"))
    if not result.items:
        print_note(f"No memory names {one_line(result.entity)}.")
        return
    now = now_ms()
    rows = []
    for one in result.items:
        memory = one.memory
        links = ", ".join(f"{link.link.kind} {short_id(link.id)}" for link in one.links)
        kind, changed = memory.category or memory.type, age(memory.updated_at, now)
        below = "" if memory.content.strip() == memory.name else memory.content[:160]
        rows.append(TableRow((short_id(memory.id), title(memory.name), kind, memory.status, changed, links), below))
    print_table(("id", "name", "category", "status", "age", "links"), rows)
    if result.total > len(result.items):
        print_note(f"{result.total - len(result.items)} more: --limit shows them.")


@command("sessions")
@click.option("--all", is_flag=True, help="Also sessions that have ended or expired.")
@limit_option
def sessions_command(here: Here, **given: Any) -> None:
    """List the agents at work here, and on what.

    With the items that each has claimed.
    """
    result: ListSessionsResult = here.ask("session/list", given)
    if not result.items:
        print_note("No session is known here." if given["all"] else "Nobody works here now.")
        return
    now = now_ms()
    rows = []
    for one in result.items:
        claims = ", ".join(f"{each.item} ({age(each.claimed_at, now)})" for each in one.claims)
        seen = (age(one.started_at, now), age(one.heartbeat_at, now))
        cells = (one.session_id, one.agent or "", one.state, *seen, one.working_on or "")
        rows.append(TableRow(cells, f"has claimed: {claims}" if claims else one.summary or ""))
    print_table(("session", "agent", "state", "started", "last sign", "works on"), rows)


@command("remind")
@click.argument("at", metavar="WHEN")
@click.argument("text", nargs=-1)
@click.option("--every", "recurrence", type=choice(Recurrence), help="Repeat it.")
@click.option("--timezone", metavar="ZONE", help="Such as Europe/Berlin. Default: this machine's.")
@click.option("--memory", metavar="ID", help="The memory it hangs on, whose name is the default of TEXT.")
def remind_command(here: Here, text: tuple[str, ...], memory: str | None, **given: Any) -> None:
    """Set a reminder.

    WHEN is 2026-12-01T10:00, +2h, 'in 3 days', 17:00, 'tomorrow 9am', 'friday 17:00' or 'next monday'. TEXT is words.
    """
    if memory is not None:
        with here.opened() as session:
            about: Memory = session.call("memory/get", {"id": resolve(session, memory)})
        given["memoryId"], text = about.id, text or (title(about.name),)
    result: SetReminderResult = here.ask("reminder/set", {**given, "text": text_or_stdin(text, "TEXT")})
    known = "" if result.created else " (as it was set before)"
    click.echo(f"{_due(result.reminder)}{known}")


@command("reminders")
@click.option("--due", is_flag=True, help="Only what is due now.")
@click.option("--all", is_flag=True, help="Also what was cleared.")
@click.option("--clear", metavar="ID", help="Mark this reminder as done.")
@click.option("--advance", metavar="ID", help="Move this reminder to its next time.")
@limit_option
def reminders_command(here: Here, clear: str | None, advance: str | None, **given: Any) -> None:
    """List reminders by time, clear them or move them on.

    ID may be shortened.
    """
    if clear is not None and advance is not None:
        raise click.UsageError("--clear and --advance cannot be given together.")
    if clear is not None or advance is not None:
        method = "reminder/clear" if clear is not None else "reminder/advance"
        with here.opened() as session:
            changed: Reminder = session.call(method, {"id": _resolve(session, clear or advance or "")})
        here.end_with_json(changed)
        cleared = f"Cleared {short_id(changed.id)}  {one_line(changed.text)}"
        click.echo(cleared if changed.cleared_at is not None else _due(changed))
        return
    result: ListRemindersResult = here.ask("reminder/list", given)
    if not result.items:
        print_note("Nothing is due." if given["due"] else "No reminder waits here.")
        return
    rows = []
    for one in result.items:
        state = "cleared" if one.cleared_at is not None else "due" if one.due else ""
        rows.append(TableRow((short_id(one.id), one.text, one.local, one.recurrence or "", state)))
    print_table(("id", "text", "when", "every", "state"), rows)


def _print_closed(result: CloseResult) -> None:
    for memory in result.resolved:
        click.echo(f"Resolved {short_id(memory.id)}  {title(memory.name)}")
    for left in result.left:
        click.echo(f"Left {short_id(left.id)}: it also names {', '.join(map(one_line, left.others))}")
    if not result.resolved and not result.left:
        print_note(f"No open blocker names {one_line(result.entity)}.")


def _resolve(session: CommandSession, given: str) -> str:
    """Return the full id of a reminder given by a part of it. Raises InvalidField."""
    listed: ListRemindersResult = session.call("reminder/list", {"all": True, "limit": 200})
    return one_of({one.id: one.text for one in listed.items}, given, "reminders") or given


def _due(one: Reminder) -> str:
    again = f", then {one.recurrence}" if one.recurrence is not None else ""
    return f"{short_id(one.id)}  {one.local} {one.timezone}{again}: {one_line(one.text)}"
