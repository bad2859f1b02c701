"""A tolerant JSON scanner: positions and kinds of the upper levels, without recursion.

Comments, trailing commas, single quotes and bare keys (JSON5, tsconfig) are accepted. Levels deeper than asked
for are skipped token by token, so nesting costs no stack and time is linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

import msgspec

Kind = Literal["object", "array", "string", "number", "boolean", "null"]

_TOKEN = re.compile(
    r"""[\s,]*(?:(?P<string>"(?:[^"\\\n]+|\\.)*"?|'(?:[^'\\\n]+|\\.)*'?)|(?P<word>[\w$.+-]+)|(?P<mark>[{}\[\]:])"""
    r"""|(?P<line>//[^\n]*|\#[^\n]*)|(?P<block>/\*)|(?P<other>[^\s,]))"""
)
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|0[xX][\da-fA-F]+|[+-]?Infinity|NaN")
_CLOSER = {"{": "}", "[": "]"}
_KEPT_TEXT = 400


@dataclass(slots=True)
class Node:
    """One value: its key (None in arrays), where it stands (offsets, of the key when it has one), and for
    containers how many values are directly in it and the first of them as `children`.
    """

    key: str | None
    kind: Kind
    start: int
    end: int
    value: int
    text: str = ""
    count: int = 0
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Scan:
    """The top-level values of a text, and whether something in it was not as JSON should be."""

    roots: list[Node]
    partial: bool


def unquote(raw: str) -> str:
    """Text of a string token; escapes that cannot be decoded stay as written."""
    inner = raw[1:-1] if len(raw) > 1 and raw[-1] == raw[0] else raw[1:]
    if "\\" not in inner:
        return inner
    try:
        return msgspec.json.decode(f'"{inner}"', type=str)
    except (msgspec.MsgspecError, UnicodeError):
        return inner


def scan(text: str, depth: int = 3, items: int = 1) -> Scan:
    """Values down to `depth` levels of containers; of every array the first `items`, of objects all."""
    roots: list[Node] = []
    stack: list[Node] = []
    closers: list[str] = []
    partial = False
    pending: tuple[str, int] | None = None
    named = False
    position, size = 0, len(text)
    match_token = _TOKEN.match

    def add(kind: Kind, start: int, end: int, raw: str) -> Node:
        nonlocal pending, named
        key, begin = pending if pending and named else (None, start)
        pending, named = None, False
        node = Node(key, kind, begin, end, start, raw[:_KEPT_TEXT])
        if not closers:
            roots.append(node)
        elif len(closers) <= len(stack):
            parent = stack[-1]
            parent.count += 1
            if len(closers) <= depth and (parent.kind == "object" or len(parent.children) < items):
                parent.children.append(node)
        return node

    while position < size:
        match = match_token(text, position)
        if match is None:
            break
        position = match.end()
        group = match.lastgroup
        if group == "string":
            raw, start = match["string"], match.start("string")
            if len(raw) < 2 or raw[-1] != raw[0]:
                partial = True
            if closers and closers[-1] == "}" and not named:
                partial = partial or pending is not None
                pending = (unquote(raw[:_KEPT_TEXT]), start)
            else:
                add("string", start, position, raw)
        elif group == "word":
            word, start = match["word"], match.start("word")
            if closers and closers[-1] == "}" and not named:
                partial = partial or pending is not None
                pending = (word[:_KEPT_TEXT], start)
            elif word in {"true", "false"}:
                add("boolean", start, position, word)
            elif word in {"null", "undefined"}:
                add("null", start, position, word)
            else:
                partial = partial or _NUMBER.fullmatch(word) is None
                add("number" if _NUMBER.fullmatch(word) else "string", start, position, word)
        elif group == "mark":
            mark, start = match["mark"], match.start("mark")
            if mark == ":":
                named = pending is not None
                partial = partial or not named
            elif mark in _CLOSER:
                partial = partial or bool(closers and closers[-1] == "}" and not named)
                node = add("object" if mark == "{" else "array", start, size, "")
                if len(closers) == len(stack) and len(closers) <= depth:
                    stack.append(node)
                closers.append(_CLOSER[mark])
            else:
                partial = partial or pending is not None
                pending, named = None, False
                if not closers or closers[-1] != mark:
                    partial = True
                    if mark not in closers[-8:]:
                        continue
                    while closers[-1] != mark:
                        _close(closers, stack, position)
                _close(closers, stack, position)
        elif group == "block":
            end = text.find("*/", position)
            if end < 0:
                partial = True
                break
            position = end + 2
        elif group == "other":
            partial = True
    return Scan(roots, partial or bool(closers) or pending is not None)


def _close(closers: list[str], stack: list[Node], position: int) -> None:
    closers.pop()
    if len(stack) > len(closers):
        stack.pop().end = position
