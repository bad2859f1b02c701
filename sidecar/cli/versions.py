"""`history` and `undo`: what a memory was before."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from protocol.memories import HistoryResult, Memory, Version
from sidecar.cli.memory_id import resolve
from sidecar.cli.options import command
from sidecar.cli.output import Row, one_line, print_json, print_table, short_id
from sidecar.cli.session import Session, opened
from sidecar.cli.times import age, date, now_ms
from sidecar.errors import MemoryNotFound

_ID_HELP = "ID is an id, its first or last characters, or a name. A deleted memory needs its full id."
_ID_LENGTH = 36
_BOOKKEEPING = frozenset({"version", "updated_at", "access_count", "accessed_at", "references", "entities"})


@command("history", "memory/history", _ID_HELP)
@click.argument("id")
def history_command(id: str, workspace: Path | None, as_json: bool) -> None:
    """Versions."""
    with opened(workspace) as session:
        result: HistoryResult = session.call("memory/history", {"id": _any(session, id)})
    if as_json:
        print_json(result)
        return
    now = now_ms()
    earlier = [*result.versions[1:], None]
    print_table(
        ("version", "change", "when", "age", "what"),
        [
            Row(
                (
                    str(version.version),
                    version.change,
                    date(version.at),
                    age(version.at, now),
                    _what(version, before),
                )
            )
            for version, before in zip(result.versions, earlier, strict=True)
        ],
    )


@command("undo", "memory/undo", _ID_HELP)
@click.argument("id")
def undo_command(id: str, workspace: Path | None, as_json: bool) -> None:
    """Step back."""
    with opened(workspace) as session:
        memory: Memory = session.call("memory/undo", {"id": _any(session, id)})
    if as_json:
        print_json(memory)
        return
    click.echo(f"Stepped back: {one_line(memory.name)}  [{short_id(memory.id)}, version {memory.version}]")
    click.echo(f"  {one_line(memory.content)[:200]}")


def _any(session: Session, given: str) -> str:
    """The full id, also of a memory that is deleted and so cannot be found by part of it."""
    try:
        return resolve(session, given)
    except MemoryNotFound:
        if len(given) != _ID_LENGTH:
            raise
        return given


def _what(version: Version, before: Version | None) -> str:
    """What this change touched, against the version before."""
    now, then = version.memory, before.memory if before else None
    if now is None:
        return ""
    if then is None:
        return one_line(now.content)[:80]
    changed = [
        field.encode_name
        for field in msgspec.structs.fields(Memory)
        if field.name not in _BOOKKEEPING and getattr(now, field.name) != getattr(then, field.name)
    ]
    return ", ".join(changed)
