"""Change one table in a hand-written TOML file."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from sidecar.cli.edits import EditRefused

_KEY = re.compile(r"""^[ \t]*("?[\w-]+"?)[ \t]*=""")


def with_table(text: str, table: tuple[str] | tuple[str, str], values: Mapping[str, Any]) -> str:
    """Return the text with `values`, none a table, set in the table `[a]` or `[a.b]`. Its other keys stay."""
    before = _parse_toml(text)
    expected = _merge(before, table, values)
    if expected == before and values:
        return text
    entries = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    span = _find_table(text, table)
    if span is None:
        gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
        after = f"{text}{gap}[{'.'.join(table)}]\n" + "\n".join(entries) + "\n"
    else:
        lines = text[span[0] : span[1]].split("\n")
        other_lines = [line for line in lines[1:] if not ((key := _KEY.match(line)) and key[1].strip('"') in values)]
        after = text[: span[0]] + "\n".join([lines[0], *entries, *other_lines]) + text[span[1] :]
    return _checked_toml(after, expected, table)


def without_table(text: str, table: tuple[str, str]) -> str:
    before = _parse_toml(text)
    outer = before.get(table[0]) or {}
    if table[1] not in outer:
        return text
    after = text
    while (span := _find_table(after, table, below=True)) is not None:
        head, rest = after[: span[0]], after[span[1] :]
        after = head.rstrip("\n") + "\n" * (2 if rest.strip() else 1) + rest.lstrip("\n") if head.strip() else rest
    remaining = {key: value for key, value in outer.items() if key != table[1]}
    return _checked_toml(after, {**before, table[0]: remaining}, table)


def _merge(tables: dict[str, Any], table: tuple[str, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    if not table:
        return {**tables, **values}
    inner = tables.get(table[0], {})
    if not isinstance(inner, dict):
        raise EditRefused(f"{table[0]} is not a table.")
    return {**tables, table[0]: _merge(inner, table[1:], values)}


def _find_table(text: str, table: tuple[str, ...], *, below: bool = False) -> tuple[int, int] | None:
    """Return the start and end of a table. With `below`, also find a table inside it."""
    name = r"\.".join(rf'(?:{re.escape(part)}|"{re.escape(part)}")' for part in table)
    more = r"(?:\.[^\]\n]+)?" if below else ""
    header = re.search(rf"(?m)^[ \t]*\[[ \t]*{name}{more}[ \t]*\][ \t]*(?:#.*)?$", text)
    if header is None:
        return None
    following = re.compile(r"(?m)^[ \t]*\[").search(text, header.end())
    end = following.start() if following else len(text)
    lines = text[header.end() : end].splitlines(keepends=True)
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    last = header.end() + sum(map(len, lines))
    # A comment after the last value belongs to what follows, such as the next table.
    return header.start(), last if lines and text[last:end].strip() else end


def _parse_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise EditRefused(f"It is not valid TOML: {error}.") from None


def _checked_toml(after: str, expected: dict[str, Any], table: tuple[str, ...]) -> str:
    """Return the text if it means what is expected, with or without an empty outer table. Raises EditRefused."""
    try:
        actual = tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        actual = {}
    if {table[0]: {}, **actual} != {table[0]: {}, **expected}:
        form = f"[{'.'.join(table)}] is written in a form that cannot be changed in place."
        raise EditRefused(f"{form} Change it by hand.")
    return after
