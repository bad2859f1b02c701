"""Which agents are on this machine, and whether each is set up."""

from __future__ import annotations

from typing import Literal

import click

from sidecar.cli.agents.agent import Agent, Place
from sidecar.cli.agents.registry import AGENTS
from sidecar.cli.edits.refused import Refused
from sidecar.cli.setup import read

State = Literal["set up", "outdated", "not set up", "unreadable"]


def state_of(agent: Agent, place: Place, command: list[str]) -> tuple[State, str]:
    """How an agent's configuration stands, and why it cannot be read.

    `outdated` says that something of ours is there, and not what would be written today.
    """
    differs = ours = False
    for change in agent.changes(place, command):
        try:
            text = (read(change.path) or "").replace("\r\n", "\n")
            differs = differs or change.edit(text) != text
            ours = ours or change.undo(text) != text
        except (Refused, OSError, UnicodeDecodeError) as error:
            return "unreadable", f"{change.path}: {error}"
    if not differs:
        return "set up", ""
    return ("outdated" if ours else "not set up"), ""


def show_states(place: Place, command: list[str], *, every: bool) -> int:
    """Print one line an agent."""
    shown = [agent for agent in AGENTS.values() if every or agent.found(place)]
    width = max((len(agent.title) for agent in shown), default=0)
    for agent in shown:
        state, why = state_of(agent, place, command)
        advice = {
            "set up": "",
            "outdated": f"memory-sidecar setup {agent.name}",
            "not set up": f"memory-sidecar setup {agent.name}",
            "unreadable": why,
        }[state]
        absent = "" if agent.found(place) else "  (not found here)"
        click.echo(f"{agent.title:<{width}}  {state:<10}  {advice}{absent}".rstrip())
    if not shown:
        click.echo("No agent that is known was found on this machine.")
    if not every:
        rest = [agent.name for agent in AGENTS.values() if agent not in shown]
        if rest:
            click.echo(f"Not found here, and could be set up: {', '.join(rest)}.")
    return 0
