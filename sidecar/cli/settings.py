"""`settings`: show the settings and their origins."""

from __future__ import annotations

import os
from typing import Any

import click

from sidecar.cli.failure import warn
from sidecar.cli.folder import find_workspace
from sidecar.cli.options import Cli, command
from sidecar.cli.output import TableRow, print_note, print_table
from sidecar.cli.wording import did_you_mean
from sidecar.settings import LoadedSettings, describe, load, user_file_path, workspace_file_path
from sidecar.settings.table import json_value, value_of

_HIDDEN_VALUE = "(set, not shown)"


@command("settings")
@click.argument("key", required=False)
def settings_command(cli: Cli, key: str | None) -> None:
    """Show every setting, its value and where it was set.

    With KEY, explain that setting, or list a group such as memory.
    """
    folder = find_workspace(cli.workspace)
    loaded = load(folder, os.environ)
    described = describe()
    group = [name for name in described if key is not None and name.startswith(f"{key}.")]
    if key is not None and key not in described and not group:
        raise click.UsageError(f"No setting {key!r}.{did_you_mean(key, described, count=1)}")
    keys = group or ([key] if key else list(described))
    values = {name: {"value": _shown_value(loaded, name), "origin": loaded.origins[name]} for name in keys}
    files = [str(user_file_path(os.environ)), str(workspace_file_path(folder))]
    cli.end_with_json({"settings": values, "files": files, "problems": loaded.problems})
    for problem in loaded.problems:
        warn(problem)
    if key and not group:
        row = described[key]
        click.echo(f"{key} = {_value_text(_shown_value(loaded, key))}   ({loaded.origins[key]})")
        click.echo(f"  {row.description}")
        click.echo(f"  Takes {row.accepts}; default {_value_text(json_value(row.default))}; variable {row.variable}.")
        may = "cannot set it" if row.user_only else "may only make it stricter, smaller or slower"
        click.echo(f"  A workspace's own file {may}.")
        return
    rows = [TableRow((name, _value_text(setting["value"]), setting["origin"])) for name, setting in values.items()]
    print_table(("key", "value", "from"), rows)
    print_note(f"User's file: {files[0]}")
    print_note(f"Workspace's file: {files[1]}")


def _shown_value(loaded: LoadedSettings, key: str) -> Any:
    row = describe()[key]
    value = json_value(value_of(loaded.settings, row))
    return _HIDDEN_VALUE if row.secret and value is not None else value


def _value_text(value: object) -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, list) else str(value)
