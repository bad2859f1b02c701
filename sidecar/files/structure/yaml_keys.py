"""YAML: keys of the upper levels with lines; jobs, services, resources and paths where the schema is known.

The parser's events are read one by one, so nesting costs no stack; flow nesting is cut off because libyaml
needs quadratic time there. What libyaml refuses (templates, tabs) is read line by line instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from sidecar.files.structure.json_scan import Kind, Node
from sidecar.files.structure.result import Lines, Structure
from sidecar.files.structure.yaml_kinds import describe

_FLOW_DEPTH = 60
_ENDS: Any = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
_DEPTH = 3
_ITEMS = 200
_BOOLEAN = frozenset("true false yes no on off True False Yes No On Off TRUE FALSE YES NO ON OFF".split())
_NULL = frozenset(["", "~", "null", "Null", "NULL"])
_NUMBER = re.compile(
    r"[-+]?(?:\d[\d_]{0,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,4})?|0x[\da-fA-F]{1,20}"
)
_LINE_KEY = re.compile(
    r"""([ ]{0,8})(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([\w$./@-][\w$./@ -]{0,200}?))[ ]{0,8}:(?:\s|$)"""
)


def yaml_keys(text: str) -> Structure:
    """Symbols of a YAML text of one or several documents. Node positions are line numbers here."""
    try:
        return describe(_documents(text), partial=False)
    except (yaml.YAMLError, ValueError, RecursionError):
        return describe(_by_lines(text), partial=True)


def _documents(text: str) -> list[Node]:
    """The documents' nodes to a depth of three levels; of a sequence at most 200 items."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    roots: list[Node] = []
    stack: list[Node] = []
    keys: list[tuple[str, int] | None] = []
    depth = flow = last = 0
    count = max(1, Lines(text).count)
    events: Iterator[Any] = yaml.parse(text, Loader=loader)
    for event in events:
        starts = isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent))
        if starts or isinstance(event, (yaml.ScalarEvent, yaml.AliasEvent)):
            line = min(count, event.start_mark.line + 1)
            if not starts:
                below = 0 if getattr(event, "style", None) in {"|", ">"} else 1
                last = max(line, min(count, event.end_mark.line + below))
            is_key = depth == len(stack) and bool(stack) and stack[-1].kind == "object" and keys[-1] is None
            if is_key and not starts:
                value = event.value if isinstance(event, yaml.ScalarEvent) else f"*{event.anchor}"
                keys[-1] = (value[:200], line)
                continue
            if is_key:
                keys[-1] = ("?", line)
            kind, shown = _kind(event)
            node = Node(None, kind, line, max(line, last), line, shown)
            if not depth:
                roots.append(node)
            elif depth == len(stack):
                parent, pending = stack[-1], keys[-1]
                parent.count += 1
                if pending is not None:
                    node.key, node.start = pending
                if not (is_key and starts):
                    keys[-1] = None
                if len(stack) <= _DEPTH and (parent.kind == "object" or len(parent.children) < _ITEMS):
                    parent.children.append(node)
            if starts:
                flow = flow + 1 if event.flow_style or flow else 0
                if flow > _FLOW_DEPTH:
                    raise ValueError("flow collections nested too deeply")
                if depth == len(stack) and depth <= _DEPTH:
                    stack.append(node)
                    keys.append(None)
                depth += 1
        elif isinstance(event, _ENDS):
            if flow:
                flow -= 1
                last = min(count, event.end_mark.line + 1)
            depth -= 1
            if depth < len(stack):
                keys.pop()
                ended = stack.pop()
                ended.end = max(ended.start, last)
    return roots


def _kind(event: Any) -> tuple[Kind, str]:
    if isinstance(event, yaml.MappingStartEvent):
        return "object", ""
    if isinstance(event, yaml.SequenceStartEvent):
        return "array", ""
    if isinstance(event, yaml.AliasEvent):
        return "string", f"*{event.anchor}"
    value: str = event.value
    if event.style or len(value) > 40:
        return "string", value[:400]
    if value in _BOOLEAN:
        return "boolean", value
    if value in _NULL:
        return "null", "null"
    return ("number" if _NUMBER.fullmatch(value) else "string"), value


def _by_lines(text: str) -> list[Node]:
    """Keys of the first two levels by indentation alone; documents are not told apart."""
    root = Node(None, "object", 1, Lines(text).count, 1)
    inner = 0
    for number, row in enumerate(text.split("\n"), 1):
        match = _LINE_KEY.match(row) if len(row) < 2000 and row[:1] not in {"#", "-"} else None
        if match is None:
            continue
        name = match[2] or match[3] or match[4]
        rest = row[match.end() :].strip()
        node = Node(name, "string" if rest else "object", number, number, number, "")
        indent = len(match[1])
        if not indent:
            if root.children:
                root.children[-1].end = max(root.children[-1].start, number - 1)
            root.children.append(node)
            root.count += 1
            inner = 0
        elif root.children and (not inner or indent == inner):
            inner = indent
            parent = root.children[-1]
            parent.kind, parent.count = "object", parent.count + 1
            parent.children.append(node)
    if root.children:
        root.children[-1].end = root.end
    return [root] if root.children else []
