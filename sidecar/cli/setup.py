"""`setup`: write an agent's configuration so that it uses the sidecar, and take it back."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

import click

from sidecar.cli.agents import AGENTS, Agent, Change, Place, own_command
from sidecar.cli.edits import Refused, toml
from sidecar.cli.failure import FAILED, complain, warn
from sidecar.cli.output import plain
from sidecar.settings import load, user_file_path

_BACKUP = ".before-memory-sidecar"
_WRITTEN = ".written-by-memory-sidecar"
_DECLINED = -1  # the user said no, which is not a failure
_TOKENS = "1,400 to 4,700"
"""Per session, median and long (nine in ten are shorter): 410 real sessions, instructions included."""

State = Literal["set up", "outdated", "not set up", "unreadable"]


@click.command("setup", short_help="Set up an agent to use memory-sidecar, or undo that.")
@click.argument("agent", required=False, type=click.Choice(list(AGENTS)))
@click.option("--all", "every", is_flag=True, help="List every agent that can be set up, found here or not.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--undo", is_flag=True, help="Take the configuration back.")
@click.option(
    "--instructions",
    is_flag=True,
    help="Also add a marked paragraph to the agent's instruction file: ask for the memory first.",
)
def setup_command(agent: str | None, every: bool, yes: bool, undo: bool, instructions: bool) -> int:
    """Set up an agent to use memory-sidecar, or undo that.

    Without AGENT, lists the agents found on this machine, and whether each is set up. With AGENT, shows the change
    first and asks. The file as it was is kept beside it; --undo puts it back, or, if the file was changed since,
    removes only what was written. Comments and everything else in the file stay as they are.
    """
    place = Place(Path.home(), os.environ)
    command = own_command()
    if agent is None:
        if undo or instructions:
            raise click.UsageError("Name the agent.")
        return _show_states(place, command, every=every)
    chosen = AGENTS[agent]
    changes = chosen.changes(place, command)
    instruct = chosen.instruct(place)
    if instruct is not None and (instructions or undo):
        changes.append(instruct)
    elif instructions:
        complain(f"{chosen.title} has no file of instructions for every project.", chosen.told)
        return FAILED
    try:
        if undo:
            return _undo(chosen, changes, yes)
        code = _apply(chosen, changes, yes)
        if code == 0 and not yes:
            _offer_to_read_sessions(chosen, place)
        return 0 if code == _DECLINED else code
    except (OSError, UnicodeDecodeError) as error:  # read-only, such as a generated configuration
        complain(
            f"{chosen.title}'s configuration cannot be read or changed: {error}",
            "Files named above are changed; every other is as it was.",
        )
        return FAILED


class _Step(NamedTuple):
    """A file to replace; None stands for no file."""

    path: Path
    before: str | None
    after: str | None


def _apply(agent: Agent, changes: list[Change], yes: bool) -> int:
    wanted: list[_Step] = []
    for change in changes:
        before = _read(change.path)
        try:
            text = _in_its_lines(before, change.edit)
        except Refused as error:
            return _refused(change.path, error)
        if text != (before or ""):
            wanted.append(_Step(change.path, before, text or None))
    if not wanted:
        click.echo(f"{agent.title} is set up already; nothing is to be changed.")
        return 0
    if not _agreed(wanted, yes, "Write this?"):
        return _DECLINED
    if (moved := _changed_meanwhile(wanted)) is not None:
        return moved
    for path, before, after in wanted:
        backup, written = _beside(path, _BACKUP), _beside(path, _WRITTEN)
        # If somebody changed the file since the copy was made, that copy is no longer what to go back to.
        exact = not backup.exists() or (before or "") == _read(written)
        if not backup.exists():
            _write(backup, before if before is not None else "")
            if before is None:
                backup.chmod(0o400)  # marks a file that did not exist
        written.unlink(missing_ok=True)
        _replace(path, after)
        if exact:
            _write(written, after or "")
        click.echo(f"Written: {path}")
    click.echo(f"Restart {agent.title}. `memory-sidecar setup {agent.name} --undo` takes this back.")
    if agent.told:
        click.echo(agent.told)
    if _has_kept_sessions(agent.name):
        click.echo("`memory-sidecar import --sessions`, in a project, learns from its sessions before today.")
    return 0


def _undo(agent: Agent, changes: list[Change], yes: bool) -> int:
    wanted: list[_Step] = []
    for change in changes:
        now = _read(change.path)
        backup = _beside(change.path, _BACKUP)
        made = backup.exists() and not backup.stat().st_mode & 0o200  # the file did not exist
        if backup.exists() and (now or "") == _read(_beside(change.path, _WRITTEN)):
            wanted.append(_Step(change.path, now, None if made else _read(backup)))
            continue
        if now is None:
            continue
        try:
            # The agent or somebody else has changed the file since: remove only what is ours.
            text = _in_its_lines(now, change.undo)
            if text != now:
                gone = change.is_empty(text) and (made or not backup.exists())
                wanted.append(_Step(change.path, now, None if gone else text))
        except Refused as error:
            return _refused(change.path, error)
    if not wanted:
        click.echo("There is nothing to undo.")
        return 0
    if not _agreed(wanted, yes, "Put this back?"):
        return 0
    if (moved := _changed_meanwhile(wanted)) is not None:
        return moved
    for path, _, after in wanted:
        _replace(path, after)
        _beside(path, _BACKUP).unlink(missing_ok=True)
        _beside(path, _WRITTEN).unlink(missing_ok=True)
        click.echo(f"Put back: {path}")
    click.echo(f"Restart {agent.title}.")
    return 0


def _refused(path: Path, error: Refused) -> int:
    complain(f"{path}: {error}", "Nothing was changed. Mend the file, then run this again.")
    return FAILED


def _changed_meanwhile(steps: list[_Step]) -> int | None:
    """Return a failure if an agent wrote one of the files while the user was asked: its changes must not be lost."""
    for path, before, _ in steps:
        if _read(path) != before:
            complain(f"{path} was changed meanwhile.", "Nothing was changed. Run this again.")
            return FAILED
    return None


def _agreed(steps: list[_Step], yes: bool, question: str) -> bool:
    for path, before, after in steps:
        _show(path, before or "", after or "")
    if yes or click.confirm(question):
        return True
    click.echo("Nothing was changed.")
    return False


def _show(path: Path, before: str, after: str) -> None:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm="", n=2)
    for line in lines:
        colour = "green" if line.startswith("+") else "red" if line.startswith("-") else None
        click.echo(click.style(plain(line), fg=colour))


def _beside(path: Path, ending: str) -> Path:
    """Return the path of a file kept beside a configuration."""
    return path.with_name(path.name + ending)


def _read(path: Path) -> str | None:
    """Return a file's text with its line ends; None if there is no file."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _in_its_lines(text: str | None, edit: Callable[[str], str]) -> str:
    """Edit the text; if every line ends as on Windows, so do new ones."""
    if text is None or "\r\n" not in text or text.count("\r\n") != text.count("\n"):
        return edit(text or "")
    return edit(text.replace("\r\n", "\n")).replace("\n", "\r\n")


