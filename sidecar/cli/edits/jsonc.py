"""Small changes to hand-written JSON. Comments, order, indentation and trailing commas stay."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sidecar.cli.edits import EditRefused

_COMMENT_OR_STRING = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*"|[\[{,]\s*,)|,(?=\s*[\]}])')
_WHITESPACE = re.compile(r"\s*")
_END_OF_LINE = re.compile(r"(?:[ \t]*(?://[^\n]*|/\*[^\n]*?\*/))?")
_decoder = json.JSONDecoder()


class _Node(NamedTuple):
    """A value and its position. A member of an object also has a key, which starts at `begin`."""

    begin: int
    start: int
    end: int
    value: Any
    key: str | None = None


class _Document:
    """A JSON text that may have comments and trailing commas. Raises `EditRefused`."""

    def __init__(self, text: str) -> None:
        self.text = text
        blank = _COMMENT_OR_STRING.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)
        self._without_comments = blank.replace("\ufeff", " ", 1) if blank.startswith("\ufeff") else blank
        self._json = _TRAILING_COMMA.sub(lambda match: match[1] or " ", self._without_comments)
        try:
            value = json.loads(self._json)
        except json.JSONDecodeError as error:
            raise EditRefused(f"Line {error.lineno} is not valid JSON.") from None
        except RecursionError:
            raise EditRefused("It is nested too deeply.") from None
        start = _skip(self._json, 0)
        self.root = _Node(start, start, len(self._json.rstrip()), value)

    def children(self, node: _Node) -> list[_Node]:
        """Return the members of an object or the items of an array."""
        if not isinstance(node.value, dict | list):
            return []
        nodes = []
        index = _skip(self._json, node.start + 1)
        while index < node.end - 1:
            begin, key = index, None
            if isinstance(node.value, dict):
                key, index = _decoder.raw_decode(self._json, index)
                index = _skip(self._json, _skip(self._json, index) + 1)
            value, end = _decoder.raw_decode(self._json, index)
            nodes.append(_Node(begin, index, end, value, key))
            index = _skip(self._json, end)
            if self._json[index] == ",":
                index = _skip(self._json, index + 1)
        return nodes

    def nodes_along(self, path: Sequence[str]) -> list[_Node]:
        """Return the nodes along a path of keys, up to the first missing key."""
        nodes = [self.root]
        for key in path:
            if not isinstance(nodes[-1].value, dict) or key not in nodes[-1].value:
                break
            nodes.append([child for child in self.children(nodes[-1]) if child.key == key][-1])
        return nodes

    def comma_after(self, node: _Node) -> int | None:
        index = _skip(self._without_comments, node.end)
        return index if self._without_comments[index : index + 1] == "," else None


def with_value(text: str, path: Sequence[str], value: Any) -> str:
    """Return the text with `value` at a path of keys. An object there keeps its other keys."""
    text = text if text.strip() else "{}\n"
    source = _Document(text)
    nodes = source.nodes_along(path)
    node, missing = nodes[-1], path[len(nodes) - 1 :]
    if missing:
        if not isinstance(node.value, dict):
            raise EditRefused(f"{'.'.join(path[: len(nodes) - 1]) or 'the file'} is not an object.")
        for outer in reversed(missing[1:]):
            value = {outer: value}
        return _insert(source, node, value, missing[0])
    if isinstance(node.value, dict) and isinstance(value, dict):
        value = {**node.value, **value}
    if node.value == value:
        return text
    return text[: node.start] + _render(value, _indent(text, node.start)) + text[node.end :]


def without_value(text: str, path: Sequence[str]) -> str:
    """Return the text without the value at a path of keys, and without objects that this makes empty."""
    if not text.strip():
        return text
    source = _Document(text)
    nodes = source.nodes_along(path)
    if len(nodes) <= len(path):
        return text
    text = _remove(source, nodes[-2], nodes[-1])
    return without_value(text, path[:-1]) if len(path) > 1 and len(nodes[-2].value) == 1 else text


def with_items(text: str, path: Sequence[str], value: Any, is_own: Callable[[Any], bool]) -> str:
    """Return the text with `value` as our only item in the array at a path. A missing array is created."""
    nodes = _Document(text if text.strip() else "{}").nodes_along(path)
    if len(nodes) <= len(path):
        return with_value(text, path, [value])
    if not isinstance(nodes[-1].value, list):
        raise EditRefused(f"{'.'.join(path)} is not a list.")
    if [item for item in nodes[-1].value if is_own(item)] == [value]:
        return text
    source = _Document(without_items(text, path, is_own, prune=False))
    return _insert(source, source.nodes_along(path)[-1], value)


def without_items(text: str, path: Sequence[str], is_own: Callable[[Any], bool], *, prune: bool = True) -> str:
    """Return the text without our items in the array at a path. With `prune`, also remove an array thus emptied."""
    changed = False
    while text.strip():
        source = _Document(text)
        nodes = source.nodes_along(path)
        if len(nodes) <= len(path) or not isinstance(nodes[-1].value, list):
            break
        own = next((item for item in source.children(nodes[-1]) if is_own(item.value)), None)
        if own is None:
            return without_value(text, path) if prune and changed and not nodes[-1].value else text
        text, changed = _remove(source, nodes[-1], own), True
    return text


def read_value(text: str) -> Any:
    """Return the value of a text, without comments and trailing commas. An empty text means an empty object."""
    return _Document(text).root.value if text.strip() else {}


def _remove(source: _Document, outer: _Node, child: _Node) -> str:
    text, children = source.text, source.children(outer)
    index = children.index(child)
    comma = source.comma_after(child)
    end = child.end if comma is None else comma + 1
    begin = len(text[: child.begin].rstrip())
    if text[end:].split("\n", 1)[0].strip() and begin > outer.start + 1:
        begin = child.begin  # so that what follows on the same line does not end up behind a comment
    rest = text[end:]
    before = source.comma_after(children[index - 1]) if index else None
    head = text[:begin]
    if before is not None and index == len(children) - 1 and comma is None:
        head = text[:before] + text[before + 1 : begin]
    if len(children) == 1 and not (head[outer.start + 1 :] + rest[: outer.end - 1 - end]).strip():
        return head[: outer.start + 1] + rest[outer.end - 1 - end :]
    return head + rest


def _insert(source: _Document, node: _Node, value: Any, key: str | None = None) -> str:
    text, children = source.text, source.children(node)
    outer = _indent(text, node.start)
    own_line = children and "\n" in text[node.start : children[0].start]
    inner = _indent(text, children[0].start) if own_line else outer + ("\t" if "\n\t" in text else "  ")
    head = f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else ""
    entry = f"\n{inner}{head}{_render(value, inner)}"
    if not children:
        inside = text[node.start + 1 : node.end - 1].rstrip()  # comments, as in a file that an editor created
        return f"{text[: node.start + 1]}{inside}{entry}\n{outer}{text[node.end - 1 :]}"
    end, comma = children[-1].end, source.comma_after(children[-1])
    line_end = _END_OF_LINE.match(text, end if comma is None else comma + 1)
    index = line_end.end() if line_end else end  # a comment at the end of the line before belongs to that line
    joint = "," if comma is None else ""
    return f"{text[:end]}{joint}{text[end:index]}{entry}{text[index:]}"


def _render(value: Any, indent: str) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n" + indent)


def _indent(text: str, index: int) -> str:
    line = text[text.rfind("\n", 0, index) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _skip(text: str, index: int) -> int:
    match = _WHITESPACE.match(text, index)
    return match.end() if match else index
