"""`tour`: demonstrate the sidecar on the current folder."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

import click

from sidecar import __version__
from sidecar.cli.options import Cli, command
from sidecar.cli.output import print_json, print_line, wrap_lines
from sidecar.cli.tour.play import Claim, Tour, TourStep, TourTranscript
from sidecar.cli.wording import printable
from sidecar.settings import load
from sidecar.store.location import data_home

# A failed tour shows this much of the server's log.
_MAX_LOG_LINES = 40
_MAX_STEP_LINES = 28
_MAX_COLUMNS = 100
_NEXT_STEPS = """
To remember:  memory-sidecar record "Run the tests with -q" --type user
To find:      memory-sidecar search tests
For a file:   memory-sidecar summary README.md
For agents:   memory-sidecar setup
To check:     memory-sidecar doctor"""


@command("tour")
def tour_command(cli: Cli) -> int:
    """Try it on the current folder, leaving nothing behind.

    Runs a short session with a real server. Your files are only read: a copy is edited, and a temporary store holds the
    memory. The exit code is 0 if everything that is shown really happened.
    """
    began = time.monotonic()
    folder = (cli.workspace or Path.cwd()).resolve()
    steps: list[TourStep] = []
    if not cli.as_json:
        click.secho("memory-sidecar: a short tour", bold=True)
        print_line(f"In {folder}. Your files are only read; the edited file and the memory are temporary.")
    with tempfile.TemporaryDirectory(prefix="memory-sidecar-tour-", ignore_cleanup_errors=True) as name:
        temporary = Path(name).resolve()
        with Tour(folder, temporary, os.environ) as tour:
            for step in tour.steps():
                steps.append(step)
                if not cli.as_json:
                    _print_step(len(steps), step)
        ok = bool(steps) and steps[-1].name == "inject" and all(step.ok for step in steps)
        log_file = temporary / "sidecar.log"
        lines = log_file.read_text("utf-8", "replace").splitlines() if not ok and log_file.exists() else []
        log = lines[-_MAX_LOG_LINES:]
    transcript = TourTranscript(
        version=__version__, folder=str(folder), ok=ok, seconds=round(time.monotonic() - began, 2), steps=steps, log=log
    )
    if cli.as_json:
        print_json(transcript)
    else:
        _print_end(transcript)
    return 0 if ok else 1


def _print_step(number: int, step: TourStep) -> None:
    click.secho(f"\n{number}. {step.title}", bold=True, fg="cyan" if step.ok else "red")
    columns = min(_MAX_COLUMNS, shutil.get_terminal_size().columns) - 4
    lines = wrap_lines(printable(step.text).expandtabs(4), columns).splitlines()
    for line in lines[:_MAX_STEP_LINES]:
        click.echo(f"  │ {line}".rstrip())
    if len(lines) > _MAX_STEP_LINES:
        click.echo(f"  │ … {len(lines) - _MAX_STEP_LINES} more lines")
    for claim in step.claims:
        _print_claim(claim)


def _print_claim(claim: Claim) -> None:
    detail = f" ({claim.detail})" if claim.detail else ""
    mark, colour = ("✓", "green") if claim.held else ("✗", "red")
    print_line(f"{claim.text}{detail}", label=f"  {mark} ", styled=click.style(f"  {mark} ", fg=colour))


def _print_end(transcript: TourTranscript) -> None:
    claims = [claim for step in transcript.steps for claim in step.claims]
    failed = [claim for claim in claims if not claim.held]
    if transcript.ok:
        click.secho(
            f"\nAll {len(claims)} claims held, in {transcript.seconds:.1f} s. Nothing was left behind.", fg="green"
        )
    else:
        text = f"{len(failed)} of {len(claims)} claims did not hold:" if failed else "The tour was cut short."
        click.secho(f"\n{text}", fg="red")
    for claim in failed:
        _print_claim(claim)
    if transcript.log:
        click.echo("The server's log ended with:\n" + printable("\n".join(transcript.log)))
    home = data_home(load(Path(transcript.folder), os.environ).settings.store.folder, make=False)
    click.echo(_NEXT_STEPS)
    print_line(str(home), label="Memories lie in: ")