def _replace(path: Path, text: str | None) -> None:
    if text is None:
        path.resolve().unlink(missing_ok=True)
    else:
        _write(path, text)


def _write(path: Path, text: str) -> None:
    """Replace a file atomically, keeping its mode; a link stays a link."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".memory-sidecar-")
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _state_of(agent: Agent, place: Place, command: list[str]) -> tuple[State, str]:
    """Return the state of an agent's configuration, and why it cannot be read.

    `outdated`: something of ours is there, but not what would be written today.
    """
    differs = ours = False
    for change in agent.changes(place, command):
        try:
            text = (_read(change.path) or "").replace("\r\n", "\n")
            differs = differs or change.edit(text) != text
            ours = ours or change.undo(text) != text
        except (Refused, OSError, UnicodeDecodeError) as error:
            return "unreadable", f"{change.path}: {error}"
    if not differs:
        return "set up", ""
    return ("outdated" if ours else "not set up"), ""


def _show_states(place: Place, command: list[str], *, every: bool) -> int:
    shown = [agent for agent in AGENTS.values() if every or agent.found(place)]
    width = max((len(agent.title) for agent in shown), default=0)
    for agent in shown:
        state, why = _state_of(agent, place, command)
        advice = why if state in ("set up", "unreadable") else f"memory-sidecar setup {agent.name}"
        absent = "" if agent.found(place) else "  (not found here)"
        click.echo(f"{agent.title:<{width}}  {state:<10}  {advice}{absent}".rstrip())
    if not shown:
        click.echo("No agent that is known was found on this machine.")
    if not every:
        rest = [agent.name for agent in AGENTS.values() if agent not in shown]
        if rest:
            click.echo(f"Not found here, and could be set up: {', '.join(rest)}.")
    return 0


def _has_kept_sessions(agent: str) -> bool:
    """Return True if the agent has kept sessions on this machine."""
    from sidecar.transcripts.event import Home
    from sidecar.transcripts.formats import FORMATS, format_of

    name = "claude-code" if agent == "claude" else agent
    try:
        return name in FORMATS and any(format_of(name).files(Home(Path.home(), os.environ)))
    except OSError:
        return False


def _offer_to_read_sessions(agent: Agent, place: Place) -> None:
    """Say what would be sent and what it costs, ask, and write the user's settings on a yes.

    Silent if the agent cannot be asked, a model reads sessions already, or nobody can answer.
    """
    from sidecar.models.presets import presets

    known, settings = presets().get(agent.name), load(None, place.environ).settings
    if (
        known is None
        or not shutil.which(known.arguments[0], path=place.environ.get("PATH"))
        or settings.models.sessions != "off"
        or settings.memory.learn == "off"
        or not settings.memory.enabled
    ):
        return
    click.echo(
        f"{agent.title} itself can read each session at its end for what to remember (`{known.command.split()[0]}`): "
        "it is then sent your messages and the ends of the agent's answers, without secrets, which costs about "
        f"{_TOKENS} tokens a session of your account, and some {known.adds:,} that {agent.title} adds."
    )
    file = user_file_path(place.environ)
    if not sys.stdin.isatty():
        click.echo(f'Off, unless {file} says so: [models] sessions = "command", command = "{agent.name}".')
        return
    if not click.confirm("Switch that on?", default=False):
        return
    try:
        before = file.read_text("utf-8") if file.exists() else ""
        text = toml.with_table(before, ("models",), {"sessions": "command", "command": agent.name})
        _write(file, text)
    except (Refused, OSError, UnicodeDecodeError) as error:
        warn(f"{file} was not changed: {error}")
    else:
        click.echo(f"Written: {file}. `memory-sidecar status` counts it.")
