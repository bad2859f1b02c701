"""CommonJS exports, functions assigned to objects, and the public names of a JavaScript file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sidecar.files.outline.draft import OutlineDraft, Scope
from sidecar.files.outline.javascript_members import FUNCTIONS, export, head, is_require, target
from sidecar.files.outline.source import with_value
from sidecar.files.outline.walker import Walker

if TYPE_CHECKING:
    from tree_sitter import Node

_EXPORTS: Final = ("exports", "module.exports")


def commonjs(walker: Walker, node: Node, scope: Scope) -> None:
    """Handle an assignment to `exports`, to a member of `exports`, or of a function to a member of any object."""
    lefts: list[str] = []
    value: Node | None = node
    while value is not None and value.type == "assignment_expression":  # exports = module.exports = x
        left = value.child_by_field_name("left")
        if left is not None and left.type in ("identifier", "member_expression"):
            text = walker.source.slice(left.start_byte, min(left.end_byte, left.start_byte + 200))
            lefts.append("".join(text.split()))
        value = value.child_by_field_name("right")
    value = target(value)
    if value is None:
        return
    for left_text in lefts:
        owner, _, name = left_text.rpartition(".")
        if left_text in _EXPORTS:
            _whole(walker, node, value, scope)
            return
        if owner in _EXPORTS or owner.startswith("module.exports"):
            _member(walker, node, value, name, scope)
            return
    if lefts and value.type in FUNCTIONS and "." in lefts[-1]:
        _on_object(walker, node, value, lefts[-1], scope)


def _whole(walker: Walker, node: Node, value: Node, scope: Scope) -> None:
    """Handle `module.exports = value`."""
    walker.export()
    if value.type == "identifier":
        export(walker, value)
    elif value.type in FUNCTIONS or value.type == "class":
        name = walker.name(value) or "module.exports"
        body = value.child_by_field_name("body")
        kind = "class" if value.type == "class" else "function"
        draft = walker.add(scope, kind, name, node, walker.signature(node, body).removesuffix("=>").rstrip())
        walker.export(name)
        if kind == "class":
            walker.descend(body, draft, scope)
    elif value.type == "object":
        for child in value.named_children[:400]:
            inner, key = (child.child_by_field_name(name) for name in ("value", "key"))
            if child.type == "shorthand_property_identifier":
                export(walker, child)
            elif child.type == "method_definition" and (name_node := child.child_by_field_name("name")) is not None:
                _object_function(walker, child, child, name_node, scope)
            elif child.type != "pair" or inner is None:
                continue
            elif inner.type == "identifier":
                export(walker, inner)
            elif key is not None and inner.type in FUNCTIONS:
                _object_function(walker, child, inner, key, scope)
            elif key is not None and not is_require(walker, inner):
                _object_value(walker, child, inner, key, scope)
    elif not is_require(walker, value):
        walker.add(scope, "variable", "module.exports", node, with_value("module.exports", _short_text(walker, value)))
        walker.export("module.exports")


def _object_function(walker: Walker, node: Node, function: Node, key: Node, scope: Scope) -> None:
    draft = walker.add(scope, "function", walker.source.text(key).strip("\"'"), node, head(walker, node, function))
    draft.start = node.start_point.row + 1
    walker.export(draft.name)


def _object_value(walker: Walker, node: Node, value: Node, key: Node, scope: Scope) -> None:
    name = walker.source.text(key).strip("\"'")
    draft = walker.add(scope, "variable", name, node, with_value(name, _short_text(walker, value)), doc="")
    draft.doc = None
    walker.export(name)


def _short_text(walker: Walker, value: Node) -> str:
    return walker.source.line(value.start_byte, min(value.end_byte, value.start_byte + 300))


def _member(walker: Walker, node: Node, value: Node, name: str, scope: Scope) -> None:
    """Handle `exports.name = value`."""
    walker.export(name)
    if value.type == "identifier":
        export(walker, value)
        if walker.source.text(value) == name:
            return
    if value.type in FUNCTIONS:
        walker.add(scope, "function", name, node, head(walker, node, value))
        return
    if value.type == "class":
        body = value.child_by_field_name("body")
        draft = walker.add(scope, "class", name, node, walker.signature(node, body))
        walker.descend(body, draft, scope)
        return
    walker.add(scope, "variable", name, node, with_value(f"exports.{name}", _short_text(walker, value)))


def _on_object(walker: Walker, node: Node, value: Node, left: str, scope: Scope) -> None:
    """Add `send` of `res.send = function send(body) {}` as a method if the file declares `res`."""
    owner, _, name = left.rpartition(".")
    owner = owner.removesuffix(".prototype")
    holder = next((symbol for symbol in scope.into if symbol.name == owner), None)
    if holder is None:
        walker.add(scope, "function", left.replace(".prototype.", "."), node, head(walker, node, value))
    else:
        walker.add(Scope(holder.children, holder, scope.depth + 1), "method", name, node, head(walker, node, value))


def finish(walker: Walker) -> None:
    """Merge the overloads of functions, and make symbols private that the module does not export."""
    kept: list[OutlineDraft] = []
    seen: dict[str, OutlineDraft] = {}
    for symbol in walker.out.symbols:
        earlier = seen.get(symbol.name)
        if earlier is not None and symbol.kind == earlier.kind == "function":
            earlier.end = max(earlier.end, symbol.end)
            continue
        seen[symbol.name] = symbol
        kept.append(symbol)
    walker.out.symbols[:] = kept
    if walker.exported is not None:
        for symbol in kept:
            symbol.public = not walker.exported.isdisjoint((symbol.name.split(".")[0], symbol.name))
