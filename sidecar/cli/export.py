"""`export`: memories as JSON Lines that `import` restores exactly."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click

from protocol import exchange, memories
from sidecar.cli.bar import call_with_bar
from sidecar.cli.options import choice, command
from sidecar.cli.output import print_json, print_note
from sidecar.cli.session import opened


@command(
    "export",
    "memory/export",
    more="Ids, times, versions, links, access counts, reminders, candidates and facts about files are in it; "
    "sessions are not. The file can hold what is personal: it is written for you alone to read. --json prints a "
    "summary instead of a note, and needs --output.",
)
@click.option(
    "--scope", "scopes", multiple=True, type=choice(memories.Scope), help="Only these. Default: all."
)
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Default: stdout."
)
@click.option("--no-history", is_flag=True, help="Leave earlier versions out.")
@click.option("--deleted", is_flag=True, help="Also what was deleted and could still be undone.")
def export_command(
    scopes: tuple[str, ...],
    output: Path | None,
    no_history: bool,
    deleted: bool,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Write memories out."""
    if as_json and output is None:
        raise click.UsageError("--json needs --output: the export itself goes to stdout.")
    params = {"scopes": list(scopes) or None, "history": not no_history, "deleted": deleted}
    count, cursor, first = 0, None, True
    with opened(workspace) as session, _target(output) as target:
        while first or cursor is not None:
            first = False
            page: exchange.ExportResult = call_with_bar(
                session, "memory/export", {**params, "cursor": cursor}, "exporting memories"
            )
            for line in page.lines:
                target.write(line.encode() + b"\n")
            count += page.memories
            cursor = page.cursor
    if output is not None and as_json:
        print_json({"path": str(output), "memories": count})
    else:
        print_note(f"{count} memories exported{f' to {output}' if output is not None else ''}.")


@contextlib.contextmanager
def _target(output: Path | None) -> Iterator[BinaryIO]:
    """Stdout, or a file that is there whole or, after an error, as it was."""
    if output is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
    except OSError as error:
        raise click.UsageError(f"{output} cannot be written: {error.strerror}.") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, output)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
