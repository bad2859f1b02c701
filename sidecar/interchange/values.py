"""Read values of other tools' JSON and front matter. A value of an unexpected shape counts as absent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from sidecar.text.cutting import cut_at_word
from sidecar.text.times import millis
from sidecar.text.toml import read_toml

MAX_NAME_CHARS = 200  # characters, as of a memory's name


@cache
def vocabulary(format: str) -> tuple[dict[str, tuple[str, str | None]], dict[str, str]]:
    """Return our type and category for each of a tool's words, and our kind of link for each of its link words."""
    tables = read_toml(Path(__file__).with_name("formats").joinpath("vocabulary.toml").read_text("utf-8"))[format]
    types = {word: (ours[0], ours[1] if len(ours) > 1 else None) for word, ours in tables.get("types", {}).items()}
    return types, tables.get("links", {})


def decode_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; None if it is no JSON."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError):
        return None


def read_yaml(text: str) -> Any:
    """Return the value of a YAML text, None if broken. Scalars stay text: `on`, `1.10` and dates as written."""
    import yaml

    try:
        return yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def json_lines(text: str) -> Iterator[tuple[int, str, dict[str, Any] | None]]:
    """Yield number, text and object of each line that is not blank. The object is None if the line has none."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            value = decode_json(line)
            yield number, line, value if isinstance(value, dict) else None


def text_of(fields: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of these fields that holds text, without white space around it."""
    values = (fields.get(name) for name in names)
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), None)


def list_of(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the distinct texts of a list, or of one text with commas."""
    value = fields.get(name)
    values = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(dict.fromkeys(item.strip() for item in values if isinstance(item, str) and item.strip()))


def time_of(fields: Mapping[str, Any], *names: str) -> int | None:
    """Return the first of these fields that holds a time, in epoch milliseconds. Small numbers are seconds."""
    times = (millis(fields.get(name)) for name in names)
    return next((at for at in times if at is not None), None)


def short_name(value: object, max_chars: int = MAX_NAME_CHARS) -> str | None:
    """Return a text on one line, cut at a word to the length of a name; None for anything else."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return cut_at_word(text, max_chars) or None


def plain_files(values: Iterable[object]) -> tuple[str, ...]:
    """Return the paths that can be inside a workspace: relative, without `..` and control characters."""
    paths = []
    for value in values:
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            continue
        path = value.strip().removeprefix("./")
        if path.startswith(("/", "~", "\\")) or ":" in path[:3] or ".." in path.split("/"):
            continue
        paths.append(path)
    return tuple(dict.fromkeys(paths))
