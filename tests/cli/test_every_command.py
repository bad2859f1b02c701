"""Every command takes `--workspace` and `--json`, even if it speaks JSON anyway."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from sidecar.cli.main import commands
from tests.cli.conftest import Run

COMMANDS = (
    "serve mcp hook record search inject summary map list edit archive export import maintain sessions status"
    " doctor tour"
).split()
PATIENT = {"MEMORY_SIDECAR_HOOKS_ANSWER_SECONDS": "60"}  # however busy the machine is


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_takes_a_workspace_and_json(name: str) -> None:
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    taken = {option for parameter in command.params for option in parameter.opts}
    assert {"--workspace", "--json"} <= taken


def test_a_hook_is_told_its_folder_or_takes_the_one_it_runs_in(run: Run, folder: Path, tmp_path: Path) -> None:
    run("record", "Never push on fridays.", "--type", "feedback", "--category", "directive")
    event = json.dumps({"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"})
    assert "fridays" in run("hook", stdin=event, env=PATIENT, cwd=folder).stdout
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "fridays" not in run("hook", stdin=event, env=PATIENT, cwd=elsewhere).stdout
    told = run("hook", "--json", "--workspace", str(folder), stdin=event, env=PATIENT, cwd=elsewhere).stdout
    assert "fridays" in told
    assert run("serve", "--json", "--workspace", str(folder), stdin="", cwd=elsewhere, code=1).stdout == ""
