"""`summary`: what an agent gets instead of a file."""

from __future__ import annotations

from pathlib import Path

import click

from protocol.files import SummaryResult
from sidecar.cli.options import command, wire_path
from sidecar.cli.output import print_json, print_note, print_text
from sidecar.cli.session import opened


@command("summary", "file/summary")
@click.argument("path")
@click.option(
    "--intent",
    type=click.Choice(["explore", "edit"]),
    default="explore",
    show_default=True,
    help="What the file is wanted for.",
)
def summary_command(path: str, intent: str, workspace: Path | None, as_json: bool) -> None:
    """The briefing of a file."""
    with opened(workspace) as session:
        params = {"path": wire_path(path, workspace), "intent": intent}
        result: SummaryResult = session.call("file/summary", params)
    if as_json:
        print_json(result)
        return
    print_text(result.summary)
    share = f" ({100 * result.tokens // result.file_tokens} %)" if result.file_tokens else ""
    partial = " The file could only be parsed in part." if result.partial else ""
    print_note(f"{result.tokens} of the file's {result.file_tokens} tokens{share}.{partial}")
    if result.advice:
        print_note(result.advice)
