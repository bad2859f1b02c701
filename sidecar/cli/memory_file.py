"""`trust` and `file`: whose word MEMORY.md is, and what is to become of what vanished from it."""

from __future__ import annotations

from pathlib import Path

import click

from protocol.status import MemoryFileStatus
from sidecar.cli.options import command
from sidecar.cli.output import print_json
from sidecar.cli.session import opened
from sidecar.cli.status import print_memory_file

_ANSWERS = {"archive": "archive", "bring-back": "bringBack"}


@command(
    "trust", more="Kept on this machine for this repository, which cannot say it itself. --off takes it back."
)
@click.option("--off", is_flag=True, help="Trust it no more; what became yours stays yours.")
def trust_command(workspace: Path | None, off: bool, as_json: bool) -> None:
    """Let what this repository's MEMORY.md says count as your own word."""
    _tell(workspace, {"trust": not off}, as_json)


@command(
    "file",
    "memory/file",
    "archive: entries that vanished from the file at once were meant to. bring-back: write them again.",
)
@click.argument("answer", required=False, type=click.Choice(list(_ANSWERS)))
def file_command(workspace: Path | None, answer: str | None, as_json: bool) -> None:
    """Bring MEMORY.md and memories in step."""
    _tell(workspace, {} if answer is None else {"vanished": _ANSWERS[answer]}, as_json)


def _tell(workspace: Path | None, params: dict[str, object], as_json: bool) -> None:
    with opened(workspace) as session:
        status: MemoryFileStatus = session.call("memory/file", params)
    if as_json:
        print_json(status)
    else:
        print_memory_file(status)
