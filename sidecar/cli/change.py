"""`archive`, `restore`, `delete`, `resolve`, `reopen`, `promote`: the state of a memory; `history`, `undo`, `redo`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from difflib import ndiff
from typing import Any

import click
import msgspec

from protocol.calls import Calls
from protocol.maintenance import PromoteParams, Wider
from protocol.memories import ANY_AGENT, ArchiveParams, DeleteParams, IdParams, Memory, RateParams, Version
from sidecar.cli.command_calls import CommandCalls
from sidecar.cli.memory_id import all_pages, resolve
from sidecar.cli.options import Cli, archive_filters, choice, command, ids_argument
from sidecar.cli.output import print_json, print_note, print_titled
from sidecar.cli.times import When, age, date
from sidecar.cli.wording import counted, printable, printable_line, short_id, title
from sidecar.runtime.clock import epoch_ms

# `undo` without an id lists this many changes.
_MAX_LISTED_CHANGES = 5
_BOOKKEEPING_FIELDS = frozenset(
    {"version", "updated_at", "access_count", "accessed_at", "references", "entities", "content"}
)


@command("archive")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--reason", metavar="TEXT", help="Why; `memory-sidecar history` shows it.")
@archive_filters
@click.option("--before", type=When(-1), metavar="TIME", help="Not changed since 90d, last month, march, or a date.")
@click.option("--dry-run", is_flag=True, help="List what would be archived.")
@click.option("--yes", is_flag=True, help="Do not ask before archiving what filters match.")
def archive_command(
    cli: Cli, ids: tuple[str, ...], reason: str | None, before: int | None, dry_run: bool, yes: bool, **options: Any
) -> None:
    """Archive memories; agents no longer see them.

    Name memories, or give filters that they must all match. `memory-sidecar restore` brings archived memories back.
    """
    filtered = before is not None or any(options.values())
    if bool(ids) == filtered:
        raise click.UsageError("Name memories, or choose them by filters: --type, --category, --tag, --before, ...")
    with cli.open_calls() as calls:
        if ids:
            chosen = [calls.memory_get(IdParams(id=resolve(calls, ref))) for ref in ids]
        else:
            chosen = _matching_memories(calls, cli.params(options), before)
        if dry_run:
            cli.end_with_json({"items": chosen})
            for memory in chosen:
                print_titled("Would archive", memory)
            return
        if not (ids or yes or _confirm_archiving(cli, chosen)):
            print_note("Nothing was changed.")
            return
        for memory in chosen:
            _report(cli, calls.memory_archive(ArchiveParams(id=memory.id, reason=reason)), "Archived")
    if not chosen and not cli.as_json:
        print_note("Nothing matches these filters.")


def _matching_memories(calls: CommandCalls, filters: dict[str, Any], before: int | None) -> list[Memory]:
    tags = set(filters.pop("tags") or ())
    return [
        memory
        for memory in all_pages(calls, {**filters, "agent": ANY_AGENT, "include": ["resolved", "expired"]})
        if (before is None or memory.updated_at < before) and (not tags or not tags.isdisjoint(memory.tags))
    ]


def _confirm_archiving(cli: Cli, chosen: Sequence[Memory]) -> bool:
    """Ask whether to archive these memories. Raises a usage error without a terminal."""
    if not chosen:
        return True
    if cli.as_json or not sys.stdin.isatty():
        matches = counted(len(chosen), "memory matches", "memories match")
        raise click.UsageError(f"{matches}: add --yes to archive, or --dry-run to list.")
    for memory in chosen:
        print_titled("To archive", memory)
    return click.confirm(f"Archive {len(chosen)}?", err=True)


@command("useful")
@ids_argument
@click.option("--not", "not_useful", is_flag=True, help="They were not useful.")
def useful_command(cli: Cli, ids: tuple[str, ...], not_useful: bool) -> None:
    """Rate memories as useful, or as not useful (--not).

    A rating changes a memory's weight and how likely it is shown for a prompt. The opposite rating cancels it.
    """
    verb = "Not useful" if not_useful else "Useful"
    with cli.open_calls() as calls:
        for id in [resolve(calls, ref) for ref in ids]:
            memory = calls.memory_rate(RateParams(id=id, useful=not not_useful))
            _report(cli, memory, verb, f"useful {memory.useful} ×, not useful {memory.not_useful} ×")


@command("restore")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--deleted", is_flag=True, help="Everything that was deleted and not purged.")
@click.option("--since", type=When(-1), metavar="TIME", help="With --deleted: since 1h, yesterday, or a date.")
def restore_command(cli: Cli, ids: tuple[str, ...], deleted: bool, since: int | None) -> None:
    """Restore archived or deleted memories.

    `memory-sidecar list --deleted` shows what was deleted.
    """
    if bool(ids) == deleted or (since is not None and not deleted):
        raise click.UsageError("Name memories, or restore all with --deleted [--since TIME].")
    if ids:
        _change_each(cli, ids, Calls.memory_restore, "Restored", deleted=True)
        return
    with cli.open_calls() as calls:
        memories = all_pages(calls, {"status": ["deleted"], "agent": ANY_AGENT, "since": since})
        for memory in reversed(memories):  # the latest deletion last
            _report(cli, calls.memory_restore(IdParams(id=memory.id)), "Restored")
    if not memories and not cli.as_json:
        print_note("There are no deleted memories to restore.")


@command("resolve")
@ids_argument
def resolve_command(cli: Cli, ids: tuple[str, ...]) -> None:
    """Mark blockers as resolved; `reopen` undoes it."""
    _change_each(cli, ids, Calls.memory_resolve, "Resolved")


@command("reopen")
@ids_argument
def reopen_command(cli: Cli, ids: tuple[str, ...]) -> None:
    """Mark resolved blockers as open; agents see them again."""
    _change_each(cli, ids, Calls.memory_reopen, "Open again")


@command("undo")
@click.argument("ids", nargs=-1, metavar="[ID]...")
def undo_command(cli: Cli, ids: tuple[str, ...]) -> None:
    """Undo a memory's last change.

    Repeat the command to go further back. It works on deleted memories too. Without ID, list the latest changes.
    """
    if ids:
        _change_each(cli, ids, Calls.memory_undo, "Undone", deleted=True)
        return
    with cli.open_calls() as calls:
        changed = all_pages(calls, {"agent": ANY_AGENT, "include": ["archived", "resolved", "expired"]})
        changed += all_pages(calls, {"agent": ANY_AGENT, "status": ["deleted"]})
        latest = sorted(changed, key=lambda memory: -memory.updated_at)[:_MAX_LISTED_CHANGES]
        changes = [calls.memory_history(IdParams(id=memory.id)).versions[0] for memory in latest]
    cli.end_with_json({"items": latest})
    for memory, version in zip(latest, changes, strict=True):
        print_titled(version.change.capitalize(), memory, age(version.at, epoch_ms()))
    print_note("To undo one: memory-sidecar undo ID." if latest else "Nothing has been changed yet.")


@command("redo")
@ids_argument
def redo_command(cli: Cli, ids: tuple[str, ...]) -> None:
    """Redo the last undone change, also of deleted memories."""
    _change_each(cli, ids, Calls.memory_redo, "Redone", deleted=True)


@command("promote")
@click.argument("id")
@click.option("--scope", type=choice(Wider), help="Default: the next wider one.")
def promote_command(cli: Cli, id: str, scope: Wider | None) -> None:
    """Give a memory a wider scope.

    A personal memory becomes the project's, a project's memory global. It is merged with a memory of the same name.
    """
    with cli.open_calls() as calls:
        result = calls.memory_promote(PromoteParams(id=resolve(calls, id), scope=scope))
    cli.end_with_json(result)
    memory = result.memory
    outcome = f"Now {memory.scope}" if result.changed else f"Already {memory.scope}"
    print_titled(outcome, memory, f"version {memory.version}")


@command("delete")
@ids_argument
@click.option("--purge", is_flag=True, help="Forget its history too; cannot be undone.")
@click.option("--yes", is_flag=True, help="Purge without asking.")
def delete_command(cli: Cli, ids: tuple[str, ...], purge: bool, yes: bool) -> None:
    """Delete memories; they are not learned again.

    `memory-sidecar restore` brings them back unless they were purged.
    """
    with cli.open_calls() as calls:
        full = [resolve(calls, id, deleted=purge) for id in ids]
        if purge and not yes:
            if not sys.stdin.isatty():
                raise click.UsageError("--purge cannot be undone: confirm it in a terminal, or add --yes.")
            click.confirm(f"Forget {', '.join(ids)} and all history for good?", abort=True, err=True)
        for id in full:
            result = calls.memory_delete(DeleteParams(id=id, purge=purge))
            undo = f". To restore it: memory-sidecar restore {short_id(id)}" if result.undoable else " for good."
            if cli.as_json:
                print_json(result)
            else:
                click.echo(f"Deleted {short_id(id)}{undo}")


@command("history")
@click.argument("id")
def history_command(cli: Cli, id: str) -> None:
    """Show a memory's versions, newest first.

    Each version shows the lines it added (+) and removed (-). Works on deleted memories too.
    """
    with cli.open_calls() as calls:
        result = calls.memory_history(IdParams(id=resolve(calls, id, deleted=True)))
    cli.end_with_json(result)
    now = epoch_ms()
    for index, version in enumerate(result.versions):
        reason = f": {printable_line(version.reason)}" if version.reason else ""
        click.echo(f"{version.version:>3}  {date(version.at)}  {version.change}, {age(version.at, now)}{reason}")
        _print_changes(version, result.versions[index + 1 :], " " * 5)


def _change_each(
    cli: Cli, ids: tuple[str, ...], change: Callable[[Calls, IdParams], Memory], verb: str, *, deleted: bool = False
) -> None:
    with cli.open_calls() as calls:
        for params in [IdParams(id=resolve(calls, ref, deleted=deleted)) for ref in ids]:
            memory = change(calls, params)
            _report(cli, memory, verb)
            if change in (Calls.memory_undo, Calls.memory_redo) and not cli.as_json and memory.status != "deleted":
                now, *before = calls.memory_history(params).versions
                _print_changes(now, before, "  ")


def _report(cli: Cli, memory: Memory, verb: str, detail: str = "") -> None:
    if cli.as_json:
        print_json(memory)
        return
    deleted = " (now deleted)" if memory.status == "deleted" else ""
    print_titled(verb + deleted, memory, detail or f"version {memory.version}")


def _print_changes(version: Version, earlier: Sequence[Version], indent: str) -> None:
    """Print the fields and lines that changed since the last of the `earlier` versions."""
    before = next((older.memory for older in earlier if older.memory is not None), None)
    for line in (*_changed_fields(version.memory, before), *_changed_lines(version, before)):
        click.echo(f"{indent}{printable(line)}")


def _changed_fields(after: Memory | None, before: Memory | None) -> list[str]:
    """Return the changed fields, except the content, with their old and new values."""
    if after is None or before is None:
        return []
    return [
        printable_line(f"{field.encode_name}: {getattr(before, field.name)} → {getattr(after, field.name)}")
        for field in msgspec.structs.fields(Memory)
        if field.name not in _BOOKKEEPING_FIELDS
        and getattr(after, field.name) != getattr(before, field.name)
        and not (field.name == "name" and title(after.name) == title(before.name))
    ]


def _changed_lines(version: Version, before: Memory | None) -> Iterator[str]:
    if version.memory is not None:
        earlier = before.content.splitlines() if before is not None else []
        for line in ndiff(earlier, version.memory.content.splitlines()):
            if line[0] in "+-":
                yield line
