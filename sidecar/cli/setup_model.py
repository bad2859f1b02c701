"""The offer to let an agent that was set up read sessions: nothing is switched on unless a person says yes."""

from __future__ import annotations

import shutil
import sys
from typing import Final

import click

from sidecar.cli.agents.agent import Agent, Place
from sidecar.cli.edits import toml
from sidecar.cli.edits.refused import Refused
from sidecar.cli.failure import warn
from sidecar.cli.setup import write
from sidecar.models.presets import presets
from sidecar.settings import load, user_file_path

TOKENS: Final = "1,400 to 4,700"
"""Of the median session and of a long one (nine in ten are shorter): 410 real sessions, instructions included."""


def offer(agent: Agent, place: Place) -> None:
    """Say what would be sent and what it costs, ask, and write the user's settings on a yes.

    Silent where the agent cannot be asked, where a model reads sessions already, and where nobody can answer.
    """
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
        f"{TOKENS} tokens a session of your account, and some {known.adds:,} that {agent.title} adds."
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
        write(file, text)
    except (Refused, OSError, UnicodeDecodeError) as error:
        warn(f"{file} was not changed: {error}")
    else:
        click.echo(f"Written: {file}. `memory-sidecar status` counts it.")
