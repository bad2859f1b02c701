"""`status`: what the sidecar holds for this workspace."""

from __future__ import annotations

from pathlib import Path

import click

from protocol.status import StatusResult, WorkspaceStatus
from sidecar.cli.failure import warn
from sidecar.cli.options import command
from sidecar.cli.output import Row, one_line, print_json, print_table
from sidecar.cli.session import opened


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
        _print_workspace(one)


def _print_workspace(status: WorkspaceStatus) -> None:
    counts = ", ".join(f"{count} {scope}" for scope, count in status.memories.items() if count) or "none"
    click.echo(f"workspace  {one_line(status.uri)}")
    click.echo(f"identity   {status.id}")
    click.echo(f"memories   {counts}")
    click.echo(f"files      {status.files} contents remembered, {status.facets} facets")
    click.echo()
    print_table(
        ("bytes", "schema", "store"),
        [Row((f"{store.bytes:,}", str(store.schema_version), store.path)) for store in status.stores],
    )
    for store in status.stores:
        if store.notice:
            warn(store.notice)
