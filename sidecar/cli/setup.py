"""`setup`: change an agent's configuration so that the agent uses the sidecar, and undo the change."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Literal

import click

from sidecar.cli import agent_files
from sidecar.cli.agents import AGENTS, Change, KnownAgent, Machine, is_cached, own_command
from sidecar.cli.edits import EditRefused, toml
from sidecar.cli.failure import FAILED, complain, warn
from sidecar.cli.output import print_line
from sidecar.settings import load, user_file_path

# The user said no, which is not a failure.
_DECLINED_STATUS = -1
# The median and the ninth decile of 410 real sessions, with the instructions.
_TOKENS_PER_SESSION = "1,400 to 4,700"
SetupState = Literal["set up", "outdated", "not set up", "unreadable"]


@click.command("setup", short_help="Set up an agent to use memory-sidecar, or undo that.")
@click.argument("agent", required=False, type=click.Choice(list(AGENTS)))
@click.option("--all", "list_all", is_flag=True, help="List every agent that can be set up, found here or not.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--undo", is_flag=True, help="Undo the setup.")
@click.option(
    "--instructions",
    is_flag=True,
    help="Also tell the agent, in a marked paragraph of its instruction file, to use the memory.",
)
def setup_command(agent: str | None, list_all: bool, yes: bool, undo: bool, instructions: bool) -> int:
    """Set up an agent to use memory-sidecar, or undo that.

    Without AGENT, lists the agents found on this machine, and offers to set up those that are not set up. Shows all
    changes first and asks before making them; may also ask whether AGENT itself may read the sessions. Keeps a
    backup next to each file; --undo restores the backup or, if the file was changed since, removes only our part.
    Comments and everything else in the file stay as they are.
    """
    machine = Machine(Path.home(), os.environ)
    command = own_command(os.environ)
    if agent is None:
        if undo:
            raise click.UsageError("Name the agent, or undo every setup with `memory-sidecar uninstall`.")
        if instructions:
            raise click.UsageError("Name the agent.")
        _show_states(machine, command, list_all=list_all)
    try:
        if agent is None:
            return 0 if list_all else _offer_all(machine, command, yes=yes)
        return _set_up(AGENTS[agent], machine, command, yes=yes, undo=undo, instructions=instructions)
    except EditRefused as error:
        complain(str(error), "Nothing was changed. Correct the file, then run this again.")
    except (OSError, UnicodeDecodeError) as error:  # read-only, such as a generated configuration
        hint = "The files named above were changed, the others were not."
        whose = f"{AGENTS[agent].title}'s" if agent else "An agent's"
        complain(f"{whose} configuration cannot be read or changed: {error}", hint)
    return FAILED


def _set_up(
    agent: KnownAgent, machine: Machine, command: list[str], *, yes: bool, undo: bool, instructions: bool
) -> int:
    own_paragraph = agent.instruction_changes(machine) if instructions or undo else []
    changes = agent.changes(machine, command) + own_paragraph
    if instructions and not own_paragraph:
        complain(f"{agent.title} has no file of instructions for every project.", agent.advice)
        return FAILED
    if undo:
        return _undo(agent, changes, yes)
    steps = agent_files.steps_to_set_up(changes)
    if not steps:
        click.echo(f"{agent.title} is set up already; nothing to change.")
    elif code := _write_all([(agent, steps)], command, yes, "Write this?"):
        return max(code, 0)
    if not yes:
        _offer_to_read_sessions(agent, machine)
    return 0


def _confirm_steps(steps: list[agent_files.FileStep], yes: bool, question: str) -> int:
    """Show the changes and ask once whether to make them; return 0, FAILED or _DECLINED_STATUS."""
    agent_files.print_diffs(steps)
    if not yes and not click.confirm(question):
        click.echo("Nothing was changed.")
        return _DECLINED_STATUS
    if (changed_path := agent_files.changed_meanwhile(steps)) is not None:
        complain(f"{changed_path} was changed meanwhile.", "Nothing was changed. Run this again.")
        return FAILED
    return 0


def _write_all(
    agent_steps: list[tuple[KnownAgent, list[agent_files.FileStep]]], command: list[str], yes: bool, question: str
) -> int:
    """Write the files of some agents, once the user agrees; return 0, FAILED or _DECLINED_STATUS."""
    if is_cached(Path(command[0]), os.environ):
        warn(
            f"{command[0]} is in a cache, which may be emptied; then the agents can no longer start it. Install it "
            "permanently, for example with `uv tool install` or `pipx install`, and run this again."
        )
    if code := _confirm_steps([step for _, steps in agent_steps for step in steps], yes, question):
        return code
    for agent, steps in agent_steps:
        for step in steps:
            agent_files.write_step(step)
            click.echo(f"Written: {step.path}")
        click.echo(f"Restart {agent.title}. `memory-sidecar setup {agent.name} --undo` undoes this.")
        if agent.advice:
            click.echo(agent.advice)
        if _has_sessions(agent.name):
            click.echo("`memory-sidecar import --sessions`, in a project, learns from its earlier sessions.")
    return 0


def _offer_all(machine: Machine, command: list[str], *, yes: bool) -> int:
    """Set up all agents found on this machine after one question. Without a terminal, only say how to."""
    agent_steps: list[tuple[KnownAgent, list[agent_files.FileStep]]] = []
    for agent in AGENTS.values():
        if agent.is_installed(machine) and _state_of(agent, machine, command)[0] in ("outdated", "not set up"):
            agent_steps.append((agent, agent_files.steps_to_set_up(agent.changes(machine, command))))
    if not agent_steps:
        return 0
    if not yes and not sys.stdin.isatty():
        click.echo("`memory-sidecar setup --yes` sets up all that were found.")
        return 0
    click.echo()
    names = ", ".join(agent.title for agent, _ in agent_steps)
    return max(_write_all(agent_steps, command, yes, f"Set up {names}?"), 0)


def _undo(agent: KnownAgent, changes: list[Change], yes: bool) -> int:
    steps = agent_files.steps_to_undo(changes)
    if not steps:
        click.echo("There is nothing to undo.")
        return 0
    if code := _confirm_steps(steps, yes, "Undo this?"):
        return max(code, 0)
    for step in steps:
        agent_files.undo_step(step)
        click.echo(f"Restored: {step.path}")
    click.echo(f"Restart {agent.title}.")
    return 0


def _state_of(agent: KnownAgent, machine: Machine, command: list[str]) -> tuple[SetupState, str]:
    """Return the state of an agent's configuration (outdated: today's would differ), and why it is unreadable."""
    differs = ours = False
    for change in agent.changes(machine, command):
        try:
            text = (agent_files.read_text(change.path) or "").replace("\r\n", "\n")
            differs = differs or change.edit(text) != text
            ours = ours or change.undo(text) != text
        except (EditRefused, OSError, UnicodeDecodeError) as error:
            return "unreadable", f"{change.path}: {error}"
    if not differs:
        return "set up", ""
    return ("outdated" if ours else "not set up"), ""


def _show_states(machine: Machine, command: list[str], *, list_all: bool) -> None:
    agents = [agent for agent in AGENTS.values() if list_all or agent.is_installed(machine)]
    width = max((len(agent.title) for agent in agents), default=0)
    for agent in agents:
        state, reason = _state_of(agent, machine, command)
        advice = reason if state in ("set up", "unreadable") else f"memory-sidecar setup {agent.name}"
        absent = "" if agent.is_installed(machine) else "  (not found here)"
        click.echo(f"{agent.title:<{width}}  {state:<10}  {advice}{absent}".rstrip())
    if not agents:
        click.echo("No known agent was found on this machine.")
    if not list_all:
        rest = [agent.name for agent in AGENTS.values() if agent not in agents]
        if rest:
            print_line(f"Not found here, but could be set up: {', '.join(rest)}.")


def _has_sessions(agent: str) -> bool:
    from sidecar.transcripts.event import AgentHome
    from sidecar.transcripts.formats import FORMATS, format_of

    name = "claude-code" if agent == "claude" else agent
    try:
        return name in FORMATS and any(format_of(name).files(AgentHome(Path.home(), os.environ)))
    except OSError:
        return False


def _offer_to_read_sessions(agent: KnownAgent, machine: Machine) -> None:
    """Offer that the agent itself reads sessions: say what is sent and what it costs; on a yes, change the settings.

    Do nothing if the agent cannot read sessions, or if a model already does.
    """
    from sidecar.models.presets import PRESETS

    preset, settings = PRESETS.get(agent.name), load(None, machine.environ).settings
    if (
        preset is None
        or not shutil.which(preset.arguments[0], path=machine.environ.get("PATH"))
        or settings.models.sessions != "off"
        or settings.memory.learn == "off"
        or not settings.memory.enabled
    ):
        return
    click.echo(
        f"{agent.title} itself can read each session when it ends, to find what to remember "
        f"(`{preset.command.split()[0]}`). It is sent your messages and the ends of the agent's answers, with secrets "
        f"removed. Each session costs your account about {_TOKENS_PER_SESSION} tokens, plus about {preset.adds:,} that "
        f"{agent.title} adds."
    )
    file = user_file_path(machine.environ)
    if not sys.stdin.isatty():
        click.echo(f'To switch it on, add to {file}: [models] sessions = "command", command = "{agent.name}".')
        return
    if not click.confirm("Switch that on?", default=False):
        return
    try:
        before = file.read_text("utf-8") if file.exists() else ""
        text = toml.with_table(before, ("models",), {"sessions": "command", "command": agent.name})
        agent_files.write(file, text)
    except (EditRefused, OSError, UnicodeDecodeError) as error:
        warn(f"{file} was not changed: {error}")
    else:
        click.echo(f"Written: {file}. `memory-sidecar status` shows how many sessions were read.")
