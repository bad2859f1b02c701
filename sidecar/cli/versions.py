"""`history`, `undo` and `redo`: what a memory was before, and the way back and forth."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from protocol.memories import HistoryResult, Memory, Version
from sidecar.cli.memory_id import resolve
from sidecar.cli.options import command
from sidecar.cli.output import one_line, plain, print_json, short_id
from sidecar.cli.session import opened
from sidecar.cli.times import age, date, now_ms

_ID_HELP = "ID is an id, its first or last characters, or a name; of a deleted memory too."
_BOOKKEEPING = frozenset(
    {"version", "updated_at", "access_count", "accessed_at", "references", "entities", "content"}
)


@command(
    "history", "memory/history", f"{_ID_HELP} Each version with what it changed: + is new, - was before."
)
@click.argument("id")
def history_command(id: str, workspace: Path | None, as_json: bool) -> None:
    """Versions."""
    with opened(workspace) as session:
        result: HistoryResult = session.call("memory/history", {"id": resolve(session, id, deleted=True)})
    if as_json:
        print_json(result)
        return
    now = now_ms()
    for place, version in enumerate(result.versions):
        before = next((each.memory for each in result.versions[place + 1 :] if each.memory), None)
        fields = _fields(version.memory, before)
        click.echo(
            f"{version.version:>3}  {date(version.at)}  {version.change}, {age(version.at, now)}"
            + (f": {one_line(', '.join(fields))}" if fields else "")
        )
        for line in _text(version, before):
            click.echo(f"     {plain(line)}")


@command("undo", "memory/undo", _ID_HELP)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def undo_command(ids: tuple[str, ...], workspace: Path | None, as_json: bool) -> None:
    """Step back."""
    _step("memory/undo", "Stepped back", ids, workspace, as_json)


@command("redo", "memory/redo", _ID_HELP)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def redo_command(ids: tuple[str, ...], workspace: Path | None, as_json: bool) -> None:
    """Step forth again."""
    _step("memory/redo", "Done again", ids, workspace, as_json)


def _step(method: str, said: str, ids: tuple[str, ...], workspace: Path | None, as_json: bool) -> None:
    with opened(workspace) as session:
        for id in [resolve(session, each, deleted=True) for each in ids]:
            memory: Memory = session.call(method, {"id": id})
            if as_json:
                print_json(memory)
                continue
            gone = ", and so it is gone" if memory.status == "deleted" else ""
            click.echo(
                f"{said}{gone}: {one_line(memory.name)}  [{short_id(memory.id)}, version {memory.version}]"
            )
            click.echo(f"  {one_line(memory.content)[:200]}")


def _fields(now: Memory | None, then: Memory | None) -> list[str]:
    """What else a change touched, against the version before."""
    if now is None or then is None:
        return []
    return [
        f"{field.encode_name} {getattr(then, field.name)} → {getattr(now, field.name)}"
        for field in msgspec.structs.fields(Memory)
        if field.name not in _BOOKKEEPING and getattr(now, field.name) != getattr(then, field.name)
    ]


def _text(version: Version, before: Memory | None) -> Iterator[str]:
    """The lines that came and went; of the first version all."""
    from difflib import ndiff

    if version.memory is not None:
        earlier = before.content.splitlines() if before is not None else []
        for line in ndiff(earlier, version.memory.content.splitlines()):
            if line[0] in "+-":
                yield line
