"""`archive`, `restore`, `delete`, `resolve`, `reopen`, `promote`: where a memory stands."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from protocol.maintenance import PromoteResult, Wider
from protocol.memories import DeleteResult, Memory
from sidecar.cli.memory_id import resolve
from sidecar.cli.options import choice, command
from sidecar.cli.output import one_line, print_json, short_id
from sidecar.cli.session import opened

_ID_HELP = "ID is an id, its first or last characters, or a name."


@command("archive", "memory/archive", _ID_HELP)
@click.argument("id")
def archive_command(id: str, workspace: Path | None, as_json: bool) -> None:
    """Put away."""
    _stand("memory/archive", "Archived", id, workspace, as_json)


@command("restore", "memory/restore", _ID_HELP)
@click.argument("id")
def restore_command(id: str, workspace: Path | None, as_json: bool) -> None:
    """Bring back."""
    _stand("memory/restore", "Restored", id, workspace, as_json)


@command("resolve", "memory/resolve", _ID_HELP)
@click.argument("id")
def resolve_command(id: str, workspace: Path | None, as_json: bool) -> None:
    """Blocks no more."""
    _stand("memory/resolve", "Resolved", id, workspace, as_json)


@command("reopen", "memory/reopen", _ID_HELP)
@click.argument("id")
def reopen_command(id: str, workspace: Path | None, as_json: bool) -> None:
    """Blocks again."""
    _stand("memory/reopen", "Open again", id, workspace, as_json)


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
@click.argument("id")
@click.option("--purge", is_flag=True, help="Forget its history too; cannot be undone.")
@click.option("--yes", is_flag=True, help="Purge without asking.")
def delete_command(id: str, purge: bool, yes: bool, workspace: Path | None, as_json: bool) -> None:
    """Forget."""
    with opened(workspace) as session:
        full = resolve(session, id)
        if purge and not yes:
            memory: Memory = session.call("memory/get", {"id": full})
            if not sys.stdin.isatty():
                raise click.UsageError("--purge cannot be undone; add --yes when nobody is there to ask.")
            click.confirm(f"Forget “{one_line(memory.name)}” and its history for good?", abort=True, err=True)
        result: DeleteResult = session.call("memory/delete", {"id": full, "purge": purge})
    if as_json:
        print_json(result)
    elif result.undoable:
        click.echo(f"Deleted {short_id(result.id)}. To bring it back: memory-sidecar undo {result.id}")
    else:
        click.echo(f"Deleted {short_id(result.id)} for good.")


def _stand(method: str, said: str, id: str, workspace: Path | None, as_json: bool) -> None:
    with opened(workspace) as session:
        memory: Memory = session.call(method, {"id": resolve(session, id)})
    if as_json:
        print_json(memory)
    else:
        click.echo(f"{said}: {one_line(memory.name)}  [{short_id(memory.id)}, version {memory.version}]")
