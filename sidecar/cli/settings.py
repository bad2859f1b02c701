"""`settings`: what is set, and where."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from sidecar.cli.failure import warn
from sidecar.cli.folder import find_workspace
from sidecar.cli.options import json_option, workspace_option
from sidecar.cli.output import Row, print_json, print_note, print_table
from sidecar.settings import Loaded, describe, load, user_file_path, workspace_file_path
from sidecar.settings.table import plain, value_of

_HIDDEN = "(set, not shown)"


@click.command(
    "settings",
    help="Every setting with its value and where the value comes from.\n\nWith KEY, that one with what it means.",
)
@click.argument("key", required=False)
@workspace_option
@json_option
def settings_command(key: str | None, workspace: Path | None, as_json: bool) -> None:
    """Show settings."""
    folder = find_workspace(workspace)
    loaded = load(folder, os.environ)
    rows = describe()
    if key is not None and key not in rows:
        from difflib import get_close_matches

        close = get_close_matches(key, list(rows), n=1, cutoff=0.5)
        raise click.UsageError(f"No setting {key!r}." + (f" Did you mean {close[0]}?" if close else ""))
    keys = [key] if key else list(rows)
    if as_json:
        print_json(
            {
                "settings": {
                    name: {"value": _value(loaded, name), "origin": loaded.origins[name]} for name in keys
                },
                "files": [str(user_file_path(os.environ)), str(workspace_file_path(folder))],
                "problems": loaded.problems,
            }
        )
        return
    for problem in loaded.problems:
        warn(problem)
    if key:
        row = rows[key]
        click.echo(f"{key} = {_shown(_value(loaded, key))}   ({loaded.origins[key]})")
        click.echo(f"  {row.description}")
        click.echo(f"  Takes {row.accepts}; default {_shown(plain(row.default))}; variable {row.variable}.")
        if row.own:
            click.echo("  A workspace's own file cannot set it.")
        else:
            click.echo("  A workspace's own file may only make it stricter, smaller or slower.")
        return
    print_table(
        ("key", "value", "from"),
        [Row((name, _shown(_value(loaded, name)), loaded.origins[name])) for name in keys],
    )
    print_note(f"User's file: {user_file_path(os.environ)}")
    print_note(f"Workspace's file: {workspace_file_path(folder)}")


def _value(loaded: Loaded, key: str) -> Any:
    row = describe()[key]
    value = plain(value_of(loaded.settings, row))
    return _HIDDEN if row.secret and value is not None else value


def _shown(value: object) -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, list) else str(value)
