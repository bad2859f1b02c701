"""Small changes to a JSON file that people write by hand: comments, order, indentation and trailing commas stay."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_PLAIN = re.compile(r"[-+.\w]+")
_DEEPEST = 100


class NotJson(ValueError):
    """The text is no JSON, with or without comments; says where."""


@dataclass
class _Node:
    """A value and where it stands. `members` of an object, `items` of an array."""

    start: int
    end: int = 0
    members: dict[str, _Node] = field(default_factory=dict)
    items: list[_Node] = field(default_factory=list)
    comma: int | None = None  # where a comma follows the last member or item

    @property
    def children(self) -> list[_Node]:
        return list(self.members.values()) or self.items


def with_value(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at a path of keys; what was there is replaced, objects on the way are made."""
    text = text if text.strip() else "{}\n"
    node = _parse(text)
    for depth, key in enumerate(path):
        if text[node.start] != "{":
            raise NotJson(f"{'.'.join(path[:depth]) or 'the file'} is no object.")
        found = node.members.get(key)
        if found is None:
            for outer in reversed(path[depth + 1 :]):
                value = {outer: value}
            return _inserted(text, node, value, key)
        node = found
    if _value(text, node) == value:
        return text
    return text[: node.start] + _rendered(value, _indent(text, node.start)) + text[node.end :]


def with_item(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at the end of the array at a path, which is made when it is not there."""
    node = _parse(text if text.strip() else "{}")
    for key in path:
        if key not in node.members:
            return with_value(text, path, [value])
        node = node.members[key]
    if text[node.start] != "[":
        raise NotJson(f"{'.'.join(path)} is no list.")
    if any(_value(text, item) == value for item in node.items):
        return text
    return _inserted(text, node, value)


def _inserted(text: str, node: _Node, value: Any, key: str | None = None) -> str:
    children = node.children
    outer = _indent(text, node.start)
    own_line = children and "\n" in text[node.start : children[0].start]
    step = "\t" if "\n\t" in text else "  "
    first = _line_start(text, children[0].start) if own_line else 0
    inner = (re.match(r"[ \t]*", text[first:]) or [""])[0] if own_line else outer + step
    head = f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else ""
    entry = f"\n{inner}{head}{_rendered(value, inner)}"
    if not children:
        return f"{text[: node.start + 1]}{entry}\n{outer}{text[node.end - 1 :]}"
    if node.comma is not None:
        return f"{text[: node.comma + 1]}{entry}{text[node.comma + 1 :]}"
    at = children[-1].end
    return f"{text[:at]},{entry}{text[at:]}"


def _rendered(value: Any, indent: str) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n" + indent)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _indent(text: str, at: int) -> str:
    found = re.match(r"[ \t]*", text[_line_start(text, at) :])
    return found[0] if found else ""


def _value(text: str, node: _Node) -> Any:
    if text[node.start] == "{":
        return {key: _value(text, member) for key, member in node.members.items()}
    if text[node.start] == "[":
        return [_value(text, item) for item in node.items]
    return json.loads(text[node.start : node.end])


def _parse(text: str) -> _Node:
    start = 1 if text.startswith("\ufeff") else 0
    node = _node(text, _skip(text, start), 0)
    if _skip(text, node.end) != len(text):
        raise _wrong(text, node.end)
    return node


def _node(text: str, at: int, depth: int) -> _Node:
    if depth > _DEEPEST:
        raise NotJson("It is nested too deeply.")
    if at < len(text) and text[at] in "{[":
        return _container(text, at, depth)
    found = _STRING.match(text, at) or _PLAIN.match(text, at)
    if found is None:
        raise _wrong(text, at)
    try:
        json.loads(found[0])
    except ValueError:
        raise _wrong(text, at) from None
    return _Node(at, found.end())


def _container(text: str, at: int, depth: int) -> _Node:
    node = _Node(at)
    close = "}" if text[at] == "{" else "]"
    at = _skip(text, at + 1)
    while at < len(text) and text[at] != close:
        if close == "}":
            found = _STRING.match(text, at)
            if found is None:
                raise _wrong(text, at)
            at = _skip(text, found.end())
            if text[at : at + 1] != ":":
                raise _wrong(text, at)
            child = node.members[json.loads(found[0])] = _node(text, _skip(text, at + 1), depth + 1)
        else:
            child = _node(text, at, depth + 1)
            node.items.append(child)
        at = _skip(text, child.end)
        node.comma = None
        if text[at : at + 1] == ",":
            node.comma = at
            at = _skip(text, at + 1)
        elif text[at : at + 1] != close:
            raise _wrong(text, at)
    if at >= len(text):
        raise _wrong(text, at)
    node.end = at + 1
    return node


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _wrong(text: str, at: int) -> NotJson:
    return NotJson(f"Line {text.count(chr(10), 0, at) + 1} is not valid JSON.")
