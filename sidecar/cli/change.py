"""`archive`, `restore`, `delete`, `resolve`, `reopen`, `promote`: where a memory stands."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from protocol.maintenance import PromoteResult, Wider
from protocol.memories import ANY_AGENT, DeleteResult, Memory
from sidecar.cli.memory_id import every, resolve
from sidecar.cli.options import choice, command
from sidecar.cli.output import one_line, print_json, print_note, short_id
from sidecar.cli.session import opened
from sidecar.cli.times import When

_ID_HELP = "ID is an id, its first or last characters, or a name."


@command("archive", "memory/archive", _ID_HELP)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def archive_command(ids: tuple[str, ...], workspace: Path | None, as_json: bool) -> None:
    """Put away."""
    _stand("memory/archive", "Archived", ids, workspace, as_json)


@command("restore", "memory/restore", f"{_ID_HELP} `list --deleted` shows what was deleted.")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--deleted", is_flag=True, help="All that was deleted, and not purged.")
@click.option("--since", type=When(-1), metavar="TIME", help="With --deleted: since 1h, 7d, or a date.")
def restore_command(
    ids: tuple[str, ...], deleted: bool, since: int | None, workspace: Path | None, as_json: bool
) -> None:
    """Bring back."""
    if bool(ids) == deleted or (since is not None and not deleted):
        raise click.UsageError("Name memories, or bring back all with --deleted [--since TIME].")
    _stand("memory/restore", "Restored", ids, workspace, as_json, since=since)


@command("resolve", "memory/resolve", _ID_HELP)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def resolve_command(ids: tuple[str, ...], workspace: Path | None, as_json: bool) -> None:
    """Blocks no more."""
    _stand("memory/resolve", "Resolved", ids, workspace, as_json)


@command("reopen", "memory/reopen", _ID_HELP)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def reopen_command(ids: tuple[str, ...], workspace: Path | None, as_json: bool) -> None:
    """Blocks again."""
    _stand("memory/reopen", "Open again", ids, workspace, as_json)


@command("promote", "memory/promote", f"{_ID_HELP} From personal to project, from project to global.")
@click.argument("id")
@click.option("--scope", type=choice(Wider), help="Default: the next wider one.")
def promote_command(id: str, scope: str | None, workspace: Path | None, as_json: bool) -> None:
    """Give to more readers."""
    with opened(workspace) as session:
        result: PromoteResult = session.call("memory/promote", {"id": resolve(session, id), "scope": scope})
    if as_json:
        print_json(result)
        return
    memory = result.memory
    said = f"Now {memory.scope}" if result.changed else f"Was {memory.scope} already"
    click.echo(f"{said}: {one_line(memory.name)}  [{short_id(memory.id)}, version {memory.version}]")


@command("delete", "memory/delete", _ID_HELP)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--purge", is_flag=True, help="Forget its history too; cannot be undone.")
@click.option("--yes", is_flag=True, help="Purge without asking.")
def delete_command(
    ids: tuple[str, ...], purge: bool, yes: bool, workspace: Path | None, as_json: bool
) -> None:
    """Forget."""
    with opened(workspace) as session:
        full = [resolve(session, id, deleted=purge) for id in ids]
        if purge and not yes:
            if not sys.stdin.isatty():
                raise click.UsageError("--purge cannot be undone; add --yes when nobody is there to ask.")
            click.confirm(f"Forget {', '.join(ids)} and all history for good?", abort=True, err=True)
        for id in full:
            result: DeleteResult = session.call("memory/delete", {"id": id, "purge": purge})
            if as_json:
                print_json(result)
            elif result.undoable:
                click.echo(f"Deleted {short_id(id)}. To bring it back: memory-sidecar restore {short_id(id)}")
            else:
                click.echo(f"Deleted {short_id(id)} for good.")


def _stand(
    method: str,
    said: str,
    ids: tuple[str, ...],
    workspace: Path | None,
    as_json: bool,
    *,
    since: int | None = None,
) -> None:
    """Do it with each; without ids with all that was deleted `since`, the latest deletion last."""
    with opened(workspace) as session:
        if ids:
            full = [resolve(session, id, deleted=method == "memory/restore") for id in ids]
        else:
            gone = every(session, {"status": ["deleted"], "agent": ANY_AGENT, "since": since})
            full = [memory.id for memory in reversed(gone)]
        for id in full:
            memory: Memory = session.call(method, {"id": id})
            if as_json:
                print_json(memory)
            else:
                click.echo(
                    f"{said}: {one_line(memory.name)}  [{short_id(memory.id)}, version {memory.version}]"
                )
    if not full and not as_json:
        print_note("Nothing was deleted that could be brought back.")
