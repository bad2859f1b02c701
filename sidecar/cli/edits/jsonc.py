"""Small changes to a JSON file that people write by hand: comments, order, indentation and trailing commas stay."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sidecar.cli.edits.refused import Refused

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_END_OF_LINE = re.compile(r"(?:[ \t]*(?://[^\n]*|/\*[^\n]*?\*/))?")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_PLAIN = re.compile(r"[-+.\w]+")
_DEEPEST = 100


class NotJson(Refused):
    """The text is no JSON, with or without comments; says where."""


@dataclass
class _Node:
    """A value and where it stands. `members` of an object, `items` of an array."""

    start: int
    end: int = 0
    begin: int = 0  # where its key begins, when it has one
    members: dict[str, _Node] = field(default_factory=dict)
    items: list[_Node] = field(default_factory=list)
    comma: int | None = None  # where a comma follows the last member or item

    @property
    def children(self) -> list[_Node]:
        return list(self.members.values()) or self.items


def with_value(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at a path of keys; objects on the way are made.

    An object that is there keeps the keys that `value` does not have: somebody may have added an environment.
    """
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
    there = _value(text, node)
    if isinstance(there, dict) and isinstance(value, dict):
        value = {**there, **value}
    if there == value:
        return text
    return text[: node.start] + _rendered(value, _indent(text, node.start)) + text[node.end :]


def without_value(text: str, path: Sequence[str]) -> str:
    """The text without what is at a path of keys, and without the objects on the way that are empty then."""
    if not text.strip():
        return text
    node = _parse(text)
    way = [node]
    for key in path:
        found = node.members.get(key)
        if found is None:
            return text
        way.append(node := found)
    text = _removed(text, way[-2], way[-1])
    if len(path) > 1 and len(way[-2].children) == 1:
        return without_value(text, path[:-1])
    return text


def with_items(text: str, path: Sequence[str], value: Any, own: Callable[[Any], bool]) -> str:
    """The text with `value` as the only one of ours in the array at a path, which is made when it is not there."""
    node = _at(_parse(text if text.strip() else "{}"), path)
    if node is None:
        return with_value(text, path, [value])
    if text[node.start] != "[":
        raise NotJson(f"{'.'.join(path)} is no list.")
    if [item for item in _value(text, node) if own(item)] == [value]:
        return text
    text = without_items(text, path, own, prune=False)
    node = _at(_parse(text), path)
    return text if node is None else _inserted(text, node, value)


def without_items(text: str, path: Sequence[str], own: Callable[[Any], bool], *, prune: bool = True) -> str:
    """The text without the items of ours in the array at a path; with `prune` the array goes when it is empty."""
    if not text.strip():
        return text
    changed = False
    while True:
        node = _at(_parse(text), path)
        if node is None or text[node.start] != "[":
            return text
        mine = next((item for item in node.items if own(_value(text, item))), None)
        if mine is None:
            return without_value(text, path) if prune and changed and not node.items else text
        text, changed = _removed(text, node, mine), True


def read_value(text: str) -> Any:
    """What a text says, comments and trailing commas left out; an empty one says an empty object."""
    return _value(text, _parse(text)) if text.strip() else {}


def is_empty(text: str) -> bool:
    """Whether a file says nothing."""
    return not read_value(text)


def _at(node: _Node, path: Sequence[str]) -> _Node | None:
    for key in path:
        found = node.members.get(key)
        if found is None:
            return None
        node = found
    return node


def _removed(text: str, outer: _Node, child: _Node) -> str:
    children = outer.children
    place = next(at for at, each in enumerate(children) if each is child)
    end = _skip(text, child.end)
    end = end + 1 if text[end] == "," else child.end
    begin = len(text[: child.begin].rstrip())
    if text[end:].split("\n", 1)[0].strip() and begin > outer.start + 1:
        begin = child.begin  # what follows on the same line is not to end up behind a comment
    rest = text[end:]
    if place == len(children) - 1 and place and text[end - 1] != ",":
        comma = _skip(text, children[place - 1].end)
        head = text[:comma] + text[comma + 1 : begin]
    else:
        head = text[:begin]
    if len(children) == 1 and not (head[outer.start + 1 :] + rest[: outer.end - 1 - end]).strip():
        return head[: outer.start + 1] + rest[outer.end - 1 - end :]
    return head + rest


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
        said = text[node.start + 1 : node.end - 1].rstrip()  # comments, as in a file that an editor made
        return f"{text[: node.start + 1]}{said}{entry}\n{outer}{text[node.end - 1 :]}"
    # What is said at the end of the line before belongs to that line.
    if node.comma is not None:
        at = _END_OF_LINE.match(text, node.comma + 1).end()  # type: ignore[union-attr]
        return f"{text[:at]}{entry}{text[at:]}"
    end = children[-1].end
    at = _END_OF_LINE.match(text, end).end()  # type: ignore[union-attr]
    return f"{text[:end]},{text[end:at]}{entry}{text[at:]}"


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
            begin, at = at, _skip(text, found.end())
            if text[at : at + 1] != ":":
                raise _wrong(text, at)
            try:
                key = json.loads(found[0])
            except ValueError:
                raise _wrong(text, begin) from None
            child = node.members[key] = _node(text, _skip(text, at + 1), depth + 1)
            child.begin = begin
        else:
            child = _node(text, at, depth + 1)
            child.begin = at
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
