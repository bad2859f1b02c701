"""One fact of a project, and the files that facts are read from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from sidecar.text.toml import read_toml


@dataclass(frozen=True, slots=True)
class Fact:
    """What is to be remembered. `name` is the same each time, so that a fact that changed is known for the same one."""

    name: str
    content: str
    files: tuple[str, ...]
    category: str = "fact"


@dataclass(frozen=True, slots=True)
class Project:
    """The texts of files that tell about a project, and the paths of those of which only the presence does."""

    texts: Mapping[str, str]
    present: frozenset[str] = frozenset()

    def has(self, path: str) -> bool:
        """Whether the project has this file."""
        return path in self.texts or path in self.present

    def first(self, *paths: str) -> str | None:
        """The first of these files that the project has."""
        return next((path for path in paths if self.has(path)), None)

    def toml(self, path: str) -> dict[str, Any]:
        """The tables of a TOML file; none for one that is missing or broken."""
        try:
            return read_toml(self.texts.get(path, ""))
        except ValueError:
            return {}

    def json(self, path: str) -> dict[str, Any]:
        """The object of a JSON file; an empty one for one that is missing or broken."""
        try:
            found = msgspec.json.decode(self.texts.get(path, "{}"))
        except (msgspec.MsgspecError, RecursionError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def yaml(self, path: str) -> dict[str, Any]:
        """The mapping of a YAML file, its scalars as texts; an empty one for one that is missing or broken."""
        import yaml

        try:
            found = yaml.load(self.texts.get(path, ""), Loader=yaml.BaseLoader)
        except (yaml.YAMLError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


_SPACE = re.compile(r"\s+")


def at(table: object, *keys: str) -> Any:
    """The value below these keys; None when any is missing or holds no table."""
    for key in keys:
        if not isinstance(table, dict):
            return None
        table = table.get(key)
    return table


def text(value: object, longest: int = 300) -> str | None:
    """A text on one line; None for anything else, and for a longer one."""
    if not isinstance(value, str):
        return None
    line = _SPACE.sub(" ", value).strip()
    return line if 0 < len(line) <= longest else None


def code(value: str) -> str:
    """Marked as code."""
    return f"`` {value} ``" if "`" in value else f"`{value}`"


def listed(values: Iterable[str], most: int = 8) -> str:
    """Some values as code, with how many there are besides."""
    every = list(dict.fromkeys(values))
    shown = ", ".join(code(one) for one in every[:most])
    return shown if len(every) <= most else f"{shown} and {len(every) - most} more"


def commands(pairs: Iterable[tuple[str, str]], files: Sequence[str] = ()) -> str:
    """A line for each purpose with its command, after a line that names the `files` they are from, if any."""
    lines = [f"- {purpose}: {code(command)}" for purpose, command in pairs]
    return "\n".join([f"From {listed(files)}:", *lines] if files else lines)
