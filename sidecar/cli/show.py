"""`show` (also `get`): one memory in full."""

from __future__ import annotations

from pathlib import Path

import click

from protocol.memories import Memory
from sidecar.cli.memory_id import resolve
from sidecar.cli.options import command
from sidecar.cli.output import one_line, plain, print_json
from sidecar.cli.session import opened
from sidecar.cli.times import age, date, now_ms

_ID_HELP = "ID is an id, its first or last characters, or a name."


@command("show", "memory/get", _ID_HELP)
@click.argument("id")
def show_command(id: str, workspace: Path | None, as_json: bool) -> None:
    """One memory."""
    with opened(workspace) as session:
        memory: Memory = session.call("memory/get", {"id": resolve(session, id)})
    if as_json:
        print_json(memory)
    else:
        print_memory(memory)


def print_memory(memory: Memory) -> None:
    """A memory as a person reads it: what it is, line by line, then its text."""
    now = now_ms()
    kind = f"{memory.type}, {memory.category}" if memory.category else memory.type
    click.secho(one_line(memory.name), bold=True)
    lines = [
        ("id", memory.id),
        ("kind", f"{kind}; {memory.scope}; {memory.status}{'; pinned' if memory.pinned else ''}"),
        ("about", memory.description),
        ("agent", memory.agent),
        ("session", memory.session_id),
        ("tags", ", ".join(memory.tags)),
        ("files", ", ".join(memory.files)),
        ("names", ", ".join(reference.text for reference in memory.references)),
        ("source", memory.source),
        ("created", f"{date(memory.created_at)}, {age(memory.created_at, now)}"),
        ("updated", f"{date(memory.updated_at)}, {age(memory.updated_at, now)}; version {memory.version}"),
        ("shown", f"in {memory.access_count} sessions" if memory.access_count else ""),
        ("expires", f"{date(memory.expires_at)}, {age(memory.expires_at, now)}" if memory.expires_at else ""),
        ("replaces", memory.supersedes),
    ]
    for label, value in lines:
        if value:
            click.echo(f"  {label:<9}{one_line(value)}")
    click.echo()
    click.echo(plain(memory.content))
