"""`record`: remember something."""

from __future__ import annotations

from pathlib import Path

import click

from protocol import memories
from sidecar.cli.failure import warn
from sidecar.cli.options import choice, command, text_or_stdin, wire_paths
from sidecar.cli.output import one_line, print_json, short_id
from sidecar.cli.session import opened
from sidecar.cli.times import When

_SAID = {"created": "Remembered", "merged": "Merged into", "duplicate": "Known already"}


@command(
    "record",
    "memory/record",
    "CONTENT is the text, as words or - for stdin. The same name again adds to what was recorded under it.",
)
@click.argument("content", nargs=-1)
@click.option("--name", help="What it is known by; made from the text when missing.")
@click.option("--description", help="One line about it.")
@click.option("--type", type=choice(memories.MemoryType), default="project", show_default=True)
@click.option("--scope", type=choice(memories.Scope), help="Default: personal for type user, else project.")
@click.option("--category", type=choice(memories.Category))
@click.option("--agent", metavar="NAME", help="Only this agent is to see it.")
@click.option("--session-id", metavar="ID")
@click.option("--files", "--file", multiple=True, metavar="PATH", help="A file it is about. Repeatable.")
@click.option("--tags", "--tag", multiple=True, metavar="TAG", help="Repeatable.")
@click.option("--expires-at", type=When(1), metavar="TIME", help="Left out afterwards: 7d, 12h, or a date.")
@click.option("--pinned", is_flag=True, help="Never grows old.")
def record_command(
    content: tuple[str, ...],
    name: str | None,
    description: str | None,
    type: str,
    scope: str | None,
    category: str | None,
    agent: str | None,
    session_id: str | None,
    files: tuple[str, ...],
    tags: tuple[str, ...],
    expires_at: int | None,
    pinned: bool,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Store one memory."""
    params = {
        "content": text_or_stdin(content, "CONTENT"),
        "name": name,
        "description": description,
        "type": type,
        "scope": scope,
        "category": category,
        "agent": agent,
        "sessionId": session_id,
        "files": wire_paths(files, workspace),
        "tags": list(tags),
        "expiresAt": expires_at,
        "pinned": pinned,
    }
    with opened(workspace) as session:
        result: memories.RecordResult = session.call("memory/record", params)
    if as_json:
        print_json(result)
        return
    stored = result.memory
    click.echo(
        f"{_SAID[result.status]}: {one_line(stored.name)}  "
        f"[{short_id(stored.id)}, {stored.type}, {stored.scope}, version {stored.version}]"
    )
    for redaction in result.redactions:
        times = "" if redaction.count == 1 else f" ({redaction.count} times)"
        warn(f"taken out of {redaction.field} before it was stored: {redaction.kind}{times}.")
    for near in result.similar:
        click.echo(f"  similar: {one_line(near.name)}  [{short_id(near.id)}, {near.score:.2f}]")
