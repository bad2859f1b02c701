"""`bootstrap`: first facts of a project from its own files."""

from __future__ import annotations

from pathlib import Path

import click

from protocol import exchange
from sidecar.cli.bar import call_with_bar
from sidecar.cli.options import command
from sidecar.cli.output import print_json, print_note, print_text
from sidecar.cli.session import opened

_MARKS = {"created": "+", "merged": "~", "duplicate": "=", "forgotten": "-", "refused": "!", "skipped": "!"}


@command(
    "bootstrap",
    "memory/bootstrap",
    more="A fact whose files have changed is brought up to date, unless it was edited here. What was deleted stays so.",
)
@click.option("--dry-run", is_flag=True, help="Show the facts, and store nothing.")
def bootstrap_command(dry_run: bool, workspace: Path | None, as_json: bool) -> None:
    """Record first facts."""
    with opened(workspace) as session:
        result: exchange.BootstrapResult = call_with_bar(
            session, "memory/bootstrap", {"dryRun": dry_run}, "reading the project"
        )
    if as_json:
        print_json(result)
        return
    for fact in result.facts:
        print_text(f"{_MARKS[fact.outcome]} {fact.name}  [{', '.join(fact.files)}]")
        print_text("\n".join(f"    {line}" for line in fact.content.splitlines()))
        if fact.reason:
            print_text(f"    ({fact.outcome}: {fact.reason})")
    new = sum(fact.outcome in ("created", "merged") for fact in result.facts)
    verb = "Would record" if dry_run else "Recorded"
    known = len(result.facts) - new
    print_note(
        f"{verb} {new} of {len(result.facts)} facts{'; the others are known' if known else ''}."
        if result.facts
        else "No file here says what the project is: no README, manifest or CI file that is known."
    )
