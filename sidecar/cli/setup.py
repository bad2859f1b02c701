"""`setup`: write an agent's own configuration, so that it uses the sidecar; and take it back."""

from __future__ import annotations

import difflib
import os
import tempfile
from pathlib import Path

import click

from sidecar.cli.agents import AGENTS, Change, changes, own_command
from sidecar.cli.failure import FAILED, complain
from sidecar.cli.jsonc import NotJson
from sidecar.cli.output import plain

BACKUP = ".before-memory-sidecar"
WRITTEN = ".written-by-memory-sidecar"


@click.command(
    "setup",
    help="Write the configuration of an agent so that it uses memory-sidecar.\n\n"
    "Shows the change first and asks. The file as it was is kept beside it; --undo puts it back. "
    "Comments and everything else in the file stay as they are.",
    short_help="Write an agent's configuration so that it uses memory-sidecar.",
)
@click.argument("agent", type=click.Choice(AGENTS))
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--undo", is_flag=True, help="Put the configuration back as it was.")
def setup_command(agent: str, yes: bool, undo: bool) -> int:
    """Show, ask, write."""
    found = changes(agent, Path.home(), own_command())
    return _undo(found, yes) if undo else _apply(agent, found, yes)


def _apply(agent: str, found: list[Change], yes: bool) -> int:
    wanted: list[tuple[Path, str | None, str]] = []
    for change in found:
        before = _read(change.path)
        try:
            after = change.edit(before or "")
        except NotJson as error:
            complain(f"{change.path}: {error}", "Nothing was changed. Mend the file, then run this again.")
            return FAILED
        if after != before:
            wanted.append((change.path, before, after))
    if not wanted:
        click.echo(f"{agent} is set up already; nothing is to be changed.")
        return 0
    for path, before, after in wanted:
        _show(path, before or "", after)
    if not yes and not click.confirm("Write this?"):
        click.echo("Nothing was changed.")
        return 0
    for path, before, after in wanted:
        backup = _beside(path, BACKUP)
        if not backup.exists():
            _write(backup, before if before is not None else "")
            if before is None:
                backup.chmod(0o400)  # marks a file that was not there
        _write(path, after)
        _write(_beside(path, WRITTEN), after)
        click.echo(f"Written: {path}")
    click.echo(f"Restart {agent}. `memory-sidecar setup {agent} --undo` takes this back.")
    return 0


def _undo(found: list[Change], yes: bool) -> int:
    places = [change.path for change in found if _beside(change.path, BACKUP).exists()]
    if not places:
        click.echo("There is nothing to undo.")
        return 0
    for path in places:
        if _read(path) != _read(_beside(path, WRITTEN)):
            complain(
                f"{path} was changed since; putting it back would lose that.",
                f"It was: {_beside(path, BACKUP)}. Nothing was changed.",
            )
            return FAILED
    for path in places:
        _show(path, _read(path) or "", _read(_beside(path, BACKUP)) or "")
    if not yes and not click.confirm("Put this back?"):
        click.echo("Nothing was changed.")
        return 0
    for path in places:
        backup = _beside(path, BACKUP)
        if backup.stat().st_mode & 0o200:
            _write(path, backup.read_text(encoding="utf-8"))
        else:
            path.resolve().unlink(missing_ok=True)
        backup.unlink()
        _beside(path, WRITTEN).unlink(missing_ok=True)
        click.echo(f"Put back: {path}")
    return 0


def _show(path: Path, before: str, after: str) -> None:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), str(path), str(path), lineterm="", n=2
    )
    for line in lines:
        colour = "green" if line.startswith("+") else "red" if line.startswith("-") else None
        click.echo(click.style(plain(line), fg=colour))


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def _write(path: Path, text: str) -> None:
    """Replace a file at once, with the mode that it had; a link stays a link."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".memory-sidecar-")
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
