"""`boot`, `entity`, `sessions`, `remind`, `reminders`: the start of a session, who works here, and what is due."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from protocol import reminders
from protocol.context import BootResult, CloseResult, EntityResult
from protocol.memories import IdParams, InjectParams
from protocol.sessions import ListSessionsResult
from sidecar.cli.command_calls import CommandCalls
from sidecar.cli.memory_id import match_id, resolve
from sidecar.cli.options import Cli, choice, command, limit_option, text_or_stdin
from sidecar.cli.output import TableRow, print_note, print_table, print_text
from sidecar.cli.times import age
from sidecar.cli.wording import candidates_waiting, printable_line, short_id, title
from sidecar.engine.start_text import MAX_TOKENS, StartText, start_text
from sidecar.runtime.clock import epoch_ms


@command("boot")
@click.option(
    "--budget-tokens", "--budget", type=click.IntRange(min=1), help="Maximum number of tokens. Default: 3000."
)
@click.option("--agent", metavar="NAME", help="The agent that will read it.")
@click.option("--session-id", metavar="ID", help="The session that asks; it is not listed.")
def boot_command(cli: Cli, **options: Any) -> None:
    """Show what an agent is told when a session starts.

    That is: memories that matter for any task, blockers, reminders, and who works on what. --json omits the memories.
    """
    boot: BootResult | StartText
    if cli.as_json:
        boot = cli.ask("context/boot", cli.params(options))
    else:
        with cli.open_calls() as calls:
            budget = options.pop("budget_tokens") or min(MAX_TOKENS, calls.injected_tokens)
            boot = start_text(calls.request, InjectParams(**options), budget)
    if boot.text:
        print_text(boot.text)
    elif not boot.omitted:
        print_note("There is nothing to show yet.")
    if boot.omitted:
        print_note(f"{boot.omitted} items did not fit: raise --budget-tokens.")
    if boot.waiting:
        print_note(f"{candidates_waiting(boot.waiting)}: memory-sidecar review")


@command("entity")
@click.argument("entity")
@click.option("--closed", is_flag=True, help="Say that it was closed or merged: resolve blockers that name only it.")
@limit_option
def entity_command(cli: Cli, entity: str, closed: bool, limit: int | None) -> None:
    """List memories about an issue, user, file or symbol.

    ENTITY is #12, !3, &4, group/project!12, @user, a URL, a file, or a symbol. Quote it from the shell.
    """
    entity_name = cli.path(entity) if Path(entity).is_file() else entity
    if closed:
        _print_closed(cli.ask("context/close", {"entity": entity_name}))
        return
    result: EntityResult = cli.ask("context/entity", {"entity": entity_name, "limit": limit})
    if result.tracked is not None:
        labels = f" [{', '.join(result.tracked.labels)}]" if result.tracked.labels else ""
        by = f", by {result.tracked.author}" if result.tracked.author else ""
        click.echo(printable_line(f"{result.tracked.state}: {result.tracked.title}{labels}{by}"))
    if not result.items:
        print_note(f"No memory names {printable_line(result.entity)}.")
        return
    now = epoch_ms()
    rows = []
    for item in result.items:
        memory = item.memory
        links = ", ".join(f"{link.link.kind} {short_id(link.id)}" for link in item.links)
        kind, changed = memory.category or memory.type, age(memory.updated_at, now)
        below = "" if memory.content.strip() == memory.name else memory.content[:160]
        rows.append(TableRow((short_id(memory.id), title(memory.name), kind, memory.status, changed, links), below))
    print_table(("id", "name", "category", "status", "age", "links"), rows)
    if result.total > len(result.items):
        print_note(f"{result.total - len(result.items)} more: --limit shows them.")


@command("sessions")
@click.option("--all", is_flag=True, help="Also sessions that have ended or expired.")
@limit_option
def sessions_command(cli: Cli, **options: Any) -> None:
    """List the agents at work here, their work and claimed items."""
    result: ListSessionsResult = cli.ask("session/list", options)
    if not result.items:
        print_note("There are no sessions here." if options["all"] else "No agent is working here now.")
        return
    now = epoch_ms()
    rows = []
    for other in result.items:
        claims = ", ".join(f"{claim.item} ({age(claim.claimed_at, now)})" for claim in other.claims)
        seen = (age(other.started_at, now), age(other.heartbeat_at, now))
        cells = (other.session_id, other.agent or "", other.state, *seen, other.working_on or "")
        rows.append(TableRow(cells, f"has claimed: {claims}" if claims else other.summary or ""))
    print_table(("session", "agent", "state", "started", "last seen", "works on"), rows)


@command("remind")
@click.argument("at", metavar="WHEN")
@click.argument("text", nargs=-1)
@click.option("--every", "recurrence", type=choice(reminders.Recurrence), help="Repeat the reminder.")
@click.option("--timezone", metavar="ZONE", help="For example Europe/Berlin. Default: this machine's time zone.")
@click.option("--memory", metavar="ID", help="The memory of the reminder; its name is the default TEXT.")
def remind_command(cli: Cli, text: tuple[str, ...], memory: str | None, **options: Any) -> None:
    """Set a reminder.

    WHEN is 2026-12-01T10:00, +2h, 'in 3 days', 17:00, 'tomorrow 9am', 'friday 17:00' or 'next monday'.
    """
    if memory is not None:
        with cli.open_calls() as calls:
            reminded = calls.memory_get(IdParams(id=resolve(calls, memory)))
        options["memoryId"], text = reminded.id, text or (title(reminded.name),)
    result: reminders.SetReminderResult = cli.ask("reminder/set", {**options, "text": text_or_stdin(text, "TEXT")})
    already = "" if result.created else " (it was set already)"
    click.echo(f"{_reminder_line(result.reminder)}{already}")


@command("reminders")
@click.option("--due", is_flag=True, help="Only what is due now.")
@click.option("--all", is_flag=True, help="Also cleared ones.")
@click.option("--clear", metavar="ID", help="Mark this reminder as done.")
@click.option("--advance", metavar="ID", help="Move this reminder to its next time.")
@limit_option
def reminders_command(cli: Cli, clear: str | None, advance: str | None, **options: Any) -> None:
    """List reminders by time, clear them or move them on."""
    if clear is not None and advance is not None:
        raise click.UsageError("--clear and --advance cannot be given together.")
    if clear is not None or advance is not None:
        with cli.open_calls() as calls:
            change = calls.reminder_clear if clear is not None else calls.reminder_advance
            changed = change(reminders.ReminderParams(id=_resolve_reminder(calls, clear or advance or "")))
        cli.end_with_json(changed)
        cleared = f"Cleared {short_id(changed.id)}  {printable_line(changed.text)}"
        click.echo(cleared if changed.cleared_at is not None else _reminder_line(changed))
        return
    result: reminders.ListRemindersResult = cli.ask("reminder/list", options)
    if not result.items:
        print_note("Nothing is due." if options["due"] else "There are no reminders here.")
        return
    rows = []
    for reminder in result.items:
        state = "cleared" if reminder.cleared_at is not None else "due" if reminder.due else ""
        if reminder.delivered_to is not None:
            state = f"due on {reminder.delivered_to}"
        text = reminder.text if reminder.author is None else f"{reminder.text} (by {reminder.author})"
        rows.append(TableRow((short_id(reminder.id), text, reminder.local, reminder.recurrence or "", state)))
    print_table(("id", "text", "when", "every", "state"), rows)


def _print_closed(result: CloseResult) -> None:
    for memory in result.resolved:
        click.echo(f"Resolved {short_id(memory.id)}  {title(memory.name)}")
    for remaining in result.left:
        click.echo(
            f"Left open {short_id(remaining.id)}: it also names {', '.join(map(printable_line, remaining.others))}"
        )
    if not result.resolved and not result.left:
        print_note(f"No open blocker names {printable_line(result.entity)}.")


def _resolve_reminder(calls: CommandCalls, ref: str) -> str:
    """Return the full id of a reminder for a part of the id. Raises InvalidField."""
    all_reminders = calls.reminder_list(reminders.ListRemindersParams(all=True, limit=200))
    return match_id({reminder.id: reminder.text for reminder in all_reminders.items}, ref, "reminders") or ref


def _reminder_line(reminder: reminders.Reminder) -> str:
    again = f", then {reminder.recurrence}" if reminder.recurrence is not None else ""
    return f"{short_id(reminder.id)}  {reminder.local} {reminder.timezone}{again}: {printable_line(reminder.text)}"
