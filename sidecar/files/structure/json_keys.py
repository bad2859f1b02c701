"""JSON: keys of the first two levels with their types, what a package manifest runs, what an array holds."""

from __future__ import annotations

from sidecar.files.structure.json_scan import Node, scan, unquote
from sidecar.files.structure.result import MAX_CHILDREN, Lines, Structure, capped, distinct, first_sentence
from sidecar.files.structure.values import brief, command, secret_key
from sidecar.store.records import SymbolRecord

_SHAPE_KEYS = 8
_DEPENDENCIES = (
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
    "require",
    "require-dev",
)


def json_keys(text: str) -> Structure:
    """Symbols of a JSON text; several values in a row (JSON Lines) are described by their first."""
    found = scan(text)
    lines = Lines(text)
    if not found.roots:
        return Structure(partial=found.partial)
    root = found.roots[0]
    if len(found.roots) > 1 and root.kind in {"object", "array"}:
        doc: str | None = (
            f"{len(found.roots):,} JSON values, one after the other; the keys are the first one's."
        )
    elif root.kind == "array":
        doc = f"Array of {root.count:,}{_items(root)}."
    else:
        doc = _description(root)
    symbols = [_symbol(node, lines, 1) for node in _members(root)]
    return Structure(
        doc=doc,
        symbols=capped(symbols, what="keys"),
        imports=_imports(root),
        entry_points=_entry_points(root),
        partial=found.partial,
    )


def _members(node: Node) -> list[Node]:
    if node.kind == "array":
        node = node.children[0] if node.children and node.children[0].kind == "object" else node
    return [child for child in node.children if child.key is not None]


def _symbol(node: Node, lines: Lines, level: int) -> SymbolRecord:
    key = node.key or '""'
    children: tuple[SymbolRecord, ...] = ()
    if level < 2 and node.kind == "object":
        children = capped(
            [_symbol(child, lines, level + 1) for child in _members(node)], MAX_CHILDREN, "keys"
        )
    return SymbolRecord(
        kind="key",
        name=key,
        start=lines.at(node.start),
        end=lines.at(max(node.start, node.end - 1)),
        signature=f"{key}: {shape(key, node)}",
        children=children,
    )


def shape(key: str, node: Node) -> str:
    """Type of a value, or the value itself when it is short and harmless."""
    if node.kind == "object":
        return f"object ({node.count:,})"
    if node.kind == "array":
        return f"array of {node.count:,}{_items(node)}"
    if node.kind == "string":
        return brief(key, unquote(node.text)) or "string"
    return node.kind if node.kind == "number" and (secret_key(key) or len(node.text) > 20) else node.text


def _items(node: Node) -> str:
    if not node.children:
        return ""
    first = node.children[0]
    if first.kind != "object":
        return f" {first.kind}s" if node.count != 1 else f" {first.kind}"
    keys = [child.key for child in first.children if child.key is not None]
    more = ", …" if len(keys) > _SHAPE_KEYS else ""
    return f" {{{', '.join(keys[:_SHAPE_KEYS])}{more}}}" if keys else " objects"


def _texts(node: Node) -> dict[str, str]:
    return {child.key or "": unquote(child.text) for child in node.children if child.kind == "string"}


def _description(root: Node) -> str | None:
    texts = _texts(root)
    described = texts.get("description") or texts.get("title") or ""
    return first_sentence(described) if described and not described.startswith(("http", "$")) else None


def _entry_points(root: Node) -> tuple[str, ...]:
    """What package.json or composer.json can run: `main`, `bin`, scripts with their commands."""
    keys = {child.key: child for child in root.children}
    if root.kind != "object" or not ({"name", "scripts", "bin"} & keys.keys()):
        return ()
    points = []
    for key in ("main", "module"):
        if key in keys and keys[key].kind == "string" and "scripts" in keys:
            points.append(f"{key}: {unquote(keys[key].text)[:80]}")
    for group in ("bin", "scripts"):
        node = keys.get(group)
        if node is None:
            continue
        if node.kind == "string" and group == "bin":
            points.append(f"bin: {unquote(node.text)[:80]}")
        for child in node.children if node.kind == "object" else ():
            name = child.key or ""
            shown = command(name, unquote(child.text)) if child.kind == "string" else None
            label = f"{'bin ' if group == 'bin' else ''}{name}"
            points.append(f"{label}: {shown}" if shown else label)
    return distinct(points, 60)


def _imports(root: Node) -> tuple[str, ...]:
    """Packages that a manifest depends on, and the files that a configuration extends or references."""
    names: list[str] = []
    for child in root.children if root.kind == "object" else ():
        if child.key in _DEPENDENCIES and child.kind == "object":
            names.extend(dependency.key or "" for dependency in child.children)
        elif child.key == "extends" and child.kind == "string":
            names.append(unquote(child.text)[:200])
    return distinct(names)
