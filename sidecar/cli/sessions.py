"""`sessions`: who works here, on what, and what is claimed."""

from __future__ import annotations

from pathlib import Path

import click

from protocol.sessions import ListSessionsResult, Session
from sidecar.cli.options import command
from sidecar.cli.output import Row, print_json, print_note, print_table
from sidecar.cli.session import opened
from sidecar.cli.times import age, now_ms


@command("sessions", "session/list")
@click.option("--all", "every", is_flag=True, help="Also those that ended or expired.")
@click.option("--limit", type=click.IntRange(1, 200), help="At most so many.")
def sessions_command(every: bool, limit: int | None, workspace: Path | None, as_json: bool) -> None:
    """Who works here."""
    with opened(workspace) as session:
        result: ListSessionsResult = session.call("session/list", {"all": every, "limit": limit})
    if as_json:
        print_json(result)
        return
    if not result.items:
        print_note("Nobody works here now." if not every else "No session is known here.")
        return
    now = now_ms()
    print_table(
        ("session", "agent", "state", "started", "last sign", "works on"),
        [
            Row(
                (
                    one.session_id,
                    one.agent or "",
                    one.state,
                    age(one.started_at, now),
                    age(one.heartbeat_at, now),
                    one.working_on or "",
                ),
                below=_below(one, now),
            )
            for one in result.items
        ],
    )


def _below(one: Session, now: int) -> str:
    if one.claims:
        return "has claimed: " + ", ".join(
            f"{each.item} ({age(each.claimed_at, now)})" for each in one.claims
        )
    return one.summary or ""
