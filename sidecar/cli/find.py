"""`search` and `list`: memories by text and by filter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from protocol import memories
from sidecar.cli.options import choice, command, filters, text_or_stdin, wire_paths
from sidecar.cli.output import Row, print_json, print_note, print_table, short_id
from sidecar.cli.session import opened
from sidecar.cli.times import age, now_ms


@command("search", "memory/search", "QUERY is words, or - for stdin. Best first.")
@click.argument("query", nargs=-1)
@filters
def search_command(query: tuple[str, ...], workspace: Path | None, as_json: bool, **given: Any) -> None:
    """Find memories."""
    params = {"query": text_or_stdin(query, "QUERY"), **_wire(given, workspace)}
    with opened(workspace) as session:
        result: memories.SearchResult = session.call("memory/search", params)
    if as_json:
        print_json(result)
        return
    if not result.items:
        print_note("Nothing found.")
        return
    now = now_ms()
    agents = any(hit.memory.agent for hit in result.items)
    print_table(
        ("id", "name", "type", "scope", *(("agent",) if agents else ()), "age", "score", "why"),
        [
            Row(
                (
                    short_id(hit.memory.id),
                    hit.memory.name,
                    _kind(hit.memory),
                    hit.memory.scope,
                    *((hit.memory.agent or "",) if agents else ()),
                    age(hit.memory.updated_at, now),
                    f"{hit.score:.2f}",
                    ", ".join(hit.reasons),
                ),
                below=_below(hit.memory),
            )
            for hit in result.items
        ],
    )
    _more(result.cursor)


@command("list", "memory/list")
@click.option("--status", multiple=True, type=choice(memories.Status), help="Only those that stand so.")
@click.option(
    "--deleted", is_flag=True, help="What was deleted and can be restored; TIME is that of deletion."
)
@filters
def list_command(
    status: tuple[str, ...], deleted: bool, workspace: Path | None, as_json: bool, **given: Any
) -> None:
    """Memories by filter."""
    shown = ["deleted"] if deleted else list(status) or None
    params = {"status": shown, **_wire(given, workspace)}
    with opened(workspace) as session:
        result: memories.ListResult = session.call("memory/list", params)
    if as_json:
        print_json(result)
        return
    if not result.items:
        print_note("Nothing is remembered here that fits.")
        return
    now = now_ms()
    agents = any(memory.agent for memory in result.items)
    print_table(
        ("id", "name", "type", "scope", *(("agent",) if agents else ()), "age", "status"),
        [
            Row(
                (
                    short_id(memory.id),
                    memory.name,
                    _kind(memory),
                    memory.scope,
                    *((memory.agent or "",) if agents else ()),
                    age(memory.updated_at, now),
                    memory.status,
                ),
                below=_below(memory),
            )
            for memory in result.items
        ],
    )
    _more(result.cursor)


def _wire(given: dict[str, Any], workspace: Path | None) -> dict[str, Any]:
    """The shared filters under their wire names; an empty list means no filter."""
    return {
        "scopes": list(given["scopes"]) or None,
        "types": list(given["types"]) or None,
        "categories": list(given["categories"]) or None,
        "agent": given["agent"],
        "files": wire_paths(given["files"], workspace) or None,
        "since": given["since"],
        "include": list(given["include"]),
        "limit": given["limit"],
        "cursor": given["cursor"],
    }


def _kind(memory: memories.Memory) -> str:
    return f"{memory.type}/{memory.category}" if memory.category else memory.type


def _below(memory: memories.Memory) -> str:
    """What the name does not say: the description, else the beginning of the text."""
    text = memory.description or memory.content
    return "" if text.strip() == memory.name.strip() else text[:160]


def _more(cursor: str | None) -> None:
    if cursor is not None:
        print_note(f"There is more: --cursor {cursor}")
