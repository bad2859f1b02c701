"""`status`: what the sidecar holds for this workspace."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

import click

from protocol.status import MemoryFileStatus, StatusResult, WorkspaceStatus
from sidecar.cli.failure import warn
from sidecar.cli.options import command
from sidecar.cli.output import Row, one_line, print_json, print_table, waiting
from sidecar.cli.session import opened

READERS = {
    "endpoint": "the endpoint",
    "command": "the command",
    "client": "the model of an MCP client that offers it",
}
_STATES = {
    "leftAlone": "left alone",
    "held": "left alone until you say",
    "current": "in step",
    "absent": "not made yet",
}


@command(
    "status", "sidecar/status", "Of this command's own engine on the stores; a running server has its own."
)
def status_command(workspace: Path | None, as_json: bool) -> None:
    """Health and sizes."""
    with opened(workspace) as session:
        result: StatusResult = session.call("sidecar/status", {})
    if as_json:
        print_json(result)
        return
    click.echo(f"memory-sidecar {result.version}, memory is {'on' if result.enabled else 'off'}")
    for one in result.workspaces:
        _print_workspace(one, session.told)
    if result.model_tokens_today:
        click.echo(f"models     {result.model_tokens_today:,} tokens used today (UTC), over all workspaces")


def _print_workspace(status: WorkspaceStatus, told: Set[str]) -> None:
    counts = ", ".join(f"{count} {scope}" for scope, count in status.memories.items() if count) or "none"
    click.echo(f"workspace  {one_line(status.uri)}")
    click.echo(f"identity   {status.id}")
    if status.alone:
        warn(f"This folder has a memory of its own: {status.alone}.")
    click.echo(f"memories   {counts}")
    if status.candidates:
        click.echo(f"candidates {waiting(status.candidates)}: memory-sidecar review")
    click.echo(f"files      {status.files} contents remembered, {status.facets} facets")
    if status.memory_file is not None:
        print_memory_file(status.memory_file)
    if status.embedding is not None:
        why = ". ".join(part for part in (status.embedding.reason, status.embedding.hint) if part)
        _print_state("meaning", status.embedding.model, status.embedding.state, why)
    if status.model is not None:
        name = f"{status.model.name or 'none'}, {status.model.waiting} questions wait"
        _print_state("model", name, status.model.state, status.model.detail)
        if status.model.sessions != "off":
            click.echo(
                f"sessions   read by {READERS[status.model.sessions]}, {status.model.sessions_today} today"
            )
    trackers = status.trackers
    if trackers is not None and (trackers.state != "off" or trackers.detail):
        found = f"{trackers.known} found, {trackers.missing} not found, {trackers.resolved} blockers resolved"
        where = f"{trackers.host}/{trackers.project}" if trackers.host else "none"
        _print_state(
            "issues", f"{where}, {found}" if trackers.host else where, trackers.state, trackers.detail
        )
    click.echo()
    print_table(
        ("bytes", "schema", "store"),
        [Row((f"{store.bytes:,}", str(store.schema_version), store.path)) for store in status.stores],
    )
    for store in status.stores:
        if store.notice and not any(text in store.notice for text in told):
            warn(store.notice)


def print_memory_file(status: MemoryFileStatus) -> None:
    """How it stands with MEMORY.md."""
    _print_state("file", status.path, status.state, status.detail)
    if status.trusted:
        click.echo(f"{'':<11}the repository is trusted: what it says there counts as your word")


def _print_state(label: str, what: str, state: str, detail: str | None) -> None:
    click.echo(f"{label:<11}{one_line(what)}: {_STATES.get(state, state)}")
    if detail:
        click.echo(f"{'':<11}{one_line(detail)}")
