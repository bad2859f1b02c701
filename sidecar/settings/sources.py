"""The places that settings come from, each read into flat `(key, value)` pairs.

Which place wins and whether a value is good is decided elsewhere; an unreadable source is an empty one with a problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from sidecar.settings.table import ENVIRONMENT_PREFIX, Setting, describe
from sidecar.system.files import open_regular

MAX_FILE_BYTES = 1_000_000
_WRAPPERS = ("memorySidecar", "memory-sidecar", "memory_sidecar")
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class SettingsSource(msgspec.Struct):
    """One place: its name in messages, whether the user wrote it, its values and its problems.

    `names` maps a key to this place's spelling, for messages. `workspaces` holds its values for single folders, None if
    it has none. `who` is the name in messages of an untrusted place that may not set something.
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
    """Read a TOML file; a missing one is empty.

    `inside` is the folder that the file must really be in, so that a repository cannot point its settings file at
    another file of the machine.
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
    """Read variables named `MEMORY_SIDECAR_<GROUP>_<KEY>`; an empty one counts as not set."""
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
    """Read what a client sent: nested groups or dotted keys, in the product's section or not; null is not set.

    Its `folders` holds settings of the same form for single folders, by `file://` URI or path.
    """
    source = SettingsSource(origin=origin)
    if options is None:
        return source
    if not isinstance(options, Mapping):
        source.problems.append(f"{origin} must be an object; it is not used.")
        return source
    merged: dict[str, object] = {}
    for key, value in options.items():
        if key in _WRAPPERS:
            if isinstance(value, Mapping):
                merged |= flatten(value)
            elif value is not None:
                source.problems.append(f"{origin}: `{key}` must be an object; it is not used.")
        else:
            name = str(key)
            for wrapper in _WRAPPERS:
                name = name.removeprefix(f"{wrapper}.")
            merged |= flatten({name: value})
    folders = merged.pop("folders", None)
    if isinstance(folders, Mapping):
        source.workspaces = folders
    elif folders is not None:
        source.problems.append(f"`folders` in {origin} must be an object of folders; it is not used.")
    source.values = {key: value for key, value in merged.items() if value is not None}
    return source


def flatten(document: Mapping[Any, object]) -> dict[str, object]:
    """Flatten `{"memory": {"enabled": true}}` to `{"memory.enabled": true}`; keys with dots stay."""
    groups = {row.group for row in describe().values()}
    flat: dict[str, object] = {}
    for key, value in document.items():
        if key in groups and isinstance(value, Mapping):
            flat |= {f"{key}.{inner}": inner_value for inner, inner_value in value.items()}
        else:
            flat[str(key)] = value
    return flat


def _read_file(path: Path) -> bytes:
    """Return the bytes of a regular file of reasonable size; never block on a pipe or a device."""
    with open(open_regular(path), "rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"larger than {MAX_FILE_BYTES} bytes")
    return data


def _from_text(row: Setting, text: str) -> object:
    """Parse a variable's text; what cannot be parsed is left for `convert` to refuse."""
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
