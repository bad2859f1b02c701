"""What well-known YAML files say: workflows, compose files, Kubernetes resources, OpenAPI; else plain keys."""

from __future__ import annotations

from sidecar.files.clean_text import shorten
from sidecar.files.structure.json_scan import Node
from sidecar.files.structure.result import MAX_CHILDREN, Structure, capped, distinct, first_sentence
from sidecar.files.structure.values import brief, secret_key, secret_value
from sidecar.store.records import SymbolRecord

_VERBS = frozenset("get put post delete options head patch trace query mutation".split())


def describe(documents: list[Node], *, partial: bool) -> Structure:
    """Structure of the documents' nodes (positions are lines)."""
    documents = [document for document in documents if document.kind in {"object", "array"}]
    if not documents:
        return Structure(partial=partial)
    resources = [
        document for document in documents if _text(document, "kind") and _text(document, "apiVersion")
    ]
    if resources and len(resources) == len(documents):
        return _resources(resources, partial)
    if len(documents) > 1:
        symbols = [_document(number, document) for number, document in enumerate(documents, 1)]
        return Structure(
            doc=f"{len(documents):,} YAML documents.",
            symbols=capped(symbols, what="documents"),
            partial=partial,
        )
    root = documents[0]
    if root.kind == "array":
        return _sequence(root, partial)
    keys = {child.key: child for child in root.children}
    named = _text(root, "name") or _text(root, "title") or _text(keys.get("info"), "title")
    doc = _text(root, "description") or _text(keys.get("info"), "description")
    if named and secret_value(named):
        named = None
    if not doc and named and ("jobs" in keys or "openapi" in keys or "swagger" in keys):
        doc = f"{'Workflow' if 'jobs' in keys else 'API'} “{shorten(named, 80)}”."
    return Structure(
        doc=first_sentence(doc) if doc and not secret_value(doc) else None,
        symbols=capped([_symbol(child, root) for child in root.children], what="keys"),
        imports=_uses(keys),
        entry_points=_triggers(keys),
        partial=partial,
    )


def _symbol(node: Node, parent: Node | None = None) -> SymbolRecord:
    key = node.key or '""'
    children: tuple[SymbolRecord, ...] = ()
    if parent is not None and node.kind == "object":
        children = capped([_member(node, child) for child in node.children], MAX_CHILDREN, "keys")
    return SymbolRecord(
        kind="key",
        name=key,
        start=node.start,
        end=max(node.start, node.end),
        signature=f"{key}: {_shape(node)}",
        children=children,
    )


def _member(parent: Node, node: Node) -> SymbolRecord:
    """A second-level key; jobs, services and API paths say what they are in a few words."""
    parts: list[str] = []
    if parent.key == "jobs":
        parts = [f"runs-on {_text(node, 'runs-on')}"] if _text(node, "runs-on") else []
        parts += [f"{child.count} steps" for child in node.children if child.key == "steps"]
    elif parent.key == "services":
        parts = [f"image {_text(node, 'image')}"] if _text(node, "image") else []
        ports = [child for child in node.children if child.key == "ports" and child.kind == "array"]
        parts += [f"{child.count} ports" for child in ports]
    elif parent.key == "paths":
        parts = [child.key for child in node.children if child.key in _VERBS and child.key]
    symbol = _symbol(node)
    words = ", ".join(parts)
    if not words or secret_value(words):
        return symbol
    return SymbolRecord(
        kind=symbol.kind,
        name=symbol.name,
        start=symbol.start,
        end=symbol.end,
        signature=f"{symbol.name}: {shorten(words, 80)}",
    )


def _shape(node: Node) -> str:
    if node.kind == "object":
        return f"object ({node.count:,})"
    if node.kind == "array":
        first = node.children[0].kind if node.children else ""
        return f"array of {node.count:,}" + (f" {first}{'s' * (node.count != 1)}" if first else "")
    if node.kind == "string":
        return brief(node.key or "", node.text) or "string"
    return node.kind if node.kind == "number" and secret_key(node.key or "") else node.text


def _resources(documents: list[Node], partial: bool) -> Structure:
    symbols = []
    for node in documents:
        metadata = next((child for child in node.children if child.key == "metadata"), None)
        kind, name = _text(node, "kind") or "", _text(metadata, "name") or ""
        label = shorten(f"{kind} {name}".strip(), 120)
        children = [
            _symbol(child) for child in node.children if child.key not in {"apiVersion", "kind", "metadata"}
        ]
        symbols.append(
            SymbolRecord(
                kind="resource",
                name=label,
                start=node.start,
                end=max(node.start, node.end),
                signature=label,
                children=capped(children, MAX_CHILDREN, "keys"),
            )
        )
    return Structure(doc="Kubernetes resources.", symbols=capped(symbols, what="resources"), partial=partial)


def _document(number: int, node: Node) -> SymbolRecord:
    name = _text(node, "name") or _text(node, "kind") or f"document {number}"
    shown = f"document {number}" if secret_value(name) or len(name) > 60 else name
    children = [_symbol(child) for child in node.children if child.key is not None]
    size = f"array of {node.count:,}" if node.kind == "array" else f"object ({node.count:,})"
    return SymbolRecord(
        kind="document",
        name=shown,
        start=node.start,
        end=max(node.start, node.end),
        signature=f"{shown}: {size}",
        children=capped(children, MAX_CHILDREN, "keys"),
    )


def _sequence(root: Node, partial: bool) -> Structure:
    """A list at the top: its named items (Ansible plays, pre-commit repositories), else the keys of the first."""
    symbols = []
    for item in root.children:
        name = _text(item, "name") or _text(item, "id")
        if name and not secret_value(name):
            shown = shorten(name, 80)
            end = max(item.start, item.end)
            symbols.append(SymbolRecord(kind="item", name=shown, start=item.start, end=end, signature=shown))
    if not symbols and root.children and root.children[0].kind == "object":
        symbols = [_symbol(child) for child in root.children[0].children]
    return Structure(doc=f"List of {root.count:,}.", symbols=capped(symbols, what="items"), partial=partial)


def _triggers(keys: dict[str | None, Node]) -> tuple[str, ...]:
    """What starts a workflow."""
    trigger = keys.get("on")
    if trigger is None or "jobs" not in keys:
        return ()
    if trigger.kind == "object":
        return distinct(f"on {child.key}" for child in trigger.children)
    if trigger.kind == "array":
        return distinct(f"on {child.text}" for child in trigger.children)
    return (f"on {trigger.text}",) if len(trigger.text) < 60 else ()


def _uses(keys: dict[str | None, Node]) -> tuple[str, ...]:
    """Local workflows that jobs call."""
    jobs = keys.get("jobs")
    used = (_text(job, "uses") or "" for job in jobs.children) if jobs is not None else ()
    return distinct(name for name in used if name.startswith("./"))


def _text(node: Node | None, key: str) -> str | None:
    """Text of a direct scalar child."""
    for child in node.children if node is not None else ():
        if child.key == key and child.kind == "string":
            return child.text
    return None
