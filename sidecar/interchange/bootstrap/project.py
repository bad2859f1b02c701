"""The files of a project in which first facts are searched, and the wording of such facts."""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

from sidecar.interchange.values import decode_json, read_yaml
from sidecar.text.toml import read_toml


@dataclass(frozen=True, slots=True)
class FirstFact:
    """A fact to remember. Its `name` is stable, so that a changed fact replaces its earlier form."""

    name: str
    content: str
    files: tuple[str, ...]
    category: str = "fact"


@dataclass(frozen=True, slots=True)
class Project:
    """The texts of a project's files to read, which other paths exist, and the members' manifests."""

    texts: Mapping[str, str]
    present: frozenset[str] = frozenset()
    members: tuple[str, ...] = ()
    _parsed: dict[str, Any] = field(default_factory=dict, compare=False)

    def has(self, path: str) -> bool:
        return path in self.texts or path in self.present

    def first(self, *paths: str) -> str | None:
        return next((path for path in paths if self.has(path)), None)

    def matching(self, pattern: str) -> list[str]:
        return sorted(path for path in {*self.texts, *self.present} if re.fullmatch(pattern, path))

    def value(self, path: str, key: str) -> Any:
        """Return a structured file's value at a key such as `a/b`, all of it at ""; None if it is missing."""
        if path not in self._parsed:
            self._parsed[path] = _PARSERS[path.rpartition(".")[2]](self.texts.get(path, ""))
        document = self._parsed[path]
        if hasattr(document, "findall"):  # XML
            return [element.text for element in document.findall(key) if element.text] if key else document
        if not isinstance(document, dict) or not document:
            return None
        return value_at(document, *key.split("/")) if key else document


def _toml(source: str) -> dict[str, Any]:
    try:
        return read_toml(source)
    except ValueError:
        return {}


def _ini(source: str) -> dict[str, dict[str, str]]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(source)
    except configparser.Error:
        return {}
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _xml(source: str) -> object:
    if "<!DOCTYPE" in source or "<!ENTITY" in source:  # entities can make a small file a huge one
        return None
    try:
        return ElementTree.fromstring(re.sub(r'\sxmlns="[^"]*"', "", source, count=1))  # noqa: S314 - no entities
    except (ElementTree.ParseError, ValueError, RecursionError):
        return None


_PARSERS: dict[str, Callable[[str], object]] = {
    "toml": _toml, "json": decode_json, "yaml": read_yaml, "yml": read_yaml, "cfg": _ini, "ini": _ini, "xml": _xml,
}  # fmt: skip


def value_at(table: object, *keys: str) -> Any:
    """Return the value below these keys. Return None if a key is missing, or its parent is not a table."""
    for key in keys:
        if not isinstance(table, dict):
            return None
        table = table.get(key)
    return table


def short_text(value: object, max_chars: int = 300) -> str | None:
    """Return a text on one line; None if it is longer than `max_chars` or not a text."""
    if not isinstance(value, str):
        return None
    line = " ".join(value.split())
    return line if 0 < len(line) <= max_chars else None


def as_code(value: str) -> str:
    return f"`` {value} ``" if "`" in value else f"`{value}`"


def list_values(values: Iterable[str], limit: int = 8) -> str:
    """Return up to `limit` values as code, and how many others there are."""
    unique = list(dict.fromkeys(values))
    shown = ", ".join(as_code(value) for value in unique[:limit])
    return shown if len(unique) <= limit else f"{shown} and {len(unique) - limit} more"


def list_commands(pairs: Iterable[tuple[str, str]], files: Sequence[str] = ()) -> str:
    """Return a line for each purpose and command. If `files` are given, a line that names them comes first."""
    lines = [f"- {purpose}: {as_code(command)}" for purpose, command in pairs]
    return "\n".join([f"From {list_values(files)}:", *lines] if files else lines)
