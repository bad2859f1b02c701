"""`maintain`: merge duplicates, let the unused fade, archive, promote; or show what would be done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from protocol import maintenance
from sidecar.cli.failure import warn
from sidecar.cli.options import choice, command
from sidecar.cli.output import Row, print_json, print_note, print_table, short_id
from sidecar.cli.session import opened


@command(
    "maintain",
    "memory/maintain",
    "Nothing is deleted: what goes is archived, and `memory-sidecar restore` brings it back. Similar memories are "
    "proposed for merging and left alone until a proposal is applied.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be done, and write nothing.")
@click.option("--step", "steps", multiple=True, type=choice(maintenance.Step), help="Only this. Repeatable.")
@click.option("--apply", multiple=True, metavar="PROPOSAL", help="Carry out a proposal. Repeatable.")
@click.option("--dismiss", multiple=True, metavar="PROPOSAL", help="Propose this no more. Repeatable.")
def maintain_command(
    dry_run: bool,
    steps: tuple[str, ...],
    apply: tuple[str, ...],
    dismiss: tuple[str, ...],
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Tidy up."""
    params: dict[str, Any] = {"dryRun": dry_run, "apply": list(apply), "dismiss": list(dismiss)}
    with opened(workspace) as session:
        result: maintenance.MaintainResult = session.call(
            "memory/maintain", {**params, "steps": list(steps) or None}
        )
    if as_json:
        print_json(result)
        return
    _print_actions(result)
    _print_proposals(result)
    done = ", ".join(f"{step} {count}" for step, count in result.counts.items() if count)
    verb = "Would change" if dry_run else "Changed"
    print_note(f"{verb}: {done}." if done else "Nothing to do.")
    if result.switched_off:
        print_note(f"Switched off by settings: {', '.join(result.switched_off)}.")
    if result.detail:
        warn(result.detail)


def _print_actions(result: maintenance.MaintainResult) -> None:
    rows = [Row((short_id(one.id), one.name, one.scope, one.step, one.reason)) for one in result.actions]
    rows += [
        Row((short_id(one.id), one.name, one.scope, f"{one.step}: left", one.reason)) for one in result.left
    ]
    if rows:
        print_table(("id", "name", "scope", "step", "why"), rows)
    if result.more:
        print_note(f"And {result.more} more.")


def _print_proposals(result: maintenance.MaintainResult) -> None:
    if not result.proposals:
        return
    print_table(
        ("proposal", "keep", "other", "what", "similar"),
        [
            Row((one.id, one.keep_name, one.other_name, one.kind, f"{one.score:.2f}"))
            for one in result.proposals
        ],
    )
    print_note("To carry one out: memory-sidecar maintain --apply PROPOSAL")
