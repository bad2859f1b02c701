"""One table in a hand-written TOML file."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from sidecar.cli.edits import EditRefused

_KEY = re.compile(r"""^[ \t]*("?[\w-]+"?)[ \t]*=""")


def with_table(text: str, table: tuple[str] | tuple[str, str], values: Mapping[str, Any]) -> str:
    """Return the text with a table `[a]` or `[a.b]` of strings, numbers, booleans and lists of them.

    Other keys of the table stay. Raises EditRefused if the file is not TOML or writes the table in another form.
    """
    before = _parse_toml(text)
    current: Any = before
    for part in table:
        current = current.get(part, {}) if isinstance(current, dict) else {}
    if isinstance(current, dict) and current == {**current, **values} and current:
        return text
    entries = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    span = _find_table(text, table)
    if span is None:
        gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
        after = f"{text}{gap}[{_dotted_name(table)}]\n" + "\n".join(entries) + "\n"
    else:
        lines = text[span[0] : span[1]].split("\n")
        rest = [line for line in lines[1:] if not ((key := _KEY.match(line)) and key[1].strip('"') in values)]
        after = text[: span[0]] + "\n".join([lines[0], *entries, *rest]) + text[span[1] :]
    return _checked_toml(after, before, table, dict(values))


def without_table(text: str, table: tuple[str, str]) -> str:
    """Return the text without a table and those below it."""
    before = _parse_toml(text)
    if table[1] not in (before.get(table[0]) or {}):
        return text
    after = text
    while (span := _find_table(after, table, below=True)) is not None:
        head, rest = after[: span[0]], after[span[1] :]
        after = head.rstrip("\n") + "\n" * (2 if rest.strip() else 1) + rest.lstrip("\n") if head.strip() else rest
    return _checked_toml(after, before, table, None)


def _dotted_name(table: tuple[str, ...]) -> str:
    return ".".join(table)


def _find_table(text: str, table: tuple[str, ...], *, below: bool = False) -> tuple[int, int] | None:
    """Return the start and end of a table, or with `below` also of one inside it."""
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


def _checked_toml(after: str, before: dict[str, Any], table: tuple[str, ...], values: dict[str, Any] | None) -> str:
    """Return the text if only our table has changed, and as intended. Raises EditRefused otherwise."""
    outer = dict(before.get(table[0]) or {})
    if values is None:
        outer.pop(table[1], None)
    elif len(table) == 1:
        outer |= values
    else:
        outer[table[1]] = {**outer.get(table[1], {}), **values}
    expected = {**before, table[0]: outer}
    if not outer:
        del expected[table[0]]
    try:
        actual = tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        actual = {}
    if not actual.get(table[0], True):
        del actual[table[0]]
    if actual != expected:
        raise EditRefused(
            f"[{_dotted_name(table)}] is written in a form that cannot be changed in place. Change it by hand."
        )
    return after
