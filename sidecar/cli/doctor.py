"""`doctor`: is all well, and what to do when it is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from sidecar.cli import checks
from sidecar.cli.checks import Check
from sidecar.cli.folder import find_workspace
from sidecar.cli.options import json_option, workspace_option
from sidecar.cli.output import one_line, print_json
from sidecar.cli.session import Session, open_engine
from sidecar.runtime.errors import SidecarError
from sidecar.settings import load

_MARKS = {"ok": ("ok", "green"), "warning": ("warn", "yellow"), "failed": ("FAIL", "red")}


@click.command(
    "doctor",
    help="Look at the stores, the workspace's identity, the settings, the watcher's limits and the server, and say "
    "what to do about what is not well. Exit code 1 when something failed.",
    short_help="Check the stores, the identity, the settings and the server.",
)
@workspace_option
@json_option
def doctor_command(workspace: Path | None, as_json: bool) -> int:
    """Check everything."""
    folder = find_workspace(workspace)
    results = []
    for check in _all(folder):
        results.append(check)
        if not as_json:
            _print(check)
    failed = any(check.state == "failed" for check in results)
    if as_json:
        print_json({"workspace": str(folder), "ok": not failed, "checks": results})
    elif failed:
        click.secho("Something failed.", fg="red", bold=True)
    else:
        warned = sum(check.state == "warning" for check in results)
        click.echo("All is well." if not warned else f"It works; {warned} to look at.")
    return 1 if failed else 0


def _all(folder: Path) -> Iterator[Check]:
    import os

    loaded = load(folder, os.environ)
    yield checks.versions()
    yield from checks.settings(loaded)
    yield Check("workspace", "ok", str(folder))
    yield checks.identity(folder, loaded)
    engine = open_engine(loaded)
    try:
        engine.open_workspace(folder, watch=False)
        yield from checks.stores(Session(engine, folder, loaded))
    except SidecarError as error:
        yield Check("store", "failed", error.message, error.data.hint)
    finally:
        engine.close()
    yield checks.log_file(loaded)
    yield checks.watching(folder, loaded)
    yield checks.server()


def _print(check: Check) -> None:
    mark, colour = _MARKS[check.state]
    click.echo(f"{click.style(f'{mark:<5}', fg=colour)}{check.name:<11}{one_line(check.found)}")
    if check.advice and check.state != "ok":
        click.echo(f"{'':<16}→ {one_line(check.advice)}")
