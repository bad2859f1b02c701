"""YAML: keys of the upper levels with lines; jobs, services, resources and paths of known schemas.

The parser's events are read one by one, so nesting costs no stack; flow nesting is cut off because libyaml needs
quadratic time there. Texts that libyaml rejects (templates, tabs) are shown by their rows alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from sidecar.files.clean_text import shorten
from sidecar.files.structure.json_keys import FEW_ALIKE, FEW_KEYS, SHOWN_ALIKE, JsonKind, KeyNode, alike, items
from sidecar.files.structure.result import (
    MAX_CHILDREN,
    MAX_SYMBOLS,
    LineNumbers,
    Structure,
    capped,
    distinct,
    first_sentence,
)
from sidecar.files.structure.values import brief, secret_key, secret_value
from sidecar.store.records import SymbolRecord

_FLOW_DEPTH = 60
_ENDS: Any = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
_DEPTH = 3
_ITEMS = 200
_BOOLEAN = frozenset("true false yes no on off True False Yes No On Off TRUE FALSE YES NO ON OFF".split())
_NULL = frozenset(["", "~", "null", "Null", "NULL"])
_NUMBER = re.compile(r"[-+]?(?:\d[\d_]{0,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,4})?|0x[\da-fA-F]{1,20}")


def yaml_keys(text: str) -> Structure:
    try:
        return describe(_documents(text), partial=False)
    except (yaml.YAMLError, ValueError, RecursionError):
        return Structure(partial=True)


def _documents(text: str) -> list[KeyNode]:
    """Return the documents' nodes to a depth of three levels, with at most 200 items per sequence."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    roots: list[KeyNode] = []
    stack: list[KeyNode] = []
    keys: list[tuple[str, int] | None] = []
    depth = flow = last = 0
    count = max(1, LineNumbers(text).count)
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
            node = KeyNode(None, kind, line, max(line, last), line, shown)
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


def _kind(event: Any) -> tuple[JsonKind, str]:
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


_TOLD_WHOLE = frozenset({"jobs", "services", "paths"})


def describe(documents: list[KeyNode], *, partial: bool) -> Structure:
    """Turn the documents' nodes, whose positions are lines, into a structure."""
    documents = [document for document in documents if document.kind in {"object", "array"}]
    if not documents:
        return Structure(partial=partial)
    resources = [document for document in documents if _text(document, "kind") and _text(document, "apiVersion")]
    if resources and len(resources) == len(documents):
        return _resources(resources, partial)
    if len(documents) > 1:
        symbols = [_document(number, document) for number, document in enumerate(documents, 1)]
        return Structure(
            doc=f"{len(documents):,} YAML documents.", symbols=capped(symbols, what="documents"), partial=partial
        )
    root = documents[0]
    if root.kind == "array":
        return _sequence(root, partial)
    keys = {child.key: child for child in root.children}
    named = _text(root, "name") or _text(root, "title") or _text(keys.get("info"), "title")
    doc = _text(root, "description") or _text(keys.get("info"), "description")
    if named and secret_value(named):
        named = None
    if not doc and "jobs" in keys and ("on" in keys or "true" in keys):
        doc = _workflow(named, keys)
    elif not doc and named and ("openapi" in keys or "swagger" in keys):
        doc = f"API “{shorten(named, 80)}”."
    return Structure(
        doc=first_sentence(doc) if doc and not secret_value(doc) else alike(root),
        symbols=capped(
            [_symbol(child, root, words_too=root.count <= FEW_KEYS) for child in root.children],
            SHOWN_ALIKE if alike(root) else MAX_SYMBOLS,
            "keys",
        ),
        imports=_uses(keys),
        partial=partial,
    )


