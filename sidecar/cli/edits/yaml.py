"""Change one entry below a top-level key of a hand-written YAML file.

The entry is an item with a `name` in a list, or a value in a map.
"""

from __future__ import annotations

import json
import re
from typing import Any

from sidecar.cli.edits import EditRefused

Entry = dict[str, Any]


def with_entry(text: str, key: str, name: str, entry: Entry, *, listed: bool) -> str:
    """Return the text with `entry` below `key`; if `listed`, as the item of that `name`. Raises EditRefused."""
    before = _parse_yaml(text)
    expected = _merge_entry(before, key, name, entry, listed=listed)
    if expected == before:
        return text
    text = without_entry(text, key, name, listed=listed, prune=False)
    lines = text.split("\n")
    index = _line_of(lines, key)
    if index == len(lines):
        head = text if not text or text.endswith("\n") else text + "\n"
        after = head + "\n".join([f"{key}:", *_render(name, entry, "  ", listed=listed)]) + "\n"
    else:
        if re.fullmatch(rf"{re.escape(key)}\s*:\s*(?:\[\s*\]|\{{\s*\}}|null|~)\s*(#.*)?", lines[index]):
            lines[index] = f"{key}:"
        indent = _indent_below(lines, index, listed=listed)
        after = "\n".join([*lines[: index + 1], *_render(name, entry, indent, listed=listed), *lines[index + 1 :]])
    return _checked_yaml(after, expected, key)


def without_entry(text: str, key: str, name: str, *, listed: bool, prune: bool = True) -> str:
    """Return the text without the named entry. With `prune`, also remove a key left without entries."""
    before = _parse_yaml(text)
    expected = _merge_entry(before, key, name, None, listed=listed)
    if expected == before:
        return text
    lines = text.split("\n")
    top = _line_of(lines, key)
    escaped = rf"(?:{re.escape(name)}|'{re.escape(name)}'|\"{re.escape(name)}\")"
    mark = re.compile(rf"(\s*)- name:\s*{escaped}\s*$" if listed else rf"(\s+){escaped}\s*:\s*$")
    begin = next((index for index in range(top + 1, len(lines)) if mark.fullmatch(lines[index])), None)
    if begin is None:
        raise EditRefused(f"{name} below {key} is written in a form that cannot be changed in place.")
    depth = _indentation(lines[begin])
    end = begin + 1
    while end < len(lines) and (not lines[end].strip() or _indentation(lines[end]) > depth):
        end += 1
    while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
        end -= 1  # a comment below our lines is not ours, however deep it is indented
    rest = [*lines[:begin], *lines[end:]]
    if not expected.get(key):
        if prune:
            del rest[top]
            expected.pop(key, None)
        else:
            expected[key] = None
    return _checked_yaml("\n".join(rest), expected, key)


def is_empty(text: str) -> bool:
    return not _parse_yaml(text)


def _merge_entry(data: dict[str, Any], key: str, name: str, entry: Entry | None, *, listed: bool) -> dict[str, Any]:
    before = data.get(key)
    if listed:
        if before is not None and not isinstance(before, list):
            raise EditRefused(f"{key} is not a list.")
        items = list(before or [])
        old = next((item for item in items if isinstance(item, dict) and item.get("name") == name), None)
        if entry is not None and old is not None and old == {**old, **entry}:
            return data
        rest = [item for item in items if item is not old]
        if old is None and entry is None:
            return data
        return {**data, key: rest if entry is None else [{"name": name, **entry}, *rest]}
    if before is not None and not isinstance(before, dict):
        raise EditRefused(f"{key} is not a map.")
    entries = dict(before or {})
    if (entry is None and name not in entries) or (entry is not None and entries.get(name) == entry):
        return data
    entries.pop(name, None)
    return {**data, key: entries if entry is None else {name: entry, **entries}}


def _render(name: str, entry: Entry, indent: str, *, listed: bool) -> list[str]:
    # JSON's strings, numbers, booleans and lists are valid YAML.
    rows = [f"{indent}  {key}: {json.dumps(value)}" for key, value in entry.items()]
    return [f"{indent}- name: {name}" if listed else f"{indent}{name}:", *rows]


def _line_of(lines: list[str], key: str) -> int:
    """Return the index of a top-level key's line, or the number of lines."""
    return next((index for index, line in enumerate(lines) if re.match(rf"{re.escape(key)}\s*:", line)), len(lines))


def _indent_below(lines: list[str], index: int, *, listed: bool) -> str:
    for line in lines[index + 1 :]:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        depth = _indentation(line)
        if depth or (listed and line.startswith("- ")):
            return " " * depth
        break
    return "  "


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _parse_yaml(text: str) -> dict[str, Any]:
    import yaml

    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that does not exist
        raise EditRefused(f"It is not valid YAML: {str(error).splitlines()[0]}.") from None
    if data is not None and not isinstance(data, dict):
        raise EditRefused("Its top level is not a map.")
    return data or {}


def _checked_yaml(after: str, expected: dict[str, Any], key: str) -> str:
    try:
        actual = _parse_yaml(after)
    except EditRefused:
        actual = {}
    if actual != expected:
        raise EditRefused(f"{key} is written in a form that cannot be changed in place. Change it by hand.")
    return after
