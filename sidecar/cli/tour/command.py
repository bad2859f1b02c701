"""`tour`: demonstrate the sidecar on the current folder."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from sidecar import __version__
from sidecar.cli.options import Cli, command
from sidecar.cli.output import print_json
from sidecar.cli.tour.transcript import TourStep, TourTranscript

_LOG_LINES = 40


@command("tour")
def tour_command(cli: Cli) -> int:
    """Try it on the current folder, leaving nothing behind.

    Runs a real server through a short session. Your files are only read, edits go to a copy, and memory to a temporary
    store. Exit code 0 if everything shown really happened.
    """
    from sidecar.cli.tour.play import Tour
    from sidecar.cli.tour.survey import survey

    began = time.monotonic()
    folder = (cli.workspace or Path.cwd()).resolve()
    steps: list[TourStep] = []
    drawing = None
    if not cli.as_json:
        from sidecar.cli.tour.draw import Drawing

        drawing = Drawing(folder)
        drawing.opening()
    with tempfile.TemporaryDirectory(prefix="memory-sidecar-tour-", ignore_cleanup_errors=True) as name:
        temporary = Path(name).resolve()
        tour = Tour(folder, temporary, survey(folder), os.environ)
        try:
            for step in tour.steps():
                steps.append(step)
                if drawing is not None:
                    drawing.step(step)
        finally:
            tour.agent.stop()
        ok = bool(steps) and steps[-1].name == "inject" and all(step.ok for step in steps)
        log = [] if ok else _tail(temporary / "sidecar.log")
    transcript = TourTranscript(
        version=__version__, folder=str(folder), ok=ok, seconds=round(time.monotonic() - began, 2), steps=steps, log=log
    )
    if drawing is None:
        print_json(transcript)
    else:
        drawing.closing(transcript)
    return 0 if transcript.ok else 1


def _tail(path: Path) -> list[str]:
    """Return the last lines of the server's log, which is removed with the temporary folder."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]
    except FileNotFoundError:
        return []
