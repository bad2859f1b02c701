"""`boot` and `entity`: what to know at the start of a session, and what is known of one thing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from protocol.context import BootResult, CloseResult, EntityResult, Part
from sidecar.cli.options import choice, command, wire_path
from sidecar.cli.output import (
    Row,
    one_line,
    print_json,
    print_note,
    print_table,
    print_text,
    short_id,
    waiting,
)
from sidecar.cli.session import opened
from sidecar.cli.times import age, now_ms


@command("boot", "context/boot")
@click.option(
    "--budget-tokens", "--budget", type=click.IntRange(min=1), help="Tokens at most. Default: 2000."
)
@click.option("--agent", metavar="NAME", help="The agent that is to read it.")
@click.option("--session-id", metavar="ID", help="The session that asks, which is not listed itself.")
@click.option("--include", multiple=True, type=choice(Part), help="Only these parts.")
def boot_command(workspace: Path | None, as_json: bool, **given: Any) -> None:
    """What to know at the start."""
    params = {
        "budgetTokens": given["budget_tokens"],
        "agent": given["agent"],
        "sessionId": given["session_id"],
        "include": list(given["include"]) or None,
    }
    with opened(workspace) as session:
        result: BootResult = session.call("context/boot", params)
    if as_json:
        print_json(result)
        return
    if result.text:
        print_text(result.text)
    elif not result.omitted:
        print_note("Nothing to tell yet.")
    if result.omitted:
        print_note(f"{result.omitted} items had no room: --budget-tokens gives more.")
    if result.waiting:
        print_note(f"{waiting(result.waiting)}: memory-sidecar review")


@command(
    "entity",
    "context/entity",
    "ENTITY is #12, !3, &4, group/project!12, @user, a URL, a file, or a symbol. Quote it from the shell.",
)
@click.argument("entity")
@click.option(
    "--closed", is_flag=True, help="It was closed or merged: resolve the blockers that name only it."
)
@click.option("--limit", type=click.IntRange(1, 200), help="At most so many.")
def entity_command(
    entity: str, closed: bool, limit: int | None, workspace: Path | None, as_json: bool
) -> None:
    """What is known of a thing."""
    named = wire_path(entity, workspace) if Path(entity).is_file() else entity
    with opened(workspace) as session:
        if closed:
            _print_closed(session.call("context/close", {"entity": named}), as_json)
            return
        result: EntityResult = session.call("context/entity", {"entity": named, "limit": limit})
    if as_json:
        print_json(result)
        return
    if result.tracked is not None:
        labels = f" [{', '.join(result.tracked.labels)}]" if result.tracked.labels else ""
        by = f", by {result.tracked.author}" if result.tracked.author else ""
        click.echo(one_line(f"{result.tracked.state}: {result.tracked.title}{labels}{by}"))
    if not result.items:
        print_note(f"No memory names {one_line(result.entity)}.")
        return
    now = now_ms()
    print_table(
        ("id", "name", "category", "status", "age", "links"),
        [
            Row(
                (
                    short_id(one.memory.id),
                    one.memory.name,
                    one.memory.category or one.memory.type,
                    one.memory.status,
                    age(one.memory.updated_at, now),
                    ", ".join(f"{link.link.kind} {short_id(link.id)}" for link in one.links),
                ),
                below=one.memory.content[:160] if one.memory.content.strip() != one.memory.name else "",
            )
            for one in result.items
        ],
    )
    if result.total > len(result.items):
        print_note(f"{result.total - len(result.items)} more: --limit shows them.")


def _print_closed(result: CloseResult, as_json: bool) -> None:
    if as_json:
        print_json(result)
        return
    for memory in result.resolved:
        click.echo(f"Resolved {short_id(memory.id)}  {one_line(memory.name)}")
    for left in result.left:
        click.echo(f"Left {short_id(left.id)}: it also names {', '.join(map(one_line, left.others))}")
    if not result.resolved and not result.left:
        print_note(f"No open blocker names {one_line(result.entity)}.")
