"""`warm`: read the workspace now, so that the first summary of each file is there already."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from protocol.status import StatusResult
from sidecar.cli.options import command
from sidecar.cli.output import print_json
from sidecar.cli.session import Session, opened

_CAUSE = "asked on the command line"


@command(
    "warm",
    more="What was read before and has not changed is not read again. Interrupting keeps what was read. "
    "--json prints the status afterwards.",
)
def warm_command(workspace: Path | None, as_json: bool) -> int:
    """Read and outline the files of the workspace now."""
    started = time.monotonic()
    with opened(workspace) as session:
        try:
            with _progress() as progress:
                session.engine.warm_up(progress, _CAUSE)
        except KeyboardInterrupt:
            session.engine.cancel_warm_up()
            raise
        status: StatusResult = session.call("sidecar/status", {})
    if as_json:
        print_json(status)
    seconds = time.monotonic() - started
    failed = False
    for one in status.workspaces:
        failed = failed or one.warmup.state == "failed"
        if not as_json:
            read = f"{one.warmup.done} read now" if one.warmup.done else "none were new"
            click.echo(f"{one.files} contents remembered; {read}, in {seconds:.1f} s.")
    if failed:
        click.echo("The reading failed; the log says why.", err=True)
    return 1 if failed else 0


def read_ahead(session: Session) -> None:
    """Read what is new, with a bar on a terminal: an answer about all files is about those that are known."""
    with _progress() as progress:
        session.engine.warm_up(progress, _CAUSE)


@contextmanager
def _progress() -> Iterator[Callable[[int, int, str], None]]:
    """A bar on a terminal (stderr, so that a result can be piped), silence elsewhere."""
    if not sys.stderr.isatty():
        yield lambda done, total, message: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading files", total=None)

        def step(done: int, total: int, message: str) -> None:
            bar.update(task, completed=done, total=total, description=message)

        yield step