def _workflow(name: str | None, keys: dict[str | None, KeyNode]) -> str:
    events, jobs = keys.get("on") or keys["true"], keys["jobs"]
    told = [child.key or child.text for child in events.children] or [events.text]
    on = ", ".join(filter(None, (each and shorten(each, 40) for each in told[:6])))
    named = f" “{shorten(name, 80)}”" if name else ""
    run = ", ".join(shorten(child.key or "", 40) for child in jobs.children[:8])
    return f"GitHub Actions workflow{named}{f', on {on}' if on else ''}{f'; jobs: {run}' if run else ''}"


def _symbol(node: KeyNode, parent: KeyNode | None = None, *, words_too: bool = False) -> SymbolRecord:
    key = node.key or '""'
    children: tuple[SymbolRecord, ...] = ()
    if parent is not None and node.kind == "object":
        most = FEW_ALIKE if alike(node) and key not in _TOLD_WHOLE else MAX_CHILDREN
        children = capped([_symbol(child) for child in node.children], most, "keys")
    return _record("key", key, node, f"{key}: {_shape(node, words_too=words_too)}", children)


def _record(
    kind: str, name: str, node: KeyNode, signature: str, children: tuple[SymbolRecord, ...] = ()
) -> SymbolRecord:
    end = max(node.start, node.end)
    return SymbolRecord(kind=kind, name=name, start=node.start, end=end, signature=signature, children=children)


def _shape(node: KeyNode, *, words_too: bool) -> str:
    if node.kind == "object":
        return alike(node) or f"object ({node.count:,})"
    if node.kind == "array":
        return f"array of {node.count:,}{items(node)}"
    if node.kind == "string":
        return brief(node.key or "", node.text, words_too=words_too) or "string"
    return node.kind if node.kind == "number" and secret_key(node.key or "") else node.text


def _resources(documents: list[KeyNode], partial: bool) -> Structure:
    symbols = []
    for node in documents:
        metadata = next((child for child in node.children if child.key == "metadata"), None)
        kind, name = _text(node, "kind") or "", _text(metadata, "name") or ""
        label = shorten(f"{kind} {name}".strip(), 120)
        children = [_symbol(child) for child in node.children if child.key not in {"apiVersion", "kind", "metadata"}]
        symbols.append(_record("resource", label, node, label, capped(children, MAX_CHILDREN, "keys")))
    labels = shorten(", ".join(one.name for one in symbols), 120)
    return Structure(doc=f"Kubernetes: {labels}", symbols=capped(symbols, what="resources"), partial=partial)


def _document(number: int, node: KeyNode) -> SymbolRecord:
    name = _text(node, "name") or _text(node, "kind") or f"document {number}"
    shown = f"document {number}" if secret_value(name) or len(name) > 60 else name
    children = [_symbol(child) for child in node.children if child.key is not None]
    size = f"array of {node.count:,}" if node.kind == "array" else f"object ({node.count:,})"
    return _record("document", shown, node, f"{shown}: {size}", capped(children, MAX_CHILDREN, "keys"))


def _sequence(root: KeyNode, partial: bool) -> Structure:
    """Outline a top-level list: its named items (Ansible plays, pre-commit hooks), else the keys of the first item."""
    symbols = []
    for item in root.children:
        name = _text(item, "name") or _text(item, "id")
        if name and not secret_value(name):
            shown = shorten(name, 80)
            symbols.append(_record("item", shown, item, shown))
    if not symbols and root.children and root.children[0].kind == "object":
        symbols = [_symbol(child) for child in root.children[0].children]
    return Structure(
        doc=f"List of {root.count:,}{items(root)}.", symbols=capped(symbols, what="items"), partial=partial
    )


def _uses(keys: dict[str | None, KeyNode]) -> tuple[str, ...]:
    """Return the local workflows that jobs call."""
    jobs = keys.get("jobs")
    used = (_text(job, "uses") or "" for job in jobs.children) if jobs is not None else ()
    return distinct(name for name in used if name.startswith("./"))


def _text(node: KeyNode | None, key: str) -> str | None:
    """Return the text of a direct scalar child."""
    for child in node.children if node is not None else ():
        if child.key == key and child.kind == "string":
            return child.text
    return None
