"""Read each source of settings, and combine the sources key by key; a later source wins.

An unreadable source has no values and one problem. `table.py` decides whether a value is valid.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from sidecar.settings.model import Settings
from sidecar.settings.table import ENVIRONMENT_PREFIX, Setting, assemble, convert, describe, json_value, restrict
from sidecar.settings.user_folders import user_folder
from sidecar.system.files import open_regular
from sidecar.text.cutting import printable

WORKSPACE_FILE = ".agents/memory-sidecar.toml"
MAX_FILE_BYTES = 1_000_000
_EDITOR_SECTION = "memorySidecar"
_TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
_FALSE_WORDS = frozenset({"0", "false", "no", "off"})


class LoadedSettings(NamedTuple):
    """The settings, and what is wrong with their sources."""

    settings: Settings
    origins: Mapping[str, str]  # by dotted key: "default", or the name of a source
    problems: list[str]  # sentences for the user that name the key and its file, variable or message


def load(
    folder: Path | None,
    environ: Mapping[str, str],
    options: Mapping[str, object] | None = None,
    configuration: Mapping[str, object] | None = None,
    *,
    user_file: Path | None = None,
) -> LoadedSettings:
    """Return the settings of the workspace `folder`, or those that no workspace changes. Never raises.

    Sources, in order: defaults; the user's file (`user_file`, by default in the platform's configuration folder) with
    its `[workspaces."<folder>"]`; the workspace's `.agents/memory-sidecar.toml`; `environ`; the client's
    `initializationOptions` (`options`) and `workspace/didChangeConfiguration` (`configuration`); the `folders` in
    `configuration`, or else in `options`, for this folder. An editor reads `folders` from files in the folder, so they
    are trusted as little as the workspace's own file.

    In place of a bad value, the earlier value stays: if the default took over, a repository could undo a user's choice
    by a broken file. The workspace's file may change an earlier value only as the field's rule in `model.py` allows,
    usually making it fewer, smaller, slower or stricter.
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
    return LoadedSettings(assemble(values), origins, [printable(text) for text in problems])


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


class SettingsSource(msgspec.Struct):
    """A source of settings."""

    origin: str  # its name in messages
    trusted: bool = True  # the user wrote it
    values: dict[str, object] = {}
    names: dict[str, str] = {}  # keys in the source's own spelling, for messages
    workspaces: Mapping[str, object] | None = None  # values for single folders
    problems: list[str] = []
    who: str = "a workspace's own file"  # the subject of a message that refuses the value of an untrusted source

    def place_of(self, key: str) -> str:
        name = self.names.get(key)
        return f"{self.origin} {name}" if name else self.origin


def from_file(path: Path, *, trusted: bool, inside: Path | None = None) -> SettingsSource:
    """Read a TOML file; a missing file has no settings.

    If `inside` is given, the file must really lie in that folder, so that a repository's link cannot name another file.
    """
    source = SettingsSource(origin=str(path), trusted=trusted)
    try:
        if inside is not None and not path.resolve().is_relative_to(inside.resolve()):
            source.problems.append(f"{path} leads out of the workspace and was not read.")
            return source
        data = _read_file(path)
    except (FileNotFoundError, NotADirectoryError):
        return source
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        source.problems.append(f"{path} could not be read ({reason}); its settings are not used.")
        return source
    from sidecar.text.toml import read_toml

    try:
        document = read_toml(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        source.problems.append(f"{path} is not UTF-8 (byte {error.start}); its settings are not used.")
        return source
    except ValueError as error:
        source.problems.append(f"{path} is not valid TOML: {error}; its settings are not used.")
        return source
    workspaces = document.pop("workspaces", {})
    if trusted and isinstance(workspaces, dict):
        source.workspaces = workspaces
    elif trusted:
        source.problems.append(f'{path}: `workspaces` must be a table, as in [workspaces."/a/folder"].')
    elif workspaces:
        source.problems.append(f"{path}: `workspaces` belongs in the user's own settings and is not used.")
    source.values = flatten(document)
    return source


def from_environment(environ: Mapping[str, str]) -> SettingsSource:
    """Read the variables named `MEMORY_SIDECAR_<GROUP>_<KEY>` that are not empty."""
    source = SettingsSource(origin="environment variable")
    by_variable = {row.variable: row for row in describe().values()}
    for name in sorted(environ):
        if not name.startswith(ENVIRONMENT_PREFIX) or not environ[name].strip():
            continue
        row = by_variable.get(name)
        key = row.key if row else name
        source.values[key] = _from_text(row, environ[name].strip()) if row else environ[name]
        source.names[key] = name
    return source


def from_client(options: object, origin: str) -> SettingsSource:
    """Read a client's settings: nested groups or dotted keys, with or without the section `memorySidecar`.

    Null means not set. `folders` holds settings of the same form for single folders, by `file://` URI or path.
    """
    source = SettingsSource(origin=origin)
    if options is None:
        return source
    if not isinstance(options, Mapping):
        source.problems.append(f"{origin} must be an object; it is not used.")
        return source
    merged: dict[str, object] = {}
    for key, value in options.items():
        if key != _EDITOR_SECTION:
            merged |= flatten({str(key).removeprefix(f"{_EDITOR_SECTION}."): value})
        elif isinstance(value, Mapping):
            merged |= flatten(value)
        elif value is not None:
            source.problems.append(f"{origin}: `{key}` must be an object; it is not used.")
    folders = merged.pop("folders", None)
    if isinstance(folders, Mapping):
        source.workspaces = folders
    elif folders is not None:
        source.problems.append(f"`folders` in {origin} must be an object of folders; it is not used.")
    source.values = {key: value for key, value in merged.items() if value is not None}
    return source


def flatten(document: Mapping[Any, object]) -> dict[str, object]:
    """Flatten `{"memory": {"enabled": true}}` to `{"memory.enabled": true}`; keep keys with dots."""
    groups = {row.group for row in describe().values()}
    flat: dict[str, object] = {}
    for key, value in document.items():
        if key in groups and isinstance(value, Mapping):
            flat |= {f"{key}.{inner}": inner_value for inner, inner_value in value.items()}
        else:
            flat[str(key)] = value
    return flat


def _read_file(path: Path) -> bytes:
    """Return the bytes of a regular file. Raises OSError, and ValueError for a large file."""
    with open(open_regular(path), "rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"larger than {MAX_FILE_BYTES} bytes")
    return data


def _from_text(row: Setting, text: str) -> object:
    """Parse a variable's text. Return an invalid text itself, which `convert` then refuses."""
    if row.kind == "flag":
        lowered = text.lower()
        return True if lowered in _TRUE_WORDS else False if lowered in _FALSE_WORDS else text
    if row.kind == "list":
        return [part.strip() for part in text.split(",") if part.strip()]
    if row.kind == "number":
        try:
            return float(text) if "." in text or "e" in text.lower() else int(text)
        except ValueError:
            return text
    return text
