"""Combine the settings of six sources key by key; a later source wins."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.settings.model import Settings
from sidecar.settings.sources import SettingsSource, from_client, from_environment, from_file
from sidecar.settings.table import assemble, convert, describe, json_value, restrict
from sidecar.settings.user_folders import user_folder
from sidecar.text.cutting import printable

WORKSPACE_FILE = ".agents/memory-sidecar.toml"


class Loaded(NamedTuple):
    """The settings, the origin of each dotted key ("default" or a source), and the problems.

    A problem is a sentence for the user that names the key and its file, variable or message.
    """

    settings: Settings
    origins: Mapping[str, str]
    problems: list[str]


def load(
    folder: Path | None,
    environ: Mapping[str, str],
    options: Mapping[str, object] | None = None,
    configuration: Mapping[str, object] | None = None,
    *,
    user_file: Path | None = None,
) -> Loaded:
    """Return the settings of the workspace `folder`, or those that no workspace changes. Never raises.

    Sources, in order: defaults; the user's file (`user_file`, by default in the platform's configuration folder) with
    its `[workspaces."<folder>"]`; the workspace's `.agents/memory-sidecar.toml`; `environ`; the client's
    `initializationOptions` (`options`) and `workspace/didChangeConfiguration` (`configuration`); the `folders` in
    `configuration`, or else in `options`, for this folder. An editor reads `folders` from files in the folder, so they
    are trusted as little as the workspace's own file.

    Instead of a bad value, the earlier value is used: with the default, a repository could undo a user's choice by a
    broken file. The workspace's file may only make the earlier values fewer, smaller, slower or stricter.
    """
    user = from_file(user_file or user_file_path(environ), trusted=True)
    sources = [user]
    if folder is not None:
        sources.append(_workspace_override(user, folder, environ))
        sources.append(from_file(workspace_file_path(folder), trusted=False, inside=folder))
    sources.append(from_environment(environ))
    first = from_client(options, "initializationOptions")
    later = from_client(configuration, "didChangeConfiguration")
    sources += [first, later]
    if folder is not None:
        sources.append(_folder_source(later if later.workspaces is not None else first, folder))

    values: dict[str, Any] = {}
    origins = dict.fromkeys(describe(), "default")
    problems: list[str] = []
    for source in sources:
        problems += source.problems
        _apply(source, environ, values, origins, problems)
    return Loaded(assemble(values), origins, [printable(text) for text in problems])


def user_file_path(environ: Mapping[str, str]) -> Path:
    """Return the path `memory-sidecar/settings.toml` in the platform's configuration folder."""
    configured = environ.get("XDG_CONFIG_HOME", "")
    if configured and Path(configured).is_absolute():
        return Path(configured) / "memory-sidecar" / "settings.toml"
    return user_folder("config") / "settings.toml"


def workspace_file_path(folder: Path) -> Path:
    return folder / WORKSPACE_FILE


def _apply(
    source: SettingsSource,
    environ: Mapping[str, str],
    values: dict[str, Any],
    origins: dict[str, str],
    problems: list[str],
) -> None:
    rows = describe()
    for key, raw_value in source.values.items():
        place = source.place_of(key)
        row = rows.get(key)
        if row is None:
            problems.append(_unknown(source, key))
            continue
        if row.user_only and not source.trusted:
            problems.append(
                f"`{key}` in {place} is not used: {source.who} cannot set it. "
                f"Set it in the user's settings or in the environment variable {row.variable}."
            )
            continue
        expanded = _expand_home(raw_value, environ) if row.kind == "path" else raw_value
        before = values.get(key, row.default)
        current = "what was set before" if row.secret else _toml_value(before)
        try:
            value = convert(row, expanded)
        except ValueError as error:
            problems.append(f"`{key}` in {place}: {error}; {current} is used.")
            continue
        try:
            values[key] = value if source.trusted else restrict(row, value, before)
        except ValueError as error:
            problems.append(f"`{key}` in {place}: {source.who} may {error}; {current} is used.")
            continue
        origins[key] = place


def _workspace_override(user: SettingsSource, folder: Path, environ: Mapping[str, str]) -> SettingsSource:
    """Return the user's `[workspaces."<folder>"]` table for this folder as a source."""
    result = SettingsSource(origin=user.origin)
    real = _real_path(folder)
    for path, table in (user.workspaces or {}).items():
        expanded = str(_expand_home(path, environ))
        if not os.path.isabs(expanded):
            result.problems.append(f'[workspaces."{path}"] in {user.origin} must name an absolute folder.')
            continue
        if real is None or _real_path(Path(expanded)) != real:
            continue
        name = f'[workspaces."{path}"]'
        if not isinstance(table, Mapping):
            result.problems.append(f"{name} in {user.origin} must be a table with an `id`.")
            continue
        for key, value in table.items():
            if key == "id":
                result.values["workspace.id"] = value
                result.names["workspace.id"] = name
            else:
                result.problems.append(f"`{key}` in {user.origin} {name} is unknown; it takes only `id`.")
    return result


def _folder_source(client: SettingsSource, folder: Path) -> SettingsSource:
    """Return the client's settings for only this folder as a source."""
    from sidecar.system.file_uris import path_of_uri

    real = _real_path(folder)
    for name, values in (client.workspaces or {}).items():
        path = path_of_uri(name) if name.startswith("file://") else name
        if real is not None and os.path.isabs(path) and _real_path(Path(path)) == real:
            folder_source = from_client(values, f"{client.origin} for {folder}")
            folder_source.trusted, folder_source.who = False, "what is set for one folder"
            return folder_source
    return SettingsSource(origin=client.origin)


def _unknown(source: SettingsSource, key: str) -> str:
    rows = describe()
    name = source.names.get(key)
    spellings = [row.variable for row in rows.values()] if name else list(rows)
    spelling = name or key
    if not name and any(row.group == key for row in rows.values()):
        return f"`{key}` in {source.origin} must be a table of settings; it is not used."
    import difflib

    close = difflib.get_close_matches(spelling, spellings, n=1, cutoff=0.6)
    if not close and not name:
        field = spelling.rpartition(".")[2].lower()
        close = [row.key for row in rows.values() if row.field.lower() == field][:1]
    meant = f" Did you mean `{close[0]}`?" if close else ""
    origin = source.origin if not name else "the environment"
    return f"`{spelling[:100]}` in {origin} is not a setting.{meant}"


def _toml_value(value: object) -> str:
    plain_value = json_value(value)
    if isinstance(plain_value, bool):
        return str(plain_value).lower()
    return "none" if plain_value is None else f'"{plain_value}"' if isinstance(plain_value, str) else str(plain_value)


def _expand_home(value: object, environ: Mapping[str, str]) -> object:
    """Expand `~/x` with the given HOME; return other values unchanged."""
    if isinstance(value, str) and (value == "~" or value.startswith("~/")) and environ.get("HOME"):
        return environ["HOME"] + value[1:]
    return value


def _real_path(path: Path) -> str | None:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return None
