"""Read each source of settings into a flat dictionary; an unreadable source is empty and has a problem.

`load.py` and `table.py` decide which source wins and whether a value is good.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from sidecar.settings.table import ENVIRONMENT_PREFIX, Setting, describe
from sidecar.system.files import open_regular

MAX_FILE_BYTES = 1_000_000
_SECTION = "memorySidecar"
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class SettingsSource(msgspec.Struct):
    """A source of settings: its name in messages, whether the user wrote it, its values and problems.

    `names` maps keys to the source's own spelling, for messages. `workspaces` holds values for single folders. `who`
    names an untrusted source in messages that refuse its value.
    """

    origin: str
    trusted: bool = True
    values: dict[str, object] = {}
    names: dict[str, str] = {}
    workspaces: Mapping[str, object] | None = None
    problems: list[str] = []
    who: str = "a workspace's own file"

    def place_of(self, key: str) -> str:
        name = self.names.get(key)
        return f"{self.origin} {name}" if name else self.origin


def from_file(path: Path, *, trusted: bool, inside: Path | None = None) -> SettingsSource:
    """Read a TOML file; a missing file has no settings.

    The file must really lie `inside` a folder, if given, so that a repository's link cannot name another file.
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
        if key != _SECTION:
            merged |= flatten({str(key).removeprefix(f"{_SECTION}."): value})
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
    """Parse a variable's text; return the text itself if it is invalid, which `convert` then refuses."""
    if row.kind == "flag":
        lowered = text.lower()
        return True if lowered in _TRUE else False if lowered in _FALSE else text
    if row.kind == "list":
        return [part.strip() for part in text.split(",") if part.strip()]
    if row.kind == "number":
        try:
            return float(text) if "." in text or "e" in text.lower() else int(text)
        except ValueError:
            return text
    return text
